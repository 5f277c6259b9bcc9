// Persistent keys of all accounts.

import { code, empty, fill, h, head } from "./dom.js";
import { licenseList } from "./licenses.js";

export default {
  path: "offline",
  title: "Offline licenses",
  async show({ main, signal }) {
    const licenses = licenseList({ signal,
        none: (isFiltered) => (isFiltered ? empty("No match", "No persistent key has these values.")
      : empty("No persistent keys yet",
        "A device stores a key if its app requests a persistent key and the policy allows it.",
        h("p", null, "Add ", code("persist"), " to a policy in ", h("a", { href: "#/policies" }, "Policies"),
          ", for example ", code('{"storage": "P30D", "playback": "PT48H"}'), "."))) });
    fill(main, head("Offline licenses",
        "A persistent key has two expiries: the storage duration before first play, and the playback duration after "
        + "it."), h("div.card", null, licenses.element));
    await licenses.load();
  },
};
