// Persistent keys of all accounts.

import { list, part } from "./api.js";
import { code, empty, field, fill, h, head, message, segments } from "./dom.js";
import { licenseTable } from "./licenses.js";

export default {
  path: "offline",
  title: "Offline licenses",
  async show({ main, signal }) {
    const input = h("input", { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200, required: true });
    const search = h("form.inline", { role: "search", onsubmit(event) { event.preventDefault(); location.hash = `#/accounts/${part(input.value.trim())}`; } }, field("Account", input), h("button", { type: "submit" }, "Look up"));
    let which = "playable";
    const choice = segments("Keys to show", "offline-filter", [["playable", "Still playable"], ["all", "All"]], which, (value) => { which = value; load().catch(showError); });
    const place = h("section.card", { "aria-label": "Persistent keys" }, h("p.note", null, "Loading…"));
    fill(main, head("Offline licenses", "A persistent key has two expiries: the storage duration before first play, and the playback duration after it.", choice), h("div.stack", null, h("div.card", null, search), place));

    const path = () => (which === "playable" ? "/licenses?playable=true" : "/licenses");
    let [items, next] = [[], null];
    async function load() {
      const asked = which;
      const page = await list(path(), null, { signal });
      if (asked !== which) return;
      [items, next] = [page.items, page.next];
      draw();
    }
    async function more() {
      const asked = which;
      const page = await list(path(), next, { signal });
      if (asked !== which) return;
      items.push(...page.items);
      next = page.next;
      draw();
    }
    function showError(error) { if (error.name !== "AbortError") fill(place, message(error.message, "bad")); }

    function draw() {
      if (!items.length) {
        return fill(place, which === "playable"
          ? empty("No persistent keys", "A device stores a key if its app requests a persistent key and the policy allows it. Expired keys are under All.", h("p", null, "Add ", code("persist"), " to a policy in ", h("a", { href: "#/policies" }, "Policies"), ", for example ", code('{"storage": "P30D", "playback": "PT48H"}'), "."))
          : empty("No persistent keys yet", "A device stores a key if its app requests a persistent key and the policy allows it."));
      }
      fill(place, h("p.note", null, `${items.length}${next ? " and more" : ""}, by account and device.`), licenseTable(items, () => load().catch(showError)),
        next && h("div.more", null, h("button", { type: "button", onclick: () => more().catch(showError) }, "More")));
    }
    await load();
  },
};
