// Keys that devices keep, with both of their expiries: a table that two pages show.

import { may, part, remove } from "./api.js";
import { asset, badge, code, confirm, countdown, duration, h, table, time, toast } from "./dom.js";

const now = () => Date.now() / 1000;

/** How a kept key stands. */
function state(licence) {
  if (licence.end) return badge(licence.end, licence.end === "revoked" ? "bad" : "warn");
  if (licence.until !== undefined && licence.until <= now()) return badge("run out", "warn");
  if (licence.storageUntil !== undefined && licence.firstPlaySeen === undefined && licence.storageUntil <= now()) return badge("storage over", "warn");
  return badge(licence.firstPlaySeen ? "played" : "kept", "good");
}

export function licenceTable(licences, changed, withAccount = true) {
  async function revoke(licence) {
    if (!await confirm("Revoke this licence?", "The key is given no more. The device keeps it until it runs out.", "Revoke")) return;
    try {
      await remove(`/accounts/${part(licence.account)}/licenses/${licence.device}/${licence.streamId}`);
      toast("The licence is revoked.");
      changed();
    } catch (error) { toast(error.message); }
  }
  return table("Offline licences", [
    ...(withAccount ? [{ title: "Account", cell: (licence) => h("a", { href: `#/accounts/${part(licence.account)}` }, licence.account) }] : []),
    { title: "Asset", cell: (licence) => [asset(licence), h("span.sub", null, "stream ", code(licence.streamId))] },
    { title: "Device", cell: (licence) => code(licence.device) },
    { title: "State", class: "tight", cell: state },
    { title: "Granted", class: "tight", cell: (licence) => time(licence.granted, true) },
    { title: "Unplayed until", class: "tight", cell: (licence) => (licence.storageUntil === undefined ? "for ever" : [time(licence.storageUntil), h("span.sub", null, countdown(licence.storageUntil))]) },
    { title: "Once played, for", class: "tight", cell: (licence) => [licence.playback === undefined ? "ever" : duration(licence.playback), licence.until !== undefined && h("span.sub", null, "at the latest ", time(licence.until))] },
    ...(may("support") ? [{ title: "Revoke", hidden: true, class: "tight", cell: (licence) => !licence.end && h("button.small.danger", { type: "button", "aria-label": `Revoke the licence of ${licence.account} for ${licence.assetId ?? licence.assetIdHex}`, onclick: () => revoke(licence) }, "Revoke") }] : []),
  ], licences);
}
