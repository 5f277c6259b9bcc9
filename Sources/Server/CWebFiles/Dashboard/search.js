// The search in the header: accounts, titles, assets, devices, policies and requests whose name begins with a text.

import { accountLink, assetLink, assetName, href, policyLink, titleLink } from "./address.js";
import { request } from "./api.js";
import { fill, h } from "./dom.js";

/** The time without typing after which the search starts, in milliseconds. */
const pause = 200;

/** The kinds of what is found: the field of the API, the name, and the address of a found name. */
const kinds = [
  ["accounts", "Account", (name) => [name, accountLink(name)]],
  ["titles", "Title", (name) => [name, titleLink(name)]],
  ["assets", "Asset", (item) => [assetName(item), assetLink(item)]],
  ["devices", "Device", (name) => [name, href(["audit"], { device: name })]],
  ["policies", "Policy", (name) => [name, policyLink(name)]],
  ["requests", "Request", (name) => [name, href(["audit"], { request: name })]],
];

/** Adds the search to the header. The key / moves the focus there. */
export function addSearch(place) {
  const input = h("input", {
    type: "search", id: "search-text", role: "combobox", "aria-expanded": "false", "aria-controls": "search-found",
      "aria-autocomplete": "list", "aria-label": "Search",
    placeholder: "Search  ( / )", autocomplete: "off", spellcheck: "false", maxlength: 200,
  });
  const found = h("div", { id: "search-found", role: "listbox", "aria-label": "Found", hidden: true });
  const status = h("p.visually-hidden", { role: "status" });
  let options = [];
  let chosen = -1;
  let running = new AbortController();
  let timer;

  function close() {
    clearTimeout(timer);
    running.abort();
    found.hidden = true;
    input.setAttribute("aria-expanded", "false");
    choose(-1);
  }

  function choose(index) {
    chosen = index;
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === index)));
    if (index < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", options[index].id);
    options[index].scrollIntoView({ block: "nearest" });
  }

  function open(...content) {
    fill(found, content);
    found.hidden = false;
    input.setAttribute("aria-expanded", "true");
  }

  function option(kind, name, address) {
    const element = h("a",
      { role: "option", tabindex: -1, "aria-selected": "false", id: `found-${options.length}`, href: address,
        onclick() { close(); input.value = ""; } }, h("span.kind", null, kind), h("span.name", null, name));
    options.push(element);
    return element;
  }

  async function search() {
    running.abort();
    const text = input.value.trim();
    if (!text) return close();
    running = new AbortController();
    const { signal } = running;
    options = [];
    open(h("p.note", null, "Searching…"));
    try {
      const names = await request(`/search?q=${encodeURIComponent(text)}&limit=8`, { signal });
      const items = kinds.flatMap(([field, kind, describe]) => names[field]
        .map((item) => option(kind, ...describe(item))));
      const inLog = option("Audit log", `entries that contain “${text}”`, href(["audit"], { search: text }));
      open(!items.length && h("p.note", null, `No name begins with “${text}”.`), items, inLog);
      status.textContent = `${items.length} found`;
      choose(0);
    } catch (error) {
      if (!signal.aborted) open(h("p.note", null, error.message),
        h("button.small", { type: "button", onclick: search }, "Try again"));
    }
  }

  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, pause); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { close(); input.value = ""; }
    if (event.key === "Enter") {
      event.preventDefault();
      if (!found.hidden && chosen >= 0) options[chosen].click();
      else search();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp" || found.hidden || !options.length) return;
    event.preventDefault();
    choose((chosen + (event.key === "ArrowDown" ? 1 : options.length - 1)) % options.length);
  });
  place.addEventListener("focusout", (event) => { if (!place.contains(event.relatedTarget)) close(); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey
      || event.target.closest?.("input, textarea, select, dialog") || !input.checkVisibility()) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  fill(place, input, found, status);
}
