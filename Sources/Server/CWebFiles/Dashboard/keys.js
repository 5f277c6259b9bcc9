// Content keys. The bytes of a key can be entered but are never displayed.

import { assetName, assetPath } from "./address.js";
import { isAllowed, remove } from "./api.js";
import { asset, policy, title } from "./cells.js";
import { badge, command, confirm, copyable, empty, fill, h, head, time, toast } from "./dom.js";
import { listing } from "./list.js";
import { kindName } from "./words.js";

export default {
  path: "keys",
  title: "Keys",
  async show({ main, signal }) {
    const keys = keyList({ signal, name: "keys", path: "/content", isWhole: true });
    fill(main, head("Keys",
        "The content keys that devices can request, each with its asset ID. The bytes of keys are never displayed."),
      h("div.card", null, keys.element));
    await keys.load();
  },
};

/**
 * A list of content keys.
 * @param {{signal: AbortSignal, name: string, path: string, scope?: string, kind?: string, isWhole?: boolean}} options
 *   kind: that of the track, which applies to all its keys; isWhole: whether the list is of all keys
 */
export function keyList({ signal, name, path, scope, kind, isWhole = false }) {
  async function deleteKey(item) {
    const id = assetName(item);
    if (!await confirm(`Delete the key of ${id}?`,
        "Media encrypted with this key can no longer be played, and the key cannot be restored here.",
        "Delete key")) return;
    try {
      await remove(`/content/${assetPath(`0x${item.assetIdHex}`)}`);
      toast("The key is deleted.");
      await keys.load();
    } catch (error) { toast(error.message); }
  }
  const keys = listing({
    name, path, scope, signal, caption: "Keys",
    ...(isWhole ? { sort: "name",
        filters: [{ name: "search", label: "Asset ID contains" }, { name: "title", label: "Title" },
          { name: "policy", label: "Policy" }] } : {}),
    columns: [
      { title: "Asset ID", sort: isWhole ? "name" : undefined, cell: asset },
      ...(isWhole ? [{ title: "Title", cell: (item) => item.title
            && [title(item.title), h("span.sub", null, `track ${item.titleTrack}`)] }] : []),
      { title: "Key ID", cell: (item) => item.keyId && copyable(item.keyId) },
      // The kind of a title's key is that of its track; only separate keys have their own.
      ...(kind === undefined
        ? [{ title: "Kind", class: "tight",
            cell: (item) => (item.title === undefined ? badge(kindName(item.track)) : null) }] : []),
      { title: "Policy", property: "policy", cell: (item) => policy(item.policy) },
      { title: "Valid", class: "tight", cell: validity },
      { title: "Changed", sort: isWhole ? "updated" : undefined, class: "tight",
        cell: (item) => time(item.updated, true) },
      ...(isAllowed("content")
        ? [{ title: "Delete", hidden: true, class: "tight",
            cell: (item) => h("button.small.danger",
              { type: "button", "aria-label": `Delete the key of ${assetName(item)}`, onclick: () => deleteKey(item) },
              "Delete") }] : []),
    ],
    none: (isFiltered) =>
      (isFiltered ? empty("No match", "No key has these values.") : isWhole
      ? empty("No keys yet", "Add a title with its keys, or a separate key.",
        h("p", null, "On the command line: ",
          command("keyway-server keys add --data FOLDER --asset NAME --key @FILE --iv HEX")))
      : h("p.note", null, "This track has no key yet.")),
  });
  return keys;
}

export function validity(item) {
  if (item.validFrom === undefined && item.validUntil === undefined) return "always";
  return [item.validFrom !== undefined && h("span.sub", null, "from ", time(item.validFrom)),
    item.validUntil !== undefined && h("span.sub", null, "until ", time(item.validUntil))];
}
