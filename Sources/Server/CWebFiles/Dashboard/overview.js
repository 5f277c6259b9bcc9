// The overview of current activity.

import { request, list } from "./api.js";
import { bars, chart } from "./chart.js";
import { asset, deviceName, empty, fill, h, head, latency, number, outcome, outcomeName, segments, table, time } from "./dom.js";
import { listen } from "./live.js";

const slotCounts = { "5m": 300, "1h": 360, "24h": 1440 };
const words = { "5m": "the last 5 minutes", "1h": "the last hour", "24h": "the last hour" };

export default {
  path: "overview",
  title: "Overview",
  async show({ main, signal }) {
    let span = "5m";
    let activity = null;
    const rate = chart({ title: "Licenses per second", format: rounded, least: 4, series: [{ name: "issued", key: "issued", area: true }, { name: "refused", key: "refused" }, { name: "failed", key: "failed" }] });
    const times = chart({ title: "Response time", format: latency, least: 1000, series: [{ name: "median", key: "p50" }, { name: "95 %", key: "p95" }, { name: "99 %", key: "p99" }] });
    const tiles = { rate: tile("Licenses per second"), refused: tile("Refused", "in the last 5 minutes"), time: tile("Median response time", "95 % within –"), leases: tile("Active leases"), queue: tile("Queued requests") };
    const [outcomes, devices, systems, recent, others, hello] = [h("div"), h("div"), h("div"), h("div"), h("p.note"), h("div.hello")];
    fill(main,
      head("Overview", null, segments("Time range", "span", [["5m", "5 min"], ["1h", "1 h"], ["24h", "24 h"]], span, (value) => { span = value; load(); })),
      hello,
      h("dl.tiles", null, Object.values(tiles).map((one) => one.element)),
      h("div.grid", null,
        h("section.card.half", null, h("h2", null, "Licenses per second"), rate.element),
        h("section.card.half", null, h("h2", null, "Response time"), times.element),
        h("section.card.third", null, h("h2", null, "Outcomes by reason"), outcomes),
        h("section.card.third", null, h("h2", null, "Devices by class"), devices),
        h("section.card.third", null, h("h2", null, "Systems and security levels"), systems),
        h("section.card", null, h("h2", null, "Latest requests"), recent, others)));

    async function load(unattended = false) {
      activity = await request(`/activity?window=${span}`, { signal, unattended });
      draw();
      tables();
      rate.describe();
      times.describe();
    }

    function draw() {
      rate.draw(activity.slots.map((slot) => ({ time: slot.time, issued: slot.issued / activity.step, refused: slot.refused / activity.step, failed: slot.failed / activity.step })), activity.step);
      times.draw(activity.slots, activity.step);
      const last = activity.slots.slice(-Math.max(Math.round(300 / activity.step), 1));
      const sum = (key) => last.reduce((total, slot) => total + slot[key], 0);
      const all = sum("issued") + sum("refused") + sum("failed");
      if (span === "5m") {
        tiles.refused.set(all ? `${(100 * (sum("refused") + sum("failed")) / all).toFixed(1)} %` : "–", `${number(sum("refused") + sum("failed"))} of ${number(all)} in 5 min`);
        const lately = activity.slots.slice(-10);
        tiles.rate.set(rounded(lately.reduce((total, slot) => total + slot.issued, 0) / 10), "average over 10 s");
        const measured = activity.slots.findLast((slot) => slot.p50 !== undefined);
        tiles.time.set(latency(measured?.p50), `95 % within ${latency(measured?.p95)}`);
      }
    }

    function tables() {
      const none = empty("No request yet", `There was no request in ${words[span]}.`);
      fill(outcomes, activity.outcomes.length ? bars(activity.outcomes.map((one) => ({ name: one.reason ? `${outcomeName(one.outcome)}: ${one.reason}` : outcomeName(one.outcome), count: one.count, kind: one.outcome }))) : none);
      const known = activity.clients;
      fill(devices, known.length ? bars(grouped(known, (one) => deviceName(one.class))) : empty("No device yet", "Devices appear here after their first request."));
      fill(systems, known.length ? [bars(grouped(known.filter((one) => one.system !== undefined), (one) => `${deviceName(one.class)} · OS ${one.system}`)), h("h3", null, "Security level"), bars(grouped(known.filter((one) => one.level), (one) => one.level))] : empty("No system yet", "Requests contain the device's system version and security level."));
      // Do not replace the table while it contains the focus.
      if (!recent.contains(document.activeElement)) fill(recent, activity.recent.length ? table("Latest requests", columns, activity.recent.slice(0, 20)) : empty("No request yet", "Request a license, for example with ", h("code", null, "keyway device request-key --server URL --asset NAME"), ", and it appears here immediately."));
    }

    function second(event) {
      tiles.leases.set(number(event.leases), "streams with a key");
      tiles.queue.set(number(event.queue), "requests");
      others.textContent = event.omitted ? `${number(event.omitted)} more requests in the last second are counted above but not listed.` : "";
      if (!activity || span !== "5m") return;
      if (event.second.time > (activity.slots.at(-1)?.time ?? 0)) activity.slots = [...activity.slots, event.second].slice(-slotCounts[span]);
      activity.recent = [...event.recent, ...activity.recent].slice(0, 50);
      if (document.hidden) return;
      draw();
      if (event.recent.length) tables();
    }

    listen(second, signal);
    // The events do not contain the sums over the hour.
    const timer = setInterval(() => { if (!document.hidden) load(true).catch(() => {}); }, 10000);
    signal.addEventListener("abort", () => clearInterval(timer));
    await load();
    const titles = await list("/content", null, { limit: 1, signal });
    if (!titles.items.length) fill(hello, welcome());
    const state = await request("/health", { signal });
    tiles.leases.set(number(state.leases), "streams with a key");
    tiles.queue.set(number(state.queue), "requests");
  },
};

const columns = [
  { title: "Time", class: "tight", cell: (event) => time(Math.floor(event.milliseconds / 1000), true) },
  { title: "Outcome", class: "tight", cell: (event) => outcome(event.outcome, event.reason) },
  { title: "Account", cell: (event) => event.account && h("a", { href: `#/accounts/${encodeURIComponent(event.account)}` }, event.account) },
  { title: "Asset", cell: asset },
  { title: "Device", cell: (event) => event.class && [deviceName(event.class), event.osVersion && h("span.sub", null, `OS ${event.osVersion}${event.level ? ` · ${event.level}` : ""}`)] },
  { title: "Policy", cell: (event) => event.policy },
  { title: "Duration", class: "num", cell: (event) => latency(event.microseconds) },
];

function welcome() {
  return h("section.card", null, empty("Start with a title", "This server has no content keys yet. Add a title and a key, so that devices can request licenses.", h("p", null, h("a", { href: "#/content/new" }, "Add a title"))));
}

function tile(name, note = "") {
  const value = h("dd", null, "–");
  const words = h("p", null, note || "\u00a0");
  return {
    element: h("div.tile", null, h("dt", null, name), value, words),
    set(text, note) {
      if (value.textContent !== text) value.textContent = text;
      if (note && words.textContent !== note) words.textContent = note;
    },
  };
}

function rounded(value) { return value === 0 ? "0" : value < 10 ? value.toFixed(1).replace(/\.0$/, "") : number(Math.round(value)); }

function grouped(items, name) {
  const sums = new Map();
  for (const item of items) sums.set(name(item), (sums.get(name(item)) ?? 0) + item.count);
  return [...sums].map(([key, count]) => ({ name: key, count })).sort((one, other) => other.count - one.count).slice(0, 8);
}
