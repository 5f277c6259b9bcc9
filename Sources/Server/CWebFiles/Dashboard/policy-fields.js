// The form of a policy: a row for each field of the schema that the server validates with.

import { schema } from "./api.js";
import { code, duration, fill, h, identifier } from "./dom.js";
import { load } from "./load.js";
import { deviceName } from "./words.js";

/**
 * The form of a policy. Values that it cannot show, and unknown fields, stay in the document until the user changes
 * them.
 * @param {AbortSignal} signal
 * @param {function(string, any): void} change called with a field and its new value; undefined deletes the field
 * @returns {{element: HTMLElement, show: function(Object|null): void, mark: function(string|undefined, string): void}}
 *   show: shows a document, null if the text cannot be parsed; mark: shows an error at a place such as `a.b`, and
 *   removes the previous one
 */
export function policyForm(signal, change) {
  const place = h("div");
  const others = h("div.rows");
  const state = { rows: [], document: {}, error: ["", ""] };

  load(place, () => schema("Policy", { signal }), ({ properties }) => {
    state.rows = Object.entries(properties).filter(([name]) => name !== "name")
      .map(([name, form]) => row(name, form, (value) => change(name, value)));
    // The rows are on the page when they are filled.
    queueMicrotask(() => { show(state.document); mark(...state.error); });
    return [h("p.note.broken", { role: "status" }),
      h("div.region", { tabindex: 0, role: "region", "aria-label": "Fields of the policy" }, others,
        h("fieldset.rows", { "aria-label": "Fields" }, state.rows.map((one) => one.element)))];
  }, signal);

  function show(document) {
    state.document = document;
    const fields = place.querySelector("fieldset.rows");
    if (!fields) return;
    fields.disabled = document === null;
    fill(place.querySelector(".broken"), document === null
      && "The text is not a JSON object, so the form cannot show it. Nothing is lost: correct the text.");
    if (!document) return;
    for (const one of state.rows) one.set(document[one.name]);
    const known = new Set(["name", ...state.rows.map((one) => one.name)]);
    fill(others, Object.keys(document).filter((name) => !known.has(name)).map((name) => h("div.policy-row",
      { "data-place": name }, h("div", null, h("p", null, code(name)), h("button.small", { type: "button",
        "aria-label": `Remove ${name}`, onclick: () => change(name, undefined) }, "Remove")),
      h("div", null, h("p.error"), "Unknown field, with the value ", code(JSON.stringify(document[name]))))));
  }

  function mark(path = "", words = "") {
    state.error = [path, words];
    for (const one of place.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
    for (const one of place.querySelectorAll(".error")) fill(one);
    // An error in a part without a row, such as an item of a list, is shown at the field.
    for (let parts = path.split("."); parts.length; parts = parts.slice(0, -1)) {
      const found = path && place.querySelector(`[data-place="${CSS.escape(parts.join("."))}"]`);
      if (!found) continue;
      fill(found.querySelector(".error"), words);
      const region = found.closest(".region");
      if (!region.contains(document.activeElement)) region.scrollTop = found.offsetTop;
      found.querySelector("input, select, textarea")?.setAttribute("aria-invalid", "true");
      return;
    }
  }
  return { element: place, show, mark };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** The text of a value, in which the order of names does not matter. */
const canonical = (value) => JSON.stringify(value, (_, one) => (isObject(one)
  ? Object.fromEntries(Object.entries(one).sort(([left], [right]) => (left < right ? -1 : 1))) : one));
const isEqual = (one, other) => canonical(one) === canonical(other);

/** The row of a field. A field that depends on a report of the SPC has a second form, with a member that requires it.
 * */
function row(name, form, change) {
  const [valueForm, reportForm] = form.anyOf ?? [form];
  const [valueName, report] = Object.keys(reportForm?.properties ?? {});
  const isReported = (value) => Boolean(report) && isObject(value) && (valueName in value || report in value);
  const requires = report && h("input", { type: "checkbox", id: identifier("field"), onchange: changed });
  const value = control(name, valueForm, changed);
  const other = h("p.other");
  let shown;
  function read() {
    const own = value.read();
    return requires?.checked ? { ...(own === undefined ? {} : { [valueName]: own }), [report]: true } : own;
  }
  function changed() {
    shown = read();
    fill(other);
    change(shown);
  }
  const reportHint = report && reportForm.properties[report].description;
  return {
    name,
    element: h("div", null, line(name, value, form.description, valueForm,
      [requires && h("div.choice", null, requires, h("label", { for: requires.id, title: reportHint }, code(report),
        h("span.visually-hidden", null, ` ${name}: ${reportHint}`))), other]), value.members),
    set(newValue) {
      if (isEqual(newValue, shown) && isEqual(read(), shown)) return;
      shown = newValue;
      const own = isReported(newValue) ? newValue[valueName] : newValue;
      if (requires) requires.checked = isReported(newValue) && newValue[report] === true;
      value.write(own);
      fill(other, !isEqual(value.read(), own) && ["In the text: ", code(JSON.stringify(newValue))]);
    },
  };
}

/** One line of the form: name, control, and hint, with a place for an error. */
function line(path, { element, input, note }, description, form, more) {
  const [hint, error] = [identifier("hint"), identifier("error")];
  input.setAttribute("aria-describedby", `${hint} ${error}`);
  return h("div.policy-row", { "data-place": path },
    h("div", null, h("label", { for: input.id }, code(path)), element, note, more),
    h("div", null, h("p.error", { id: error, "aria-live": "polite" }),
      h("span", { id: hint }, description ?? deviceName(path.split(".").at(-1)), " ",
        h("span.dim", null, values(form)))));
}

/**
 * The control of a value. `read` returns undefined for a missing value; text that is not valid is returned as it is, so
 * that the server describes what is expected.
 */
function control(path, form, changed) {
  const id = identifier("field");
  if (form.properties) return group(id, path, form.properties, changed);
  if (form.enum || form.type === "boolean") {
    const choices = (form.enum ?? [true, false]).map((value) => [String(value), value]);
    const select = h("select", { id, oninput: changed }, h("option", { value: "" }, "not set"),
      choices.map(([text]) => h("option", { value: text }, text)));
    return {
      element: select, input: select,
      read: () => choices.find(([text]) => text === select.value)?.[1],
      write(value) { select.value = choices.find(([, one]) => one === value)?.[0] ?? ""; },
    };
  }
  const isList = form.type === "array";
  const note = h("span.sub");
  const input = h(isList ? "textarea" : "input", { id, rows: isList ? 2 : null, autocomplete: "off",
    spellcheck: "false", inputmode: form.type === "integer" ? "numeric" : null, oninput() {
      explain();
      changed();
    } });
  function explain() { fill(note, isList ? "one per line" : inWords(input.value)); }
  explain();
  return {
    element: input, input, note,
    read() {
      const text = input.value.trim();
      if (!text) return undefined;
      if (isList) return text.split("\n").map((one) => one.trim()).filter(Boolean);
      return form.type === "integer" && /^\d{1,15}$/.test(text) ? Number(text) : text;
    },
    write(value) {
      const isShown = isList ? Array.isArray(value) && value.every((one) => typeof one === "string")
        : ["string", "number"].includes(typeof value);
      input.value = !isShown ? "" : isList ? value.join("\n") : String(value);
      explain();
    },
  };
}

/** The control of an object: a checkbox, and a line for each member while it is checked. */
function group(id, path, properties, changed) {
  const isSet = h("input", { type: "checkbox", id, onchange() {
    if (!isSet.checked) for (const { value } of members) value.write(undefined);
    show();
    changed();
  } });
  const members = Object.entries(properties)
    .map(([name, form]) => ({ name, form, value: control(`${path}.${name}`, form, changed) }));
  const lines = h("div.policy-members", null,
    members.map(({ name, form, value }) => line(`${path}.${name}`, value, form.description, form)));
  function show() { lines.hidden = !isSet.checked; }
  show();
  return {
    element: isSet, input: isSet, members: lines,
    read() {
      if (!isSet.checked) return undefined;
      const set = members.map(({ name, value }) => [name, value.read()]);
      return Object.fromEntries(set.filter(([, value]) => value !== undefined));
    },
    write(value) {
      isSet.checked = isObject(value);
      for (const { name, value: own } of members) own.write(isSet.checked ? value[name] : undefined);
      show();
    },
  };
}

/** A duration of ISO 8601 in words; nothing for other text. */
function inWords(text) {
  const parts = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text.trim());
  const lengths = [604_800, 86_400, 3_600, 60, 1];
  if (!parts?.slice(1).some(Boolean)) return null;
  return duration(lengths.reduce((sum, length, index) => sum + length * Number(parts[index + 1] ?? 0), 0));
}

/** The values of a field as text, unless the control has a choice of all of them. */
function values(form) {
  if (form.enum || form.type === "boolean" || form.properties) return null;
  if (form.type === "integer") return `${form.minimum} to ${form.maximum}.`;
  const examples = (form.examples ?? []).flat().join(", ");
  return examples && `For example ${examples}.`;
}
