// Live channels: the schedules by which key periods are created, and the present and the next key of each track.

import { href, titleLink } from "./address.js";
import { part, request } from "./api.js";
import { asset, title } from "./cells.js";
import { badge, command, copyable, countdown, duration, empty, facts, fill, h, head, message, table,
  time } from "./dom.js";
import { listing } from "./list.js";
import { loadedCard } from "./load.js";

export default {
  path: "channels",
  title: "Live channels",
  show(page) {
    const [name] = page.rest;
    return name ? showChannel(page, name) : showAll(page);
  },
};

/** The time at which the next period of a schedule starts, in Unix seconds: periods start at multiples of the length.
 * */
function nextStart({ length, start = 0 }) {
  const now = Math.floor(Date.now() / 1000);
  return start > now ? start - start % length : now - now % length + length;
}

const state = (channel) => (channel.paused ? badge("paused", "warn") : badge("creates periods", "good"));

async function showAll({ main, signal }) {
  const channels = listing({
    name: "channels", caption: "Live channels", path: "/channels", signal, sort: "name",
    filters: [{ name: "search", label: "Name contains" }],
    columns: [
      { title: "Channel", sort: "name",
        cell: (channel) => h("a", { href: href(["channels", channel.title]) }, channel.title) },
      { title: "Tracks", cell: (channel) => channel.tracks.join(", ") },
      { title: "State", class: "tight", cell: state },
      { title: "Next key in", class: "num",
        cell: (channel) => (channel.paused ? null : countdown(nextStart(channel))) },
      { title: "Duration of a period", class: "tight", cell: (channel) => duration(channel.length) },
      { title: "Created ahead", class: "tight", cell: (channel) => duration(channel.ahead) },
      { title: "Start", optional: true, class: "tight", cell: (channel) => channel.start && time(channel.start) },
      { title: "Changed", class: "tight", cell: (channel) => time(channel.updated, true) },
    ],
    none: (isFiltered) => (isFiltered ? empty("No match", "No channel has this name.")
      : empty("No live channels", "A channel creates the key periods of a title's tracks ahead of time.",
        h("p", null, "On the command line: ",
          command("keyway-server channels add --data FOLDER --title NAME --track NAME --length 10m --ahead 2h")))),
  });
  fill(main, head("Live channels", "Schedules by which the servers create key periods ahead of time. Schedules in a "
    + "server's configuration are not listed here."), h("div.card", null, channels.element));
  await channels.load();
}

/** One page for a channel. It is loaded again when a period ends. */
async function showChannel({ main, signal }, name) {
  const path = `/channels/${part(name)}`;
  const place = h("div.stack");
  fill(main, head(name, null, h("a", { href: "#/channels" }, "All channels"),
    h("a", { href: titleLink(name) }, "The title")), place);
  let timer;
  signal.addEventListener("abort", () => clearTimeout(timer));
  function show() {
    fill(place, loadedCard("Schedule", () => request(path, { signal }), (channel) => facts([
      ["Title", title(channel.title)], ["State", state(channel)], ["Tracks", channel.tracks.join(", ")],
      ["Duration of a period", duration(channel.length)], ["Created ahead", duration(channel.ahead)],
      ["Start", channel.start && time(channel.start)], ["Changed", time(channel.updated)]]), signal),
    loadedCard("Keys", () => request(`${path}/schedule`, { signal }), (schedule) => {
      const next = Math.min(...schedule.items.map((one) => one.next.start));
      timer = setTimeout(show, Math.min(Math.max(1_000 * (next + 1) - Date.now(), 1_000), 86_400_000));
      return keys(schedule.items);
    }, signal));
  }
  show();
}

const period = ({ start, end }) => [time(start, true), " to ", time(end, true)];

/** The cell of a period: its times and its key. */
const key = (one) => one && [period(one), h("div.sub", null, one.keyId
  ? ["key ID ", copyable(one.keyId), one.assetId !== one.keyId && [" · asset ", asset(one)]]
  : badge("not created", "bad"))];

/** The periods of a schedule, with their keys if they exist. */
export function keys(items) {
  const missing = items.filter((one) => one.present && !one.present.keyId).map((one) => one.track);
  const late = items.filter((one) => !one.last.keyId && !missing.includes(one.track)).map((one) => one.track);
  return [
    missing.length > 0 && message(`There is no key for the present period of ${missing.join(", ")}: devices cannot `
      + "start to play. A running server creates it within a minute, unless the schedule is paused; the server's log "
        + "has "
      + "the reason if it cannot.", "bad"),
    late.length > 0 && message(`The last periods ahead of ${late.join(", ")} do not exist yet.`, "warn"),
    table("Present and next keys", [
      { title: "Track", cell: (one) => one.track },
      { title: "Present key", cell: (one) => key(one.present) ?? h("span.dim", null, "the channel has not started") },
      { title: "Time to rotation", class: "num", cell: (one) => countdown(one.next.start) },
      { title: "Next key", cell: (one) => key(one.next) },
      { title: "Created until", class: "tight", cell: (one) => (one.last.keyId ? time(one.last.end, true) : null) },
    ], items),
  ];
}
