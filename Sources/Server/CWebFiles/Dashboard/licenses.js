// Keys that devices keep, with both of their expiries: a table that two pages show.

import { may, part, remove } from "./api.js";
import { asset, badge, code, confirm, countdown, duration, h, table, time, toast } from "./dom.js";

const now = () => Date.now() / 1000;

/** How a kept key stands. */
function state(license) {
  if (license.end) return badge(license.end, license.end === "revoked" ? "bad" : "warn");
  if (license.until !== undefined && license.until <= now()) return badge("run out", "warn");
  if (license.storageUntil !== undefined && license.firstPlaySeen === undefined && license.storageUntil <= now()) return badge("storage over", "warn");
  return badge(license.firstPlaySeen ? "played" : "kept", "good");
}

export function licenseTable(licenses, changed, withAccount = true) {
  async function revoke(license) {
    if (!await confirm("Revoke this license?", "The key is given no more. The device keeps it until it runs out.", "Revoke")) return;
    try {
      await remove(`/accounts/${part(license.account)}/licenses/${license.device}/${license.streamId}`);
      toast("The license is revoked.");
      changed();
    } catch (error) { toast(error.message); }
  }
  return table("Offline licenses", [
    ...(withAccount ? [{ title: "Account", cell: (license) => h("a", { href: `#/accounts/${part(license.account)}` }, license.account) }] : []),
    { title: "Asset", cell: (license) => [asset(license), h("span.sub", null, "stream ", code(license.streamId))] },
    { title: "Device", cell: (license) => code(license.device) },
    { title: "State", class: "tight", cell: state },
    { title: "Granted", class: "tight", cell: (license) => time(license.granted, true) },
    { title: "Unplayed until", class: "tight", cell: (license) => (license.storageUntil === undefined ? "for ever" : [time(license.storageUntil), h("span.sub", null, countdown(license.storageUntil))]) },
    { title: "Once played, for", class: "tight", cell: (license) => [license.playback === undefined ? "ever" : duration(license.playback), license.until !== undefined && h("span.sub", null, "at the latest ", time(license.until))] },
    ...(may("support") ? [{ title: "Revoke", hidden: true, class: "tight", cell: (license) => !license.end && h("button.small.danger", { type: "button", "aria-label": `Revoke the license of ${license.account} for ${license.assetId ?? license.assetIdHex}`, onclick: () => revoke(license) }, "Revoke") }] : []),
  ], licenses);
}
