// The records of one account or one asset.

import { all, request, list, isAllowed, part, remove } from "./api.js";
import { asset, code, confirm, countdown, deviceName, empty, facts, field, fill, h, head, message, table, time, toast } from "./dom.js";
import { auditTable } from "./audit.js";
import { licenseTable } from "./licenses.js";

export default {
  path: "accounts",
  title: "Look up",
  async show({ main, rest, signal }) {
    const [first, second] = rest;
    const isAsset = first === "asset" && second !== undefined;
    const name = isAsset ? second : first;
    const account = h("input", { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200, required: true, value: isAsset ? "" : name ?? "" });
    const assetID = h("input", { type: "search", autocomplete: "off", spellcheck: "false", maxlength: 200, required: true, value: isAsset ? name : "" });
    const forms = h("div.grid", null,
      h("form.card.half.inline", { role: "search", "aria-label": "Account", onsubmit(event) { event.preventDefault(); location.hash = `#/accounts/${part(account.value.trim())}`; } }, field("Account", account), h("button", { type: "submit" }, "Look up")),
      h("form.card.half.inline", { role: "search", "aria-label": "Asset", onsubmit(event) { event.preventDefault(); location.hash = `#/accounts/asset/${part(assetID.value.trim())}`; } }, field("Asset ID", assetID), h("button", { type: "submit" }, "Look up")));
    const place = h("div.stack");
    fill(main, head("Look up", "The streams, devices, persistent keys, rentals and latest requests of an account, or the key and latest requests of an asset."), h("div.stack", null, forms, place));
    if (!name) return fill(place, empty("Look up an account or an asset", "Enter an account as it appears in your tokens, or an asset ID as it appears in the playlist's key URI."));
    try {
      await (isAsset ? showAsset(place, name, signal) : showAccount(place, name, signal));
    } catch (error) {
      if (error.name !== "AbortError") fill(place, message(error.message, "bad"));
    }
  },
};

async function showAccount(place, account, signal) {
  const base = `/accounts/${part(account)}`;
  const [leases, devices, licenses, rentals, log] = await Promise.all([
    all(`/leases?account=${part(account)}`, 500, { signal }), all(`${base}/devices`, 500, { signal }),
    all(`${base}/licenses`, 500, { signal }), all(`${base}/rentals`, 500, { signal }),
    list(`/audit?search=${part(account.slice(0, 50))}`, null, { parameter: "before", limit: 50, signal }),
  ]);
  const reload = () => showAccount(place, account, signal).catch((error) => toast(error.message));
  async function confirmRemoval(title, text, verb, path, done) {
    if (!await confirm(title, text, verb)) return;
    try { await remove(path); toast(done); reload(); } catch (error) { toast(error.message); }
  }
  const button = (verb, label, action) => h("button.small.danger", { type: "button", "aria-label": label, onclick: action }, verb);
  const column = (title, cell) => (isAllowed("support") ? [{ title, hidden: true, class: "tight", cell }] : []);
  const entries = log.items.filter((entry) => entry.account === account);
  const section = (title, items, content, none) => h("section.card", null, h("h2", null, title), items.length ? content() : h("p.note", null, none));
  if (!leases.length && !devices.length && !licenses.length && !rentals.length && !entries.length) {
    return fill(place, empty(`No records of ${account}`, "The account has had no license, or its records were deleted. Account names are case-sensitive."));
  }
  fill(place,
    section("Active leases", leases, () => table("Active leases", [
      { title: "Asset", cell: asset }, { title: "Device or session", cell: (lease) => code(lease.client) },
      { title: "Since", class: "tight", cell: (lease) => time(lease.since, true) },
      { title: "Time left", class: "num", cell: (lease) => countdown(lease.until) },
      ...column("End", (lease) => !lease.ended && button("End", `End the lease at ${lease.client}`, () => confirmRemoval("End this lease?", "Its session gets no more keys.", "End lease", `/leases/${part(account)}/${part(lease.client)}`, "The lease has ended."))),
    ], leases), "No stream has a key at the moment."),
    section("Devices", devices, () => table("Devices", [
      { title: "Device", cell: (device) => code(device.device) }, { title: "Class", cell: (device) => deviceName(device.deviceClass) },
      { title: "First seen", class: "tight", cell: (device) => time(device.firstSeen, true) }, { title: "Last seen", class: "tight", cell: (device) => time(device.lastSeen, true) },
      ...column("Delete", (device) => button("Delete", `Delete the device ${device.device}`, () => confirmRemoval("Delete this device?", "Another device can then be added. The device counts again when it requests a license.", "Delete", `${base}/devices/${device.device}`, "The device is deleted."))),
    ], devices), "The account has no devices."),
    section("Offline licenses", licenses, () => licenseTable(licenses, reload, false), "The account has no persistent keys."),
    section("Rentals", rentals, () => table("Rentals", [
      { title: "Title or asset", cell: (rental) => code(rental.subject ?? `0x${rental.subjectHex}`) },
      { title: "Started", class: "tight", cell: (rental) => time(rental.start, true) },
      { title: "Ends", class: "tight", cell: (rental) => (rental.end === undefined ? "never" : [time(rental.end), h("span.sub", null, countdown(rental.end))]) },
      { title: "Device or session", cell: (rental) => code(rental.client) },
      ...column("Delete", (rental) => rental.subject && button("Delete", `Delete the rental of ${rental.subject}`, () => confirmRemoval("Delete this rental?", "The next license starts a new rental.", "Delete", `${base}/rentals/${part(rental.subject)}`, "The rental is deleted."))),
    ], rentals), "The account has no rentals."),
    section("Latest records", entries, () => auditTable(entries), "The latest part of the audit log has no records of this account. Search the audit log for older records."));
}

async function showAsset(place, name, signal) {
  const [info, log] = await Promise.all([
    request(`/content/${part(name)}`, { signal }).catch((error) => { if (error.status === 404) return null; throw error; }),
    list(`/audit?search=${part(name.slice(0, 50))}`, null, { parameter: "before", limit: 50, signal }),
  ]);
  const entries = log.items.filter((entry) => entry.assetId === name);
  fill(place,
    info ? h("section.card", null, h("h2", null, "Content"), facts([["Asset ID", asset(info)], ["Key ID", info.keyId && code(info.keyId)], ["Track", info.track], ["Title", info.title && h("a", { href: `#/content/${part(info.title)}` }, info.title)],
      ["Policy", info.policy && h("a", { href: `#/policies/${part(info.policy)}` }, info.policy)], ["Stream ID", info.streamId && code(info.streamId)], ["Valid from", info.validFrom && time(info.validFrom)], ["Valid until", info.validUntil && time(info.validUntil)], ["Added", time(info.created)], ["Changed", time(info.updated)]]))
      : empty(`There is no key for ${name}`, h("p", null, "License requests for this asset are refused. Add a key under ", h("a", { href: "#/content/new" }, "Content"), ".")),
    h("section.card", null, h("h2", null, "Latest records"), entries.length ? auditTable(entries) : h("p.note", null, "The latest part of the audit log has no records of this asset.")));
}
