// The devices of all accounts.

import { isAllowed, part, remove } from "./api.js";
import { account, device } from "./cells.js";
import { confirm, empty, fill, h, head, time, toast } from "./dom.js";
import { listing } from "./list.js";
import { classChoices, deviceName } from "./words.js";

export default {
  path: "devices",
  title: "Devices",
  async show({ main, signal }) {
    const devices = deviceList({ signal });
    fill(main, head("Devices",
        "Devices that count as one of their account. A device is a keyed hash of its anonymous ID."),
      h("div.card", null, devices.element));
    await devices.load();
  },
};

/** A list of devices: of all accounts, or of one. */
export function deviceList({ signal, of, scope }) {
  async function deleteDevice(item) {
    if (!await confirm("Delete this device?",
        "Another device can then be added. The device counts again when it requests a license.", "Delete")) return;
    try {
      await remove(`/accounts/${part(item.account)}/devices/${item.device}`);
      toast("The device is deleted.");
      await devices.load();
    } catch (error) { toast(error.message); }
  }
  const devices = listing({
    name: "devices", caption: "Devices", path: of === undefined ? "/devices" : `/accounts/${part(of)}/devices`, scope,
      signal,
    filters: of === undefined
      ? [{ name: "account", label: "Account" }, { name: "device", label: "Device", hint: "32 hexadecimal digits." },
      { name: "class", label: "Class", choices: classChoices }] : [],
    columns: [
      ...(of === undefined ? [{ title: "Account", cell: (item) => account(item.account) }] : []),
      { title: "Device", cell: (item) => device(item.device) },
      { title: "Class", class: "tight", cell: (item) => deviceName(item.deviceClass) },
      { title: "First seen", class: "tight", cell: (item) => time(item.firstSeen, true) },
      { title: "Last seen", class: "tight", cell: (item) => time(item.lastSeen, true) },
      ...(isAllowed("support")
        ? [{ title: "Delete", hidden: true, class: "tight",
            cell: (item) => h("button.small.danger",
              { type: "button", "aria-label": `Delete the device ${item.device}`, onclick: () => deleteDevice(item) },
              "Delete") }] : []),
    ],
    none: (isFiltered) =>
      (of !== undefined ? h("p.note", null, "The account has no devices.") : isFiltered
      ? empty("No match", "No device has these values.")
      : empty("No devices yet",
        "A device is recorded when a policy limits the number of devices, or binds a rental to one.")),
  });
  return devices;
}
