// Accounts: the page to look one up, and one page for an account with its timeline.

import { href } from "./address.js";
import { fill, field, h, head, copyable } from "./dom.js";
import { deviceList } from "./devices.js";
import { leaseList } from "./leases.js";
import { licenseList } from "./licenses.js";
import { rentalList } from "./rentals.js";
import { timeline } from "./timeline.js";

export default {
  path: "accounts",
  title: "Look up",
  show(page) {
    const [name] = page.rest;
    return name === undefined ? showForm(page) : showAccount(page, name);
  },
};

function showForm({ main }) {
  const form = (label, hint, address) => {
    const input = h("input",
      { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200, required: true });
    return h("form.card.half.inline",
      { role: "search", "aria-label": label,
        onsubmit(event) { event.preventDefault(); location.hash = address(input.value.trim()); } },
      field(label, input, hint), h("button", { type: "submit" }, "Look up"));
  };
  fill(main, head("Look up",
      "Enter a name exactly as it is stored. The search at the top finds names by their beginning."),
    h("div.grid", null,
    form("Account", "As it appears in your tokens.", (text) => href(["accounts", text])),
    form("Asset ID", "As it appears in the playlist's key URI; or hexadecimal digits after 0x.",
      (text) => href(["assets", text])),
    form("Title", "The name of a title.", (text) => href(["titles", text])),
    form("Request ID", "The field instance of an error response.", (text) => href(["audit"], { request: text }))));
}

function showAccount({ main, signal }, name) {
  const lists = [
    ["Active leases", leaseList({ signal, of: name, scope: "leases." })],
    ["Devices", deviceList({ signal, of: name, scope: "devices." })],
    ["Rentals", rentalList({ signal, of: name, scope: "rentals." })],
    ["Offline licenses",
      licenseList({ signal, of: name, scope: "licenses.",
          none: () => h("p.note", null, "The account has no persistent keys.") })],
  ];
  const story = timeline({ signal, account: name });
  fill(main, head(name, null, copyable(name, ""),
      h("a", { href: href(["audit"], { account: name }) }, "All entries of the audit log")), h("div.stack", null,
    h("section.card", null, h("h2", null, "Timeline"), story.element),
    lists.map(([title, list]) => h("section.card", null, h("h2", null, title), list.element))));
  return Promise.all([story.load(), ...lists.map(([, list]) => list.load())]);
}
