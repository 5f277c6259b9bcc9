// The fields of a policy, from the schema that the server validates with.

import { schema } from "./api.js";
import { code, fill, h } from "./dom.js";
import { load } from "./load.js";

/** The list of the fields. It is loaded when it is opened. */
export function fieldList(signal) {
  const place = h("div");
  function open() {
    if (place.querySelector("dl")) return;
    load(place, () => schema("Policy", { signal }),
      ({ properties }) =>
      h("dl.facts", null, Object.entries(properties).filter(([name]) => name !== "name").map(([name, form]) => [
      h("dt", null, code(name)), h("dd", null, form.description, " ", h("span.dim", null, values(form))),
    ])), signal);
  }
  return h("details", { ontoggle: open }, h("summary", null, "Fields of a policy"), place);
}

/** The values of a field as text: all of them if there are few, else examples. */
function values(form) {
  if (form.anyOf) return form.anyOf.map((part, index) => (index ? '{"value": …, "requireReport": true}' : values(part)))
    .join(" or ");
  if (form.enum) return form.enum.map((value) => JSON.stringify(value)).join(", ");
  if (form.type === "boolean") return "true, false";
  if (form.type === "integer") return `${form.minimum} to ${form.maximum}`;
  return form.examples.map((value) => JSON.stringify(value)).join(", ");
}
