// What happened to an account, newest first: requests from the audit log, and its leases, devices, rentals and
// persistent keys.

import { change, current, href, parameters } from "./address.js";
import { all, part, request } from "./api.js";
import { asset, client, device, outcome } from "./cells.js";
import { duration, empty, fill, h, number, segments } from "./dom.js";
import { filterForm } from "./filters.js";
import { failure } from "./load.js";
import { subject } from "./rentals.js";
import { describe, deviceName } from "./words.js";

/** The number of events that are shown at first, and that each button adds. */
const pageSize = 50;
/** The most entries of the log that are read for one page, when few of them are of the chosen kind. */
const reach = 5000;

const choices = [["all", "Everything"], ["refusals", "Refusals"], ["licenses", "Licenses"],
  ["other", "Devices, leases, rentals, keys"]];
const times = [{ name: "from", label: "From", isTime: true }, { name: "until", label: "Until", isTime: true }];

const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "long", year: "numeric", month: "long", day: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB",
  { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

/** The timeline of an account. The kind of events and the time are in the address. */
export function timeline({ signal, account }) {
  const place = h("div");
  const status = h("p.note", { role: "status" });
  const parameter = (name) => current().query.get(name) ?? "";
  const kind = () => (choices.some(([value]) => value === parameter("show")) ? parameter("show") : "all");
  let running = new AbortController();

  function go(changes) {
    change(changes);
    return load();
  }

  async function load(count = pageSize) {
    running.abort();
    running = new AbortController();
    const own = AbortSignal.any([signal, running.signal]);
    place.setAttribute("aria-busy", "true");
    status.textContent = "Loading…";
    try {
      const shown = kind();
      const range = { from: seconds(parameter("from")), until: seconds(parameter("until")) };
      const [log, states] = await Promise.all([
        shown === "other" ? { events: [], next: null } : requests(account, shown, range, count, own),
        shown === "all" || shown === "other" ? stateEvents(account, own) : [],
      ]);
      // Older states than the oldest entry follow when older entries are loaded.
      const oldest = log.next === null ? -Infinity : log.oldest;
      const inRange = (event) => event.time >= Math.max(oldest, range.from ?? -Infinity)
        && event.time < (range.until ?? Infinity) && event.time * 1000 <= Date.now();
      const events = [...log.events, ...states.filter(inRange)].sort((one, other) => other.time - one.time);
      const counted = events.length === 1 ? "1 event" : `${number(events.length)} events`;
      const order = log.next === null ? "." : ", newest first; there are older ones.";
      status.textContent = events.length ? counted + order : "";
      fill(place, events.length ? days(events)
        : empty("No events", log.next === null
          ? "Nothing of this kind is recorded for the account at this time. Account names are case-sensitive."
          : "The latest entries have nothing of this kind."),
        log.next !== null
          && h("div.more", null,
          h("button", { type: "button", onclick: () => load(count + pageSize) }, "Older events")));
    } catch (error) {
      if (own.aborted) return;
      if (error.status === undefined) console.error(error);
      fill(status);
      fill(place, failure(error, () => load(count)));
    } finally {
      place.removeAttribute("aria-busy");
    }
  }

  const form = filterForm("Timeline", times, parameter, (values) => go(values));
  const element = h("div.list", null,
    segments("Events to show", "timeline-kind", choices, kind(),
      (value) => go({ show: value === "all" ? null : value })), form, status, place);
  return { element, load };
}

/** Returns the Unix seconds of a parameter, undefined without a valid one. */
function seconds(text) {
  if (!text) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Date.parse(text) / 1000;
  return Number.isNaN(value) ? undefined : value;
}

/** Reads the requests of the account until there are enough of the chosen kind. */
async function requests(account, kind, { from, until }, count, signal) {
  const events = [];
  let [next, read, oldest] = [null, 0, Infinity];
  do {
    const query = parameters({ account, from, until, limit: 100, before: next });
    const page = await request(`/audit?${query}`, { signal });
    for (const entry of page.items) {
      const { isRefusal } = describe(entry);
      const isLicense = !isRefusal && !entry.outcome.startsWith("admin-");
      if (kind === "refusals" ? isRefusal : kind === "licenses" ? isLicense : true) events.push(entryEvent(entry));
    }
    read += page.items.length;
    oldest = page.oldest === null ? oldest : page.oldest / 1000;
    next = page.next;
  } while (next !== null && events.length < count && read < reach);
  return { events, next, oldest };
}

function entryEvent(entry) {
  const { words, isRefusal } = describe(entry);
  const time = entry.milliseconds / 1000;
  return {
    time,
    badge: outcome(entry),
    what: [words ? `${words} ` : entry.outcome.startsWith("admin-") ? "" : "A key was issued. ", isRefusal
      && entry.detail && h("span.sub", null, sentence(entry.detail)), !isRefusal && entry.outcome.startsWith("admin-")
      && entry.detail],
    more: [entry.assetIdHex !== undefined && asset(entry), entry.deviceClass && deviceName(entry.deviceClass),
      entry.device && device(entry.device),
      entry.outcome === "streams-exceeded"
        && h("a", { href: href(["audit"],
            { account: entry.account, from: Math.floor(time) - 3600, until: Math.floor(time) + 1 }) },
        "Requests of the hour before"),
      entry.requestId && h("a", { href: href(["audit"], { request: entry.requestId }) }, "Entry")],
  };
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

/** Returns the events of the account's leases, devices, rentals and persistent keys. */
async function stateEvents(account, signal) {
  const base = `/accounts/${part(account)}`;
  const [leases, devices, rentals, licenses] = await Promise.all([
    all(`/leases?account=${part(account)}`, 500, { signal }), ...["devices", "rentals", "licenses"]
      .map((name) => all(`${base}/${name}`, 500, { signal }))]);
  const event = (time, name, what, ...more) => time !== undefined
    && { time, badge: h("span.badge", null, name), what, more };
  return [
    ...leases.flatMap((one) =>
      [event(one.since, "lease", "A stream started.", asset(one), client(one.client)),
        event(one.ended, "lease", "An administrator ended the stream.", asset(one), client(one.client))]),
    ...devices.map((one) =>
      event(one.firstSeen, "device", `A device was added: ${deviceName(one.deviceClass) ?? "unknown"}.`,
        device(one.device))),
    ...rentals.flatMap((one) =>
      [event(one.start, "rental",
          ["A rental started", one.end !== undefined && ` for ${duration(one.end - one.start)}`, "."], subject(one),
          client(one.client)), event(one.end, "rental", "The rental ended.", subject(one))]),
    ...licenses.flatMap((one) =>
      [event(one.granted, "offline key", "A persistent key was issued.", asset(one), device(one.device)),
        event(one.firstPlaySeen, "offline key", "A report showed the first playback.", asset(one), device(one.device)),
      event(one.ended, "offline key", `The persistent key ended: ${one.end}.`, asset(one), device(one.device)),
        one.end === undefined
        && event(one.until, "offline key", "The persistent key expired.", asset(one), device(one.device))]),
  ].filter(Boolean);
}

/** The events as one list for each day. */
function days(events) {
  const groups = [];
  for (const event of events) {
    const day = dayName.format(event.time * 1000);
    if (groups.at(-1)?.day !== day) groups.push({ day, events: [] });
    groups.at(-1).events.push(event);
  }
  return groups.map(({ day, events }) => [h("h3", null, day), h("ol.timeline", null, events.map((event) => h("li", null,
    h("time", { datetime: new Date(event.time * 1000).toISOString() }, clock.format(event.time * 1000)),
      h("div.kind", null, event.badge),
    h("div.what", null, event.what,
      h("div.about", null, event.more.filter(Boolean).map((one) => h("span", null, one)))))))]);
}
