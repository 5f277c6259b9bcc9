// Titles, tracks and keys. The bytes of a key can be entered but are never displayed.

import { all, request, list, isAllowed, part, remove } from "./api.js";
import { asset, badge, code, confirm, empty, facts, fill, h, head, table, time, toast } from "./dom.js";
import { showNewTitle } from "./new-title.js";

export default {
  path: "content",
  title: "Content and keys",
  show(page) {
    const [title] = page.rest;
    return title === "new" ? showNewTitle(page) : title ? showTitle(page, title) : showAll(page);
  },
};

async function showAll({ main, signal }) {
  const place = h("div.stack");
  fill(main, head("Content and keys", "The titles, tracks and keys that licenses are issued for. The bytes of keys are never displayed.", isAllowed("content") && h("a", { href: "#/content/new" }, "Add a title")), place);
  const [titles, first] = await Promise.all([all("/titles", 1000, { signal }), list("/content", null, { limit: 100, signal })]);
  if (!titles.length && !first.items.length) {
    return fill(place, empty("No content yet", "A title has tracks, and each track has a key. Add the first title here, or let the packager add it while it encrypts.",
      isAllowed("content") && h("p", null, h("a", { href: "#/content/new" }, "Add a title")), h("p", null, "On the command line: ", code("keyway-server keys add --asset NAME --key HEX --iv HEX"))));
  }
  const keys = h("section.card");
  let items = first.items;
  let next = first.next;
  function draw() {
    fill(keys, h("h2", null, "Keys"), keyTable(items, removeItem),
      next && h("div.more", null, h("button", { type: "button", onclick: more }, "More")));
  }
  async function more() {
    try {
      const page = await list("/content", next, { signal });
      items = [...items, ...page.items];
      next = page.next;
      draw();
    } catch (error) { toast(error.message); }
  }
  function removeItem(assetIdHex) {
    items = items.filter((item) => item.assetIdHex !== assetIdHex);
    draw();
  }
  draw();
  fill(place,
    h("section.card", null, h("h2", null, "Titles"), titles.length ? table("Titles", [
      { title: "Title", cell: (title) => h("a", { href: `#/content/${part(title.name)}` }, title.name) },
      { title: "Policy", cell: (title) => (title.policy ? h("a", { href: `#/policies/${part(title.policy)}` }, title.policy) : h("span.dim", null, "default")) },
      { title: "Key URI", cell: (title) => title.keyUriTemplate && code(title.keyUriTemplate) },
      { title: "Changed", class: "tight", cell: (title) => time(title.updated, true) },
    ], titles) : h("p.note", null, "No titles: the keys below are separate.")), keys);
}

function keyTable(items, onDelete) {
  async function deleteKey(item) {
    const name = item.assetId ?? `0x${item.assetIdHex}`;
    if (!await confirm(`Delete the key of ${name}?`, "Media encrypted with this key can no longer be played, and the key cannot be restored here.", "Delete key")) return;
    const path = item.assetIdHex.replace(/../g, "%$&");
    try {
      await remove(`/content/${path}`);
      toast("The key is deleted.");
      onDelete(item.assetIdHex);
    } catch (error) { toast(error.message); }
  }
  return table("Keys", [
    { title: "Asset ID", cell: (item) => (item.assetId === undefined ? asset(item) : h("a", { href: `#/accounts/asset/${part(item.assetId)}` }, asset(item))) },
    { title: "Title", cell: (item) => item.title && [h("a", { href: `#/content/${part(item.title)}` }, item.title), h("span.sub", null, item.titleTrack)] },
    { title: "Key ID", cell: (item) => item.keyId && code(item.keyId) },
    { title: "Track", class: "tight", cell: (item) => badge(item.track) },
    { title: "Policy", cell: (item) => item.policy && h("a", { href: `#/policies/${part(item.policy)}` }, item.policy) },
    { title: "Valid", class: "tight", cell: validity },
    { title: "Changed", class: "tight", cell: (item) => time(item.updated, true) },
    ...(isAllowed("content") ? [{ title: "Delete", hidden: true, class: "tight", cell: (item) => h("button.small.danger", { type: "button", "aria-label": `Delete the key of ${item.assetId ?? item.assetIdHex}`, onclick: () => deleteKey(item) }, "Delete") }] : []),
  ], items);
}

function validity(item) {
  if (item.validFrom === undefined && item.validUntil === undefined) return "always";
  return [item.validFrom !== undefined && h("span.sub", null, "from ", time(item.validFrom)), item.validUntil !== undefined && h("span.sub", null, "until ", time(item.validUntil))];
}

async function showTitle({ main, signal }, name) {
  const place = h("div.stack");
  fill(main, head(name, null, h("a", { href: "#/content" }, "All content")), place);
  const [title, tracks] = await Promise.all([request(`/titles/${part(name)}`, { signal }), all(`/titles/${part(name)}/tracks`, 500, { signal })]);
  const periods = await Promise.all(tracks.map((track) => all(`/titles/${part(name)}/tracks/${part(track.name)}/periods`, 500, { signal })));
  async function deleteTitle() {
    if (!await confirm(`Delete ${name}?`, "A title can be deleted only if it has no tracks and keys.", "Delete title")) return;
    try {
      await remove(`/titles/${part(name)}`);
      toast("The title is deleted.");
      location.hash = "#/content";
    } catch (error) { toast(error.message); }
  }
  fill(place,
    h("section.card", null, h("h2", null, "Title"), facts([["Policy", title.policy ? h("a", { href: `#/policies/${part(title.policy)}` }, title.policy) : "default"], ["Title ID", code(title.titleId)], ["Key URI", title.keyUriTemplate && code(title.keyUriTemplate)], ["Added", time(title.created)], ["Changed", time(title.updated)]]),
      isAllowed("content") && h("div.actions", null, h("button.danger", { type: "button", onclick: deleteTitle }, "Delete title"))),
    tracks.map((track, index) => h("section.card", null, h("h2", null, `Track ${track.name} `, badge(track.kind)),
      h("p.note", null, "Stream ID ", code(track.streamId), track.policy && [" · policy ", h("a", { href: `#/policies/${part(track.policy)}` }, track.policy)]),
      periods[index].length ? keyTable(periods[index], () => showTitle({ main, signal }, name)) : h("p.note", null, "This track has no key yet."))),
    !tracks.length && empty("No tracks yet", "A title without tracks has no keys that devices can request."));
}
