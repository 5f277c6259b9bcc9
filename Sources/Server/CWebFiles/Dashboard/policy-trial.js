// What a policy would have decided about past requests.

import { asset, outcome } from "./cells.js";
import { badge, empty, h, table, time } from "./dom.js";
import { deviceName } from "./words.js";

/** The number of requests that a policy is tried on, and of those that are listed; the sums are of all. */
export const triedRequests = 200;
const listedRequests = 50;

const columns = [
  { title: "Request", cell: ({ request }) => [asset(request), h("span.sub", null,
    time(Math.floor(request.milliseconds / 1000), true), request.account && ` · ${request.account}`)] },
  { title: "Device", cell: ({ request }) => [deviceName(request.class), h("span.sub", null,
    request.osVersion && `OS ${request.osVersion}`, request.level && ` · ${request.level}`)] },
  { title: "Decided", cell: ({ request }) => outcome(request) },
  { title: "With this policy", cell: (item) => [
    outcome({ outcome: item.issued ? "issued" : "refused", reason: item.reason }), " ",
    item.changed && badge("differs", "warn"), h("span.sub", null, item.terms ?? item.detail)] },
];

/** Shows the result of a trial. The requests whose result differs are first. */
export function trialResult(trial) {
  const total = trial.items.length;
  if (!total) {
    return empty("No requests yet",
      "After devices have sent requests to this server, this shows how the policy would have decided about each.");
  }
  const items = [...trial.items].sort((one, other) => Number(other.changed) - Number(one.changed));
  const requests = total === 1 ? "the last request" : `the last ${total} requests`;
  return [
    h("p", null, badge(`${trial.issued} would get a key`, "good"), " ",
      badge(`${trial.refused} refused`, trial.refused ? "bad" : null), " ",
      badge(`${trial.changed} differ from the actual outcome`, trial.changed ? "warn" : null)),
    h("p.note.spaced", null, `Of ${requests} to this server, by this policy only: not merged with others, and without `
      + "the stored streams, devices and rentals."),
    table("What the policy would decide", columns, items.slice(0, listedRequests), { isRegion: true }),
    total > listedRequests && h("p.note", null, `${listedRequests} of them are listed, those that differ first.`),
  ];
}
