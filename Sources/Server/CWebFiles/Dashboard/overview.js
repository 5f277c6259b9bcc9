// The overview: the activity of the last minutes, live; or the history of all servers of the store.

import { change, current, href, parameters } from "./address.js";
import { list, request } from "./api.js";
import { bars, chart } from "./chart.js";
import { account, asset, outcome, policy, system } from "./cells.js";
import { empty, fill, h, head, latency, number, segments, table, time, timeZone } from "./dom.js";
import { filterForm } from "./filters.js";
import { listen } from "./live.js";
import { failure, load } from "./load.js";
import { classChoices, describe, deviceName } from "./words.js";

/** The ranges that are in the memory of the server: the number of slots. */
const live = { "5m": 300, "1h": 360 };
/** The ranges of the history: seconds. */
const past = { "24h": 86_400, "7d": 7 * 86_400, "30d": 30 * 86_400 };
const ranges = [["5m", "5 min"], ["1h", "1 h"], ["24h", "24 h"], ["7d", "7 days"], ["30d", "30 days"]];
const names = { "5m": "the last 5 minutes", "1h": "the last hour", "24h": "the last 24 hours", "7d": "the last 7 days",
  "30d": "the last 30 days" };
const filters = [
  { name: "from", label: "From", isTime: true }, { name: "until", label: "Until", isTime: true },
  { name: "title", label: "Title" }, { name: "class", label: "Class of device", choices: classChoices },
];

export default {
  path: "overview",
  title: "Overview",
  async show({ main, signal }) {
    const parameter = (name) => current().query.get(name) ?? "";
    const tiles = { rate: tile("Licenses"), refused: tile("Refused or failed"), time: tile("Median response time"),
      leases: tile("Active leases"), queue: tile("Queued requests") };
    const [place, hello] = [h("div"), h("div.hello")];
    const isFiltered = () => filters.some((one) => parameter(one.name) !== "");
    const range = () =>
      (isFiltered() && !parameter("range") ? "24h" : names[parameter("range")] ? parameter("range") : "5m");
    const isLive = () => range() in live && !isFiltered();
    let view = null;

    function go(changes) {
      change(changes);
      return show();
    }
    const choice = segments("Time range", "range", ranges, range(),
      (value) => go({ range: value === "5m" ? null : value, from: null, until: null,
          ...(value in live ? { title: null, class: null } : {}) }));
    fill(main, head("Overview", null, choice), hello,
      h("dl.tiles", null, Object.values(tiles).map((one) => one.element)),
      h("details.card", { open: isFiltered() }, h("summary", null, "Other times, a title, or a class of device"),
        filterForm("Activity", filters, parameter,
          (values) => go({ ...values, range: values.from || values.until ? null : range() in live ? null : range() }))),
        place);

    function fetch(unattended) {
      if (isLive()) return request(`/activity?window=${range()}`, { signal, unattended });
      const now = Math.floor(Date.now() / 1000);
      const until = parameter("until") || String(now);
      const from = parameter("from") || String(Number(until) - past[range() in past ? range() : "24h"]);
      return request(
        `/activity/history?${parameters({ from, until, title: parameter("title"), class: parameter("class") })}`,
        { signal, unattended });
    }

    async function show() {
      view = null;
      await load(place, () => fetch(false), (activity) => {
        view = isLive() ? liveView(range(), activity, tiles)
          : historyView(activity,
          { tiles, title: parameter("title"), name: parameter("from") || parameter("until") ? "this time"
            : names[range()] });
        return view.element;
      }, signal);
      view?.draw();
    }

    listen((event) => {
      tiles.leases.set(number(event.leases), "streams with a key");
      tiles.queue.set(number(event.queue), "requests");
      view?.second?.(event);
    }, signal);
    // The events do not contain the sums.
    let isUpdating = false;
    const timer = setInterval(async () => {
      if (document.hidden || isUpdating || !view) return;
      isUpdating = true;
      const own = view;
      try {
        const activity = await fetch(true);
        if (own === view) view.update(activity);
      } catch (error) {
        if (!signal.aborted && own === view) own.fail(error, show);
      } finally {
        isUpdating = false;
      }
    }, 10_000);
    signal.addEventListener("abort", () => clearInterval(timer));
    await show();
    try {
      const content = await list("/content", null, { limit: 1, signal });
      if (!content.items.length) fill(hello, welcome());
    } catch (error) {
      // Without the list, only the welcome is missing; the rest of the page says that the server does not answer.
      if (error.status === undefined && !signal.aborted) throw error;
    }
  },
};

/** Opens the entries of a slot in the audit log. */
const opener = (values) => (from, until) => { location.hash = href(["audit"], { from, until, ...values }); };

/** The two charts; `unit` is the time of the rates: per second, or per minute. */
function charts(open, unit) {
  const seconds = unit === "second" ? 1 : 60;
  return {
    rate: chart({ title: `Licenses per ${unit}`, format: rounded, least: 4, open,
        series: [{ name: "issued", key: "issued", area: true }, { name: "refused", key: "refused" },
          { name: "failed", key: "failed" }] }),
    times: chart({ title: "Response time", format: latency, least: 1000, open,
        series: [{ name: "median", key: "p50" }, { name: "95 %", key: "p95" }, { name: "99 %", key: "p99" }] }),
    draw({ slots, step }) {
      this.rate.draw(slots.map((slot) =>
          ({ time: slot.time, issued: slot.issued * seconds / step, refused: slot.refused * seconds / step,
              failed: slot.failed * seconds / step })), step);
      this.times.draw(slots, step);
    },
  };
}

const zoneNote = (text) =>
  h("p.note", null,
  `${text} A click, or Enter, on a chart opens the entries of that time in the audit log. Times: ${timeZone()}.`);

/** The bars of outcomes; a refusal links to its entries. */
function outcomeBars(outcomes, times) {
  return bars(outcomes.map((one) => {
    const { name, isRefusal } = describe(one);
    return { name, count: one.count, kind: one.outcome, href: isRefusal && one.reason
      ? href(["audit"], { reason: one.reason, ...times }) : undefined };
  }));
}

/** Shows the sums of a time in the tiles; of the last minutes, the rate is that of the last ten seconds. */
function showSums(tiles, { slots, step }, name) {
  const sum = (key, some = slots) => some.reduce((total, slot) => total + slot[key], 0);
  const all = sum("issued") + sum("refused") + sum("failed");
  const rejected = sum("refused") + sum("failed");
  tiles.refused.set(all ? `${(100 * rejected / all).toFixed(1)} %` : "–",
    `${number(rejected)} of ${number(all)}, ${name}`);
  if (step === 1) tiles.rate.set(`${rounded(sum("issued", slots.slice(-10)) / 10)}/s`, "average over 10 s");
  else tiles.rate.set(number(sum("issued")), `issued, ${name}`);
  const measured = slots.findLast((slot) => slot.p50 !== undefined);
  tiles.time.set(latency(measured?.p50), measured ? `95 % within ${latency(measured.p95)}, latest`
    : `no request, ${name}`);
}

/** The last minutes, with an update every second. */
function liveView(span, activity, tiles) {
  const [outcomes, devices, systems, recent, others, failed] = [h("div"), h("div"), h("div"), h("div"), h("p.note"),
    h("div")];
  const pair = charts(opener({}), "second");
  const { rate, times } = pair;
  const element = h("div.stack", null, failed, zoneNote("Of this server, since its start at most."), h("div.grid", null,
    h("section.card.half", null, h("h2", null, "Licenses per second"), rate.element),
    h("section.card.half", null, h("h2", null, "Response time"), times.element),
    h("section.card.third", null, h("h2", null, "Outcomes by reason"), outcomes),
    h("section.card.third", null, h("h2", null, "Devices by class"), devices),
    h("section.card.third", null, h("h2", null, "Systems and security levels"), systems),
    h("section.card", null, h("h2", null, "Latest requests"), recent, others)));

  function draw() {
    pair.draw(activity);
    showSums(tiles, activity, names[span].replace("the ", ""));
  }

  function tables() {
    fill(outcomes, activity.outcomes.length ? outcomeBars(activity.outcomes, { from: activity.slots[0]?.time })
      : empty("No request yet", `There was no request in ${names[span]}.`));
    const known = activity.clients;
    fill(devices, known.length ? bars(grouped(known, (one) => deviceName(one.class)))
      : empty("No device yet", "Devices appear here after their first request."));
    fill(systems, known.length
      ? [bars(grouped(known.filter((one) => one.system !== undefined),
            (one) => `${deviceName(one.class)} · OS ${one.system}`)), h("h3", null, "Security level"),
        bars(grouped(known.filter((one) => one.level), (one) => one.level))]
      : empty("No system yet", "Requests contain the device's system version and security level."));
    // Do not replace the table while it contains the focus.
    if (!recent.contains(document.activeElement)) fill(recent, activity.recent.length
      ? table("Latest requests", columns, activity.recent.slice(0, 20))
      : empty("No request yet", "A request appears here immediately."));
    fill(failed);
  }

  return {
    element,
    draw() { draw(); tables(); },
    update(newActivity) { activity = newActivity; draw(); tables(); },
    fail(error, retry) { fill(failed, failure(error, retry)); },
    second(event) {
      others.textContent = event.omitted
        ? `${number(event.omitted)} more requests in the last second are counted above but not listed.` : "";
      if (span !== "5m") return;
      if (event.second.time > (activity.slots.at(-1)?.time ?? 0)) activity.slots = [...activity.slots, event.second]
        .slice(-live[span]);
      activity.recent = [...event.recent, ...activity.recent].slice(0, 50);
      if (document.hidden) return;
      draw();
      if (event.recent.length) tables();
    },
  };
}

/** The history of all servers of the store. */
function historyView(activity, { tiles, title, name }) {
  const [outcomes, devices, failed] = [h("div"), h("div"), h("div")];
  const pair = charts(opener({ title }), "minute");
  const { rate, times } = pair;
  const element = h("div.stack", null, failed,
    zoneNote("Of all servers of the store, also before the last start; a minute appears when it has ended."),
    h("div.grid", null,
    h("section.card.half", null, h("h2", null, "Licenses per minute"), rate.element),
    h("section.card.half", null, h("h2", null, "Response time"), times.element),
    h("section.card.half", null, h("h2", null, "Outcomes by reason"), outcomes),
    h("section.card.half", null, h("h2", null, "Devices by class"), devices)));
  function draw() {
    pair.draw(activity);
    showSums(tiles, activity, name.replace("the ", ""));
    const range = { from: activity.slots[0]?.time, until: activity.slots.length ? activity.slots.at(-1).time
      + activity.step : undefined, title };
    const none = empty("No request", `There was no request in ${name}.`);
    fill(outcomes, activity.outcomes.length ? outcomeBars(activity.outcomes, range) : none);
    fill(devices, activity.classes.length
      ? bars(activity.classes.map((one) => ({ name: deviceName(one.class), count: one.count })))
      : empty("No device", title ? "The history of a title does not contain classes of devices."
        : `There was no request in ${name}.`));
    fill(failed);
  }
  return { element, draw, update(newActivity) { activity = newActivity; draw(); },
    fail(error, retry) { fill(failed, failure(error, retry)); } };
}

const columns = [
  { title: "Time", class: "tight", cell: (event) => time(Math.floor(event.milliseconds / 1000), true) },
  { title: "Outcome", class: "tight", cell: (event) => outcome(event) },
  { title: "Account", cell: (event) => account(event.account) },
  { title: "Asset", cell: asset },
  { title: "Device", cell: system },
  { title: "Policy", cell: (event) => policy(event.policy) },
  { title: "Duration", class: "num", cell: (event) => latency(event.microseconds) },
];

function welcome() {
  return h("section.card", null,
    empty("Start with a title",
      "This server has no content keys yet. Add a title and a key, so that devices can request licenses.",
      h("p", null, h("a", { href: "#/new-title" }, "Add a title"))));
}

function tile(name) {
  const value = h("dd", null, "–");
  const words = h("dd.words", null, "\u00a0");
  return {
    element: h("div.tile", null, h("dt", null, name), value, words),
    set(text, note) {
      if (value.textContent !== text) value.textContent = text;
      if (note && words.textContent !== note) words.textContent = note;
    },
  };
}

function rounded(value) { return value === 0 ? "0" : value < 0.1 ? value.toFixed(3) : value < 10 ? value.toFixed(1)
  .replace(/\.0$/, "") : number(Math.round(value)); }

function grouped(items, name) {
  const sums = new Map();
  for (const item of items) sums.set(name(item), (sums.get(name(item)) ?? 0) + item.count);
  return [...sums].map(([key, count]) => ({ name: key, count })).sort((one, other) => other.count - one.count)
    .slice(0, 8);
}
