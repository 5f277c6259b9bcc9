// Live channels: the schedules by which key periods are created.

import { title } from "./cells.js";
import { badge, command, duration, empty, fill, h, head, time } from "./dom.js";
import { listing } from "./list.js";

export default {
  path: "channels",
  title: "Live channels",
  async show({ main, signal }) {
    const channels = listing({
      name: "channels", caption: "Live channels", path: "/channels", signal, sort: "name",
      filters: [{ name: "search", label: "Name contains" }],
      columns: [
        { title: "Title", sort: "name", cell: (channel) => title(channel.title) },
        { title: "Tracks", cell: (channel) => channel.tracks.join(", ") },
        { title: "State", class: "tight",
          cell: (channel) => (channel.paused ? badge("paused", "warn") : badge("creates periods", "good")) },
        { title: "Duration of a period", class: "tight", cell: (channel) => duration(channel.length) },
        { title: "Created ahead", class: "tight", cell: (channel) => duration(channel.ahead) },
        { title: "Start", optional: true, class: "tight", cell: (channel) => channel.start && time(channel.start) },
        { title: "Changed", class: "tight", cell: (channel) => time(channel.updated, true) },
      ],
      none: (isFiltered) =>
        (isFiltered ? empty("No match", "No channel has this name.")
        : empty("No live channels", "A channel creates the key periods of a title's tracks ahead of time.",
          h("p", null, "On the command line: ",
            command("keyway-server channels add --data FOLDER --title NAME --track NAME --length 10m --ahead 2h")))),
    });
    fill(main, head("Live channels", "Schedules by which the servers create key periods ahead of time. Schedules in "
        + "a server's configuration are not listed here."), h("div.card", null, channels.element));
    await channels.load();
  },
};
