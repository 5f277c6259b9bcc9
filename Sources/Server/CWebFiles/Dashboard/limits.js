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

/** The share of a limit from which its use is shown as a warning. */
const warning = 0.8;

const columns = [
  { title: "Limit", cell: (one) => [one.name, one.subject && h("span.sub", null, one.subject)] },
  { title: "Maximum", class: "num", cell: (one) => (one.maximum === 0 ? "unlimited" : number(one.maximum)) },
  { title: "Use", class: "num",
    cell: (one) => (one.used === undefined ? "–" : one.maximum > 0 && one.used >= warning * one.maximum
      ? badge(number(one.used), "warn") : number(one.used)) },
  { title: "Reached", class: "num",
    cell: (one) => (one.reached === undefined ? "–" : one.reached > 0 ? badge(`${number(one.reached)} times`, "warn")
      : "never") },
];
