// Persistent keys with both of their expiries: a list that two pages use.

import { isAllowed, part, remove } from "./api.js";
import { account, asset, device } from "./cells.js";
import { badge, confirm, copyable, countdown, duration, h, time, toast } from "./dom.js";
import { listing } from "./list.js";

const now = () => Date.now() / 1000;

/** The badge with the state of a persistent key. */
function state(license) {
  if (license.end) return badge(license.end, license.end === "revoked" ? "bad" : "warn");
  if (license.until !== undefined && license.until <= now()) return badge("expired", "warn");
  if (license.storageUntil !== undefined && license.firstPlaySeen === undefined
    && license.storageUntil <= now()) return badge("storage expired", "warn");
  return badge(license.firstPlaySeen ? "played" : "stored", "good");
}

/** A list of persistent keys: of all accounts, or of one. */
export function licenseList({ signal, of, scope, none }) {
  async function revoke(license) {
    if (!await confirm("Revoke this license?",
        "The key is not issued again. The device can use its stored key until the key expires.", "Revoke")) return;
    try {
      await remove(`/accounts/${part(license.account)}/licenses/${license.device}/${license.streamId}`);
      toast("The license is revoked.");
      await licenses.load();
    } catch (error) { toast(error.message); }
  }
  const licenses = listing({
    name: "licenses", caption: "Offline licenses", path: of === undefined ? "/licenses"
      : `/accounts/${part(of)}/licenses`, scope, signal, none,
    filters: of === undefined
      ? [{ name: "account", label: "Account" }, { name: "asset", label: "Asset ID" },
      { name: "device", label: "Device", hint: "32 hexadecimal digits." },
      { name: "playable", label: "State", choices: [["true", "can still be played"]] }] : [],
    columns: [
      ...(of === undefined ? [{ title: "Account", cell: (license) => account(license.account) }] : []),
      { title: "Asset", cell: asset },
      { title: "Stream ID", optional: true, cell: (license) => copyable(license.streamId) },
      { title: "Device", cell: (license) => device(license.device) },
      { title: "State", class: "tight", cell: state },
      { title: "Granted", class: "tight", cell: (license) => time(license.granted, true) },
      { title: "Storage until",
        cell: (license) =>
        (license.storageUntil === undefined ? "unlimited"
          : [time(license.storageUntil), h("span.sub", null, countdown(license.storageUntil))]) },
      { title: "Playback duration",
        cell: (license) =>
        [license.playback === undefined ? "unlimited" : duration(license.playback), license.until !== undefined
          && h("span.sub", null, "at the latest ", time(license.until))] },
      ...(isAllowed("support")
        ? [{ title: "Revoke", hidden: true, class: "tight", cell: (license) => !license.end
            && h("button.small.danger",
              { type: "button",
                "aria-label": `Revoke the license of ${license.account} for ${license.assetId ?? license.assetIdHex}`,
                onclick: () => revoke(license) }, "Revoke") }] : []),
    ],
  });
  return licenses;
}
