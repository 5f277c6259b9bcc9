// The rentals of all accounts.

import { isAllowed, part, remove } from "./api.js";
import { account, asset, client, title } from "./cells.js";
import { code, confirm, countdown, empty, fill, h, head, time, toast } from "./dom.js";
import { listing } from "./list.js";

export default {
  path: "rentals",
  title: "Rentals",
  async show({ main, signal }) {
    const rentals = rentalList({ signal });
    fill(main, head("Rentals", "Rentals that have started: a rental starts with its first license, and ends after "
        + "the duration in its policy."), h("div.card", null, rentals.element));
    await rentals.load();
  },
};

/** A rental's title or asset. */
export function subject(rental) {
  if (rental.subject?.startsWith("title:")) return title(rental.subject.slice(6));
  if (rental.subject?.startsWith("asset:")) return asset({ assetId: rental.subject.slice(6),
      assetIdHex: rental.subjectHex.slice(12) });
  return code(rental.subject ?? `0x${rental.subjectHex}`);
}

/** A list of rentals: of all accounts, or of one. */
export function rentalList({ signal, of, scope }) {
  async function deleteRental(item) {
    if (!await confirm("Delete this rental?", "The next license starts a new rental.", "Delete")) return;
    try {
      await remove(`/accounts/${part(item.account)}/rentals/${part(item.subject)}`);
      toast("The rental is deleted.");
      await rentals.load();
    } catch (error) { toast(error.message); }
  }
  const rentals = listing({
    name: "rentals", caption: "Rentals", path: of === undefined ? "/rentals" : `/accounts/${part(of)}/rentals`, scope,
      signal,
    filters: of === undefined
      ? [{ name: "account", label: "Account" }, { name: "title", label: "Title" }, { name: "asset", label: "Asset ID" }]
      : [],
    columns: [
      ...(of === undefined ? [{ title: "Account", cell: (item) => account(item.account) }] : []),
      { title: "Title or asset", cell: subject },
      { title: "Started", class: "tight", cell: (item) => time(item.start, true) },
      { title: "Ends", class: "tight",
        cell: (item) => (item.end === undefined ? "never"
          : [time(item.end), h("span.sub", null, countdown(item.end))]) },
      { title: "Device or session", cell: (item) => client(item.client) },
      ...(isAllowed("support")
        ? [{ title: "Delete", hidden: true, class: "tight", cell: (item) => item.subject
            && h("button.small.danger",
              { type: "button", "aria-label": `Delete the rental of ${item.subject}`,
                onclick: () => deleteRental(item) }, "Delete") }] : []),
    ],
    none: (isFiltered) =>
      (of !== undefined ? h("p.note", null, "The account has no rentals.") : isFiltered
      ? empty("No match", "No rental has these values.")
      : empty("No rentals yet",
        "A rental starts when a device gets the first license under a policy with a rental duration.")),
  });
  return rentals;
}
