// Keys that devices keep.

import { all, list, part } from "./api.js";
import { code, empty, field, fill, h, head } from "./dom.js";
import { licenceTable } from "./licences.js";

/** How many accounts are looked up where nobody has said which. */
const shown = 12;

export default {
  path: "offline",
  title: "Offline licences",
  async show({ main, signal }) {
    const input = h("input", { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200, required: true });
    const search = h("form.inline", { role: "search", onsubmit(event) { event.preventDefault(); location.hash = `#/accounts/${part(input.value.trim())}`; } }, field("Account", input), h("button", { type: "submit" }, "Look up"));
    const place = h("section.card", null, h("h2", null, "Lately given"), h("p.note", null, "Loading…"));
    fill(main, head("Offline licences", "A kept key has two expiries: until when it may lie unplayed, and for how long it plays once playback has begun."), h("div.stack", null, h("div.card", null, search), place));

    async function load() {
      const found = await list("/audit?search=issued-persistable", null, { parameter: "before", limit: 200, signal });
      const accounts = [...new Set(found.items.filter((entry) => entry.outcome === "issued-persistable" && entry.account).map((entry) => entry.account))].slice(0, shown);
      const licences = (await Promise.all(accounts.map((account) => all(`/accounts/${part(account)}/licenses`, 500, { signal })))).flat();
      licences.sort((one, other) => other.granted - one.granted);
      fill(place, h("h2", null, "Lately given"), licences.length
        ? [h("p.note", null, `Of the ${accounts.length === 1 ? "account" : `${accounts.length} accounts`} that asked last for a key to keep.`), licenceTable(licences, load)]
        : empty("No key is kept", "A device keeps a key when its app asks for one and the policy lets it.", h("p", null, "Give a policy ", code("persist"), " in ", h("a", { href: "#/policies" }, "Policies"), ", for example ", code('{"storage": "P30D", "playback": "PT48H"}'), ".")));
    }
    await load();
  },
};
