// The server's health, and the expiry of its certificates.

import { request } from "./api.js";
import { badge, duration, empty, facts, fill, h, head, latency, message, number, table, time } from "./dom.js";

export default {
  path: "health",
  title: "Health",
  async show({ main, signal }) {
    const place = h("div.grid");
    fill(main, head("Health"), place);
    async function load(unattended = false) { draw(place, await request("/health", { signal, unattended })); }
    const timer = setInterval(() => { if (!document.hidden) load(true).catch((error) => { if (error.name !== "AbortError") fill(place, message(error.message, "bad")); }); }, 10000);
    signal.addEventListener("abort", () => clearInterval(timer));
    await load();
  },
};

function draw(place, state) {
  const soonest = [...(state.certificates ?? []), ...(state.tls ? [state.tls] : [])].filter((one) => one.daysLeft !== undefined).sort((one, other) => one.daysLeft - other.daysLeft)[0];
  fill(place,
    h("section.card.half", null, h("h2", null, "Server ", state.ready ? badge("ready", "good") : badge("not ready", "bad")), facts([
      ["Failing checks", state.failing.join(", ")], ["Mode", state.development ? badge("development", "warn") : "production"], ["Uptime", duration(state.now - state.started)], ["Since", time(state.started)],
      ["Queued requests", number(state.queue)], ["Active leases", number(state.leases)], ["Dashboards open", number(state.listeners)], ["Sessions", number(state.sessions)]])),
    h("section.card.half", null, h("h2", null, "Store ", state.store.available ? badge("responds", "good") : badge("does not respond", "bad")), facts([["Read latency", latency(state.store.microseconds)], ["Next certificate to expire", soonest && days(soonest.daysLeft)]])),
    h("section.card", null, h("h2", null, "Certificates"), state.certificates === undefined ? message("The certificates cannot be read.", "bad") : state.certificates.length || state.tls ? table("Certificates", [
      { title: "Name", cell: (one) => one.name }, { title: "For", class: "tight", cell: (one) => (one.kind === "TLS" ? "TLS" : `FairPlay, ${one.kind}`) }, { title: "Subject", cell: (one) => one.subject },
      { title: "Expires", class: "tight", cell: (one) => time(one.notAfter) }, { title: "Days left", class: "num", cell: (one) => days(one.daysLeft) },
    ], [...state.certificates, ...(state.tls ? [{ name: "listener", kind: "TLS", ...state.tls }] : [])]) : empty("No certificate", "Add one with keyway-server certificates add.")));
}

function days(count) {
  if (count === undefined) return "–";
  if (count < 0) return badge("expired", "bad");
  return badge(`${number(count)} ${count === 1 ? "day" : "days"}`, count < 14 ? "bad" : count < 45 ? "warn" : "good");
}
