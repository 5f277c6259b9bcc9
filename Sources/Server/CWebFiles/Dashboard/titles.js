// Titles: the list, and one page for a title.

import { all, isAllowed, part, remove, request } from "./api.js";
import { href } from "./address.js";
import { auditList } from "./audit.js";
import { policy, title as titleCell } from "./cells.js";
import { badge, code, command, confirm, copyable, duration, empty, facts, fill, h, head, message, time,
  toast } from "./dom.js";
import { keyList } from "./keys.js";
import { listing } from "./list.js";
import { load, loadedCard } from "./load.js";
import { kindName } from "./words.js";

export default {
  path: "titles",
  title: "Titles",
  show(page) {
    const [name] = page.rest;
    return name ? showTitle(page, name) : showAll(page);
  },
};

const addLink = () => isAllowed("content") && h("a", { href: "#/new-title" }, "Add a title");

async function showAll({ main, signal }) {
  const titles = listing({
    name: "titles", caption: "Titles", path: "/titles", signal, sort: "name",
    filters: [{ name: "search", label: "Name contains" }, { name: "policy", label: "Policy" }],
    columns: [
      { title: "Title", sort: "name", cell: (title) => copyable(title.name, titleCell(title.name)) },
      { title: "Policy", cell: (title) => policy(title.policy) ?? h("span.dim", null, "default") },
      { title: "Key URI", optional: true, cell: (title) => title.keyUriTemplate && code(title.keyUriTemplate) },
      { title: "Title ID", optional: true, cell: (title) => copyable(title.titleId) },
      { title: "Added", optional: true, class: "tight", cell: (title) => time(title.created, true) },
      { title: "Changed", sort: "updated", class: "tight", cell: (title) => time(title.updated, true) },
    ],
    none: (isFiltered) => (isFiltered ? empty("No match", "No title has these values.")
      : empty("No content yet", "A title has tracks, and each track has a key. Add the first title here, or let the "
        + "packager add it while it encrypts.", h("p", null, addLink()),
        h("p", null, "On the command line: ", command("keyway-server titles add --data FOLDER --name NAME")),
          h("p", null, "Keys that belong to no title are under ", h("a", { href: "#/keys" }, "Keys"), "."))),
  });
  fill(main, head("Titles", "The titles that licenses are issued for. A title has tracks, and each track has a key.",
      addLink()), h("div.card", null, titles.element));
  await titles.load();
}

async function showTitle({ main, signal }, name) {
  const [about, tracks] = [h("div.stack"), h("div.stack")];
  const base = `/titles/${part(name)}`;
  const log = auditList({ signal, fixed: { title: name }, name: "title-requests" });
  fill(main, head(name, null, h("a", { href: "#/titles" }, "All titles")), h("div.stack", null,
    h("section.card", { "aria-label": "Title" }, about), tracks,
    loadedCard("Live channel", () => request(`/channels/${part(name)}`, { signal })
      .catch((error) => { if (error.status === 404) return null; throw error; }), showChannel, signal),
    h("section.card", null, h("h2", null, "Recent requests"), log.element)));

  async function deleteTitle() {
    if (!await confirm(`Delete ${name}?`, "A title can be deleted only if it has no tracks and keys.",
        "Delete title")) return;
    try {
      await remove(base);
      toast("The title is deleted.");
      location.hash = "#/titles";
    } catch (error) { toast(error.message); }
  }
  load(about, () => request(base, { signal }), (title) => [
    facts([["Policy", policy(title.policy) ?? "default"], ["Title ID", copyable(title.titleId)],
        ["Key URI", title.keyUriTemplate && code(title.keyUriTemplate)], ["Added", time(title.created)],
        ["Changed", time(title.updated)],
      ["Rentals", h("a", { href: href(["rentals"], { title: name }) }, "Rentals of this title")]]),
    isAllowed("content")
      && h("div.actions", null, h("button.danger", { type: "button", onclick: deleteTitle }, "Delete title")),
  ], signal);
  load(tracks, () => all(`${base}/tracks`, 500, { signal }), (items) => [
    items.isCut && message("The first 500 tracks are shown; there are more.", "warn"),
    items.length ? items.map((track) => trackCard(base, track, signal))
      : h("div.card", null, empty("No tracks yet", "A title without tracks has no keys that devices can request.")),
  ], signal);
  await log.load();
}

function trackCard(base, track, signal) {
  const keys = keyList({ signal, name: "periods", path: `${base}/tracks/${part(track.name)}/periods`,
      scope: `${track.name}.`, kind: track.kind });
  keys.load();
  return h("section.card", null, h("h2", null, `Track ${track.name} `, badge(kindName(track.kind))),
    h("p.note", null, "Stream ID ", copyable(track.streamId), track.policy && [" · policy ", policy(track.policy)]),
      keys.element);
}

function showChannel(channel) {
  if (!channel) return h("p.note", null, "No key periods are created on a schedule.");
  return facts([["Schedule", h("a", { href: href(["channels", channel.title]) }, "present and next keys")],
      ["Tracks", channel.tracks.join(", ")],
      ["State", channel.paused ? badge("paused", "warn") : badge("creates periods", "good")],
      ["Duration of a period", duration(channel.length)], ["Created ahead", duration(channel.ahead)]]);
}
