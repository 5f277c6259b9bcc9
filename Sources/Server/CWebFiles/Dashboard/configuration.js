// The settings in effect.

import { change, current } from "./address.js";
import { request } from "./api.js";
import { badge, code, copyable, empty, fill, h, head, number, table } from "./dom.js";
import { filterForm } from "./filters.js";
import { load } from "./load.js";

const filters = [{ name: "search", label: "Setting or value contains" },
  { name: "origin", label: "Origin", choices: [["set", "not a default"]] }];

export default {
  path: "configuration",
  title: "Configuration",
  permission: "administer",
  async show({ main, signal }) {
    const place = h("div");
    let settings = null;
    const parameter = (name) => current().query.get(name) ?? "";

    function draw() {
      const text = parameter("search").toLowerCase();
      const found = settings.filter((one) => (!text || `${one.path} ${one.value ?? ""}`.toLowerCase().includes(text))
        && (parameter("origin") !== "set" || one.origin !== "default"));
      return [h("p.note", { role: "status" }, `${number(found.length)} of ${number(settings.length)}`), found.length
        ? table("Settings", columns, found, { isRegion: true }) : empty("No match", "No setting contains this text.")];
    }
    const form = filterForm("Settings", filters, parameter, (values) => {
      change(values);
      if (settings) fill(place, draw());
    });
    fill(main, head("Configuration",
        "The settings of this server and where each of them is set. Values that may contain a secret are not shown."),
      h("div.card", null, h("div.list", null, form, place)));
    await load(place, () => request("/configuration", { signal }), ({ items }) => { settings = items; return draw(); },
      signal);
  },
};

const columns = [
  { title: "Setting", cell: (one) => copyable(one.path) },
  { title: "Value", cell: (one) =>
    (one.value !== undefined ? code(one.value) : one.set ? badge("set, not shown") : h("span.dim", null, "none")) },
  { title: "Origin", cell: (one) => (one.origin === "default" ? h("span.dim", null, "default") : one.origin) },
];
