// One page for an asset.

import { assetPath } from "./address.js";
import { request } from "./api.js";
import { auditList } from "./audit.js";
import { policy, title } from "./cells.js";
import { copyable, empty, facts, fill, h, head, time } from "./dom.js";
import { validity } from "./keys.js";
import { loadedCard } from "./load.js";

export default {
  path: "assets",
  title: "Asset",
  isHidden: true,
  async show({ main, rest: [name], signal }) {
    if (name === undefined) return location.replace("#/keys");
    const log = auditList({ signal, fixed: { asset: name }, name: "asset-requests" });
    fill(main, head(name, null, h("a", { href: "#/keys" }, "All keys")), h("div.stack", null,
      loadedCard("Content key", () => request(`/content/${assetPath(name)}`, { signal })
        .catch((error) => { if (error.status === 404) return null; throw error; }), (item) => show(item, name), signal),
      h("section.card", null, h("h2", null, "Recent requests"), log.element)));
    await log.load();
  },
};

function show(item, name) {
  if (!item) return empty(`There is no key for ${name}`,
    h("p", null, "License requests for this asset are refused. Add a key under ",
      h("a", { href: "#/new-title" }, "Add a title"), "."));
  return facts([["Key ID", item.keyId && copyable(item.keyId)],
      ["Title", item.title && [title(item.title), ` · track ${item.titleTrack}`]],
    ["Policy", policy(item.policy) ?? (item.title ? "that of the track and the title" : "default")],
      ["Stream ID", item.streamId && copyable(item.streamId)], ["Valid", validity(item)], ["Added", time(item.created)],
      ["Changed", time(item.updated)]]);
}
