// The server's health, and the expiry of its certificates.

import { request } from "./api.js";
import { badge, duration, empty, facts, fill, h, head, latency, message, number, table, time } from "./dom.js";
import { failure, load } from "./load.js";

export default {
  path: "health",
  title: "Health",
  async show({ main, signal }) {
    const place = h("div.grid");
    fill(main, head("Health"), place);
    let isRunning = false;
    async function update() {
      if (document.hidden || isRunning) return;
      isRunning = true;
      try {
        const state = await request("/health", { signal, unattended: true });
        if (!signal.aborted) fill(place, content(state));
      } catch (error) {
        if (!signal.aborted) fill(place, failure(error, () => load(place, fetch, content, signal)));
      } finally {
        isRunning = false;
      }
    }
    const fetch = () => request("/health", { signal });
    const timer = setInterval(update, 10_000);
    signal.addEventListener("abort", () => clearInterval(timer));
    await load(place, fetch, content, signal);
  },
};

function content(state) {
  const soonest = [...(state.certificates ?? []), ...(state.tls ? [state.tls] : [])]
    .filter((one) => one.daysLeft !== undefined).sort((one, other) => one.daysLeft - other.daysLeft)[0];
  return [
    h("section.card.half", null,
      h("h2", null, "Server ", state.ready ? badge("ready", "good") : badge("not ready", "bad")), facts([
      ["Failing checks", state.failing.join(", ")],
        ["Mode", state.development ? badge("development", "warn") : "production"],
        ["Uptime", duration(state.now - state.started)], ["Since", time(state.started)],
      ["Queued requests", number(state.queue)], ["Active leases", number(state.leases)],
        ["Dashboards open", number(state.listeners)], ["Sessions", number(state.sessions)]])),
    h("section.card.half", null,
      h("h2", null, "Store ", state.store.available ? badge("responds", "good") : badge("does not respond", "bad")),
      facts([["Read latency", latency(state.store.microseconds)],
          ["Next certificate to expire", soonest && days(soonest.daysLeft)]])),
    h("section.card", null, h("h2", null, "Certificates"), state.certificates === undefined
      ? message("The certificates cannot be read.", "bad") : state.certificates.length || state.tls
      ? table("Certificates", [
      { title: "Name", cell: (one) => one.name },
        { title: "For", class: "tight", cell: (one) => (one.kind === "TLS" ? "TLS" : `FairPlay, ${one.kind}`) },
        { title: "Subject", cell: (one) => one.subject },
      { title: "Expires", class: "tight", cell: (one) => time(one.notAfter) },
        { title: "Days left", class: "num", cell: (one) => days(one.daysLeft) },
    ], [...state.certificates, ...(state.tls ? [{ name: "listener", kind: "TLS", ...state.tls }] : [])])
      : empty("No certificate", h("p", null, h("a", { href: "#/certificates" }, "How to add one"))))];
}

function days(count) {
  if (count === undefined) return "–";
  if (count < 0) return badge("expired", "bad");
  return badge(`${number(count)} ${count === 1 ? "day" : "days"}`, count < 14 ? "bad" : count < 45 ? "warn" : "good");
}
