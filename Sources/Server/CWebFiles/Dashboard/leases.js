// Active leases.

import { list, isAllowed, part, remove } from "./api.js";
import { asset, badge, code, confirm, countdown, empty, field, fill, h, head, message, table, time, toast } from "./dom.js";
import { listen } from "./live.js";

export default {
  path: "leases",
  title: "Active leases",
  async show({ main, query, signal }) {
    let account = query.get("account") ?? "";
    let items = [];
    let next = null;
    const input = h("input", { type: "search", value: account, autocomplete: "off", spellcheck: "false", maxlength: 200 });
    const search = h("form.inline", { role: "search", onsubmit(event) { event.preventDefault(); account = input.value.trim(); load().catch(showError); } }, field("Account", input), h("button", { type: "submit" }, "Show"));
    const place = h("section.card", { "aria-label": "Leases" });
    fill(main, head("Active leases", "Streams that currently have a key, and the time until it expires. An ended lease gets no more keys. It counts against the limit until the device's key expires."), h("div.stack", null, h("div.card", null, search), place));

    async function load(unattended = false) {
      const page = await list(account ? `/leases?account=${part(account)}` : "/leases", null, { signal, unattended });
      [items, next] = [page.items, page.next];
      draw();
    }
    async function more() {
      const page = await list(account ? `/leases?account=${part(account)}` : "/leases", next, { signal });
      items.push(...page.items);
      next = page.next;
      draw();
    }
    function showError(error) { if (error.name !== "AbortError") fill(place, message(error.message, "bad")); }

    function draw() {
      if (!items.length) return fill(place, account ? empty("No active lease", "This account has no active key.") : empty("No active lease", "A lease starts when a device gets a key under a policy with a lease.", h("p", null, "Add a ", code("lease"), " such as ", code("PT10M"), " to a policy in ", h("a", { href: "#/policies" }, "Policies"), ".")));
      fill(place, table("Active leases", columns(end), items), next && h("div.more", null, h("button", { type: "button", onclick: () => more().catch(showError) }, "More")));
    }

    async function end(lease) {
      if (!await confirm("End this lease?", `${lease.account} gets no more keys at ${lease.client}. Playback stops when the device's key expires.`, "End lease")) return;
      try {
        await remove(`/leases/${part(lease.account)}/${part(lease.client)}`);
        toast("The lease has ended.");
        await load();
      } catch (error) { toast(error.message); }
    }

    await load();
    let known = null;
    listen((event) => {
      const isChange = event.recent.length || (known !== null && event.leases !== known);
      if (event.leases !== undefined) known = event.leases;
      if (isChange && items.length <= 100 && !document.hidden && !document.querySelector("dialog[open]") && !place.contains(document.activeElement)) load(true).catch(() => {});
    }, signal);
  },
};

const columns = (end) => [
  { title: "Account", cell: (lease) => h("a", { href: `#/accounts/${part(lease.account)}` }, lease.account) },
  { title: "Asset", cell: asset },
  { title: "Device or session", cell: (lease) => code(lease.client) },
  { title: "Purpose", class: "tight", cell: (lease) => (lease.ended ? badge("ended", "warn") : badge(lease.purpose, lease.purpose === "playback" ? "good" : null)) },
  { title: "Since", class: "tight", cell: (lease) => time(lease.since, true) },
  { title: "Time left", class: "num", cell: (lease) => countdown(lease.until) },
  ...(isAllowed("support") ? [{ title: "End", hidden: true, class: "tight", cell: (lease) => !lease.ended && h("button.small.danger", { type: "button", "aria-label": `End the lease of ${lease.account} at ${lease.client}`, onclick: () => end(lease) }, "End") }] : []),
];
