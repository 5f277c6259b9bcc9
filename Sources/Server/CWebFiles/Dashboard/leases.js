// Active leases.

import { isAllowed, part, remove } from "./api.js";
import { account, asset, client } from "./cells.js";
import { badge, code, confirm, countdown, empty, fill, h, head, time, toast } from "./dom.js";
import { listing } from "./list.js";
import { listen } from "./live.js";

export default {
  path: "leases",
  title: "Active leases",
  async show({ main, signal }) {
    const leases = leaseList({ signal });
    fill(main, head("Active leases", "Streams that currently have a key, and the time until it expires. An ended "
        + "lease gets no more keys. It counts against the limit until the device's key expires."),
      h("div.card", null, leases.element));
    await leases.load();
    let known = null;
    listen((event) => {
      const isChange = event.recent.length || (known !== null && event.leases !== known);
      if (event.leases !== undefined) known = event.leases;
      if (isChange && !document.hidden && !document.querySelector("dialog[open], details.menu-button[open]")
        && !leases.element.contains(document.activeElement)) leases.load(true);
    }, signal);
  },
};

/** A list of leases: of all accounts, or of one. */
export function leaseList({ signal, of, scope }) {
  async function end(lease) {
    if (!await confirm("End this lease?",
        `${lease.account} gets no more keys at ${lease.client}. Playback stops when the device's key expires.`,
        "End lease")) return;
    try {
      await remove(`/leases/${part(lease.account)}/${part(lease.client)}`);
      toast("The lease has ended.");
      await leases.load();
    } catch (error) { toast(error.message); }
  }
  const leases = listing({
    name: "leases", caption: "Active leases", path: "/leases", scope, signal, fixed: of === undefined ? {}
      : { account: of },
    filters: of === undefined
      ? [{ name: "account", label: "Account" }, { name: "asset", label: "Asset ID" },
      { name: "device", label: "Device", hint: "32 hexadecimal digits." }] : [],
    columns: [
      ...(of === undefined ? [{ title: "Account", cell: (lease) => account(lease.account) }] : []),
      { title: "Asset", cell: asset },
      { title: "Device or session", cell: (lease) => client(lease.client) },
      { title: "Purpose", class: "tight",
        cell: (lease) => (lease.ended ? badge("ended", "warn")
          : badge(lease.purpose, lease.purpose === "playback" ? "good" : null)) },
      { title: "Since", class: "tight", cell: (lease) => time(lease.since, true) },
      { title: "Time left", class: "num", cell: (lease) => countdown(lease.until) },
      ...(isAllowed("support")
        ? [{ title: "End", hidden: true, class: "tight", cell: (lease) => !lease.ended
            && h("button.small.danger",
              { type: "button", "aria-label": `End the lease of ${lease.account} at ${lease.client}`,
                onclick: () => end(lease) }, "End") }] : []),
    ],
    none: (isFiltered) =>
      (of !== undefined ? h("p.note", null, "No stream has a key at the moment.") : isFiltered
      ? empty("No match", "No active lease has these values.")
      : empty("No active lease", "A lease starts when a device gets a key under a policy with a lease.",
        h("p", null, "Add a ", code("lease"), " such as ", code("PT10M"), " to a policy in ",
          h("a", { href: "#/policies" }, "Policies"), "."))),
  });
  return leases;
}
