// The form with the filters of a list.

import { field, h } from "./dom.js";

/**
 * The form of filters. Filters with `isExtra` are in a part that is closed unless one of them is set.
 * @param {string} label
 * @param {Array<{name: string, label: string, hint?: string, choices?: Array<[string, string]>, isTime?: boolean,
 *   isExtra?: boolean}>} filters
 * @param {function(string): string} value returns the present value of a filter
 * @param {function(Object<string, string|null>): void} apply called with the values of all filters
 */
export function filterForm(label, filters, value, apply) {
  const controls = new Map(filters.map((filter) => [filter.name, control(filter, value(filter.name))]));
  const shown = (isExtra) => filters.filter((filter) => Boolean(filter.isExtra) === isExtra)
    .map((filter) => field(filter.label, controls.get(filter.name), filter.hint));
  const extra = shown(true);
  const isSet = filters.some((filter) => filter.isExtra && value(filter.name) !== "");
  function submit(event) {
    event?.preventDefault();
    apply(Object.fromEntries(filters.map((filter) => [filter.name, read(filter, controls.get(filter.name)) || null])));
  }
  function clear() {
    for (const one of controls.values()) one.value = "";
    submit();
  }
  const buttons = h("div.actions", null, h("button", { type: "submit" }, "Apply"),
    h("button.quiet", { type: "button", onclick: clear }, "Clear filters"));
  return h("form.filters", { role: "search", "aria-label": `Filter: ${label}`, onsubmit: submit },
    h("div.fields", null, shown(false), extra.length === 0 && buttons),
    extra.length > 0 && [h("details", { open: isSet }, h("summary", null, "More filters"),
        h("div.fields", null, extra)), buttons]);
}

function control(filter, value) {
  if (filter.isTime) return h("input", { type: "datetime-local", step: "1", value: localTime(value) });
  if (!filter.choices) return h("input",
    { type: "search", value, autocomplete: "off", spellcheck: "false", maxlength: 200 });
  // A value of a link that is not among the choices must not be lost.
  const isKnown = value === "" || filter.choices.some(([choice]) => choice === value);
  return h("select", { value }, h("option", { value: "" }, "any"), !isKnown && h("option", { value }, value),
    filter.choices.map(([choice, text]) => h("option", { value: choice }, text)));
}

/** The value of a filter for the address and the API: times are Unix seconds. */
function read(filter, element) {
  if (!filter.isTime) return element.value.trim();
  const time = element.value ? new Date(element.value).getTime() : NaN;
  return Number.isNaN(time) ? "" : String(Math.floor(time / 1000));
}

/** Returns Unix seconds or a time of RFC 3339 as the value of a field for a local time. */
function localTime(text) {
  if (!text) return "";
  const date = new Date(/^\d+$/.test(text) ? Number(text) * 1000 : text);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
