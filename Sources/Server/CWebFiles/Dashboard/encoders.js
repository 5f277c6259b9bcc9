// The requests of encoders and of players for keys outside of FairPlay: SPEKE, Clear Key and AES-128.

import { href } from "./address.js";
import { request } from "./api.js";
import { auditList } from "./audit.js";
import { title } from "./cells.js";
import { badge, command, empty, fill, h, head, message, number, table, time } from "./dom.js";
import { loadedCard } from "./load.js";

export default {
  path: "encoders",
  title: "Encoders",
  async show({ main, signal }) {
    const answered = auditList({ signal, fixed: { outcome: "admin-speke" }, name: "encoders" });
    const keys = auditList({ signal, fixed: { route: "/keys/{kid}" }, scope: "keys.", name: "aes-128" });
    fill(main, head("Encoders",
        "Which encoders and packagers got keys by SPEKE, for which titles, and why requests failed."),
      h("div.stack", null,
        loadedCard("By encoder and title", () => request("/encoders", { signal }), summary, signal),
        h("section.card", null, h("h2", null, "Answered requests"),
          h("p.note", null, "From the audit log, of all servers. It has the keys that each request created."),
          answered.element),
        h("section.card", null, h("h2", null, "AES-128 keys"),
          h("p.note", null,
            "Who got keys from /keys unprotected, or was refused: players for which a policy allows it, or "
            + "packagers. ", h("a", { href: href(["audit"], { route: "/clearkey" }) }, "Clear Key licenses"),
          " are in the audit log."), keys.element)));
    await Promise.all([answered.load(), keys.load()]);
  },
};

const columns = [
  { title: "Encoder", cell: (one) => h("span.short", null, one.encoder) },
  { title: "Title", cell: (one) => title(one.title) ?? h("span.dim", null, "not in the request") },
  { title: "Last request", class: "tight", cell: (one) => time(one.last, true) },
  { title: "Answered", class: "num", cell: (one) => number(one.answered) },
  { title: "Keys", class: "num", cell: (one) => number(one.keys) },
  { title: "Created", class: "num", cell: (one) => number(one.created) },
  { title: "Failed", class: "num", cell: (one) => (one.failed ? badge(number(one.failed), "bad") : "0") },
  { title: "Last failure", cell: ({ lastFailure: failure }) => failure && [badge(failure.reason, "bad"), " ",
    time(failure.time, true), h("div.sub", null, failure.detail)] },
];

/** The number of encoders and titles that are listed, those with the latest request. */
const listed = 100;

function summary({ items }) {
  if (!items.length) {
    return empty("No request yet", "No encoder has asked this server for keys since it started.",
      h("p", null, "Create a token for an encoder under ", h("a", { href: "#/tokens" }, "Tokens and sign-ins"),
        ", or on the command line: ", command("keyway-server tokens add --data FOLDER --name NAME --role ROLE")));
  }
  const failing = items.filter((one) => one.lastFailure && one.lastFailure.time === one.last).length;
  const words = failing === 1 ? "The last request of one of these failed."
    : `The last request of ${number(failing)} of these failed.`;
  return [
    h("p.note", null, "Of this server, since its start."),
    failing > 0 && message(`${words} The column Last failure says what to correct.`, "warn"),
    table("Requests by encoder and title", columns, items.slice(0, listed), { isRegion: true }),
    items.length > listed && h("p.note", null, `The ${listed} with the latest requests are listed, of `
      + `${number(items.length)}.`),
  ];
}
