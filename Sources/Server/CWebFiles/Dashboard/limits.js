// The limits of this server, their use, and how often they were reached.

import { request } from "./api.js";
import { badge, fill, h, head, number, table } from "./dom.js";
import { failure, load } from "./load.js";

export default {
  path: "limits",
  title: "Limits",
  async show({ main, signal }) {
    const place = h("div.list");
    const fetch = () => request("/limits", { signal });
    const content = ({ items }) => table("Limits", columns, items, { isRegion: true });
    fill(main, head("Limits",
        "The limits of this server since its start. A limit of each account or address has no single use."),
      h("div.card", null, place));
    let isRunning = false;
    const timer = setInterval(async () => {
      if (document.hidden || isRunning || place.contains(document.activeElement)) return;
      isRunning = true;
      try {
        const limits = await request("/limits", { signal, unattended: true });
        if (!signal.aborted) fill(place, content(limits));
      } catch (error) {
        if (!signal.aborted) fill(place, failure(error, () => load(place, fetch, content, signal)));
      } finally {
        isRunning = false;
      }
    }, 10_000);
    signal.addEventListener("abort", () => clearInterval(timer));
    await load(place, fetch, content, signal);
  },
};

const times = (count) => (count === 1 ? "once" : `${number(count)} times`);

/** The share of a limit from which its use is shown as a warning. */
const warning = 0.8;

/** The names of limits and of what they apply to. */
const names = {
  connections: "Connections", connectionsPerAddress: "Connections of an address",
  requestsPerMinuteOfAccount: "Requests per minute of an account",
  requestsPerMinuteOfAddress: "Requests per minute of an address", requestsInProgress: "License requests in progress",
  eventStreams: "Dashboards that receive live updates",
  recordedRefusalsPerMinute: "Refused requests per minute that the audit log records",
};
const subjects = {
  apps: "of the listener for apps", administration: "of the listener for administration", license: "licenses and keys",
  segment: "licenses for AirPlay and AV adapters", other: "certificates, challenges and reports",
    address: "of an address", server: "of all addresses",
};

const columns = [
  { title: "Limit", cell: (one) => [names[one.name] ?? one.name,
    one.subject && h("span.sub", null, subjects[one.subject] ?? one.subject)] },
  { title: "Maximum", class: "num", cell: (one) => (one.maximum === 0 ? "unlimited" : number(one.maximum)) },
  { title: "Use", class: "num",
    cell: (one) => (one.used === undefined ? "–" : one.maximum > 0 && one.used >= warning * one.maximum
      ? badge(number(one.used), "warn") : number(one.used)) },
  { title: "Reached", class: "num",
    cell: (one) => (one.reached === undefined ? "–" : one.reached > 0 ? badge(times(one.reached), "warn")
      : "never") },
];
