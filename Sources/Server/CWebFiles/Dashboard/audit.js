// The audit log.

import { request } from "./api.js";
import { account, asset, client, device, legend, outcome, policy } from "./cells.js";
import { code, copyable, empty, facts, fill, h, head, latency, message, time } from "./dom.js";
import { failure } from "./load.js";
import { listing } from "./list.js";
import { deviceName, outcomeChoices, reasonChoices } from "./words.js";

/** The time that verifying the whole log may take, in milliseconds. */
const verificationDeadline = 300_000;

const filters = [
  { name: "account", label: "Account" },
  { name: "asset", label: "Asset ID" },
  { name: "title", label: "Title" },
  { name: "reason", label: "Reason of a refusal", choices: reasonChoices },
  { name: "from", label: "From", isTime: true },
  { name: "until", label: "Until", isTime: true },
  { name: "outcome", label: "Outcome", choices: outcomeChoices, isExtra: true },
  { name: "device", label: "Device", hint: "32 hexadecimal digits.", isExtra: true },
  { name: "policy", label: "Policy", isExtra: true },
  { name: "address", label: "Client address", isExtra: true },
  { name: "request", label: "Request ID", isExtra: true },
  { name: "route", label: "Route", isExtra: true },
  { name: "search", label: "Text in any field", hint: "Compares entry by entry; the other filters use indexes.",
    isExtra: true },
];

export default {
  path: "audit",
  title: "Audit log",
  async show({ main, signal }) {
    const proof = h("div", { "aria-live": "polite" });
    const verify = h("button", { type: "button", onclick: verifyLog }, "Verify the log");
    const log = auditList({ signal });
    fill(main, head("Audit log", "Every license that was issued or refused, and every change by an administrator. "
        + "The address of this page contains the filters.", verify),
      h("div.stack", null, proof, h("div.card", null, log.element)));

    async function verifyLog() {
      verify.disabled = true;
      fill(proof, message("Verifying the hash chain of all entries…"));
      try {
        const found = await request("/audit/verify", { signal, deadline: verificationDeadline });
        fill(proof, found.intact
          ? h("div.message.good", null, `The log is intact: ${found.entries} entries. `,
            h("span", null, "Store the head outside of the server: "), found.heads.map((one) => [copyable(one), " "]))
          : message(brokenText(found), "bad"));
      } catch (error) {
        if (!signal.aborted) fill(proof, failure(error, verifyLog));
      } finally {
        verify.disabled = false;
      }
    }
    await log.load();
  },
};

const brokenText = ({ break: fault, entries }) =>
  `The log is broken: ${fault?.fault} at entry ${fault?.number ?? fault?.sequence}, after ${entries} valid entries.`;

/** A list of entries, with all filters; or with fixed ones, and only those of the time in the address. */
export function auditList({ signal, fixed, scope, name = "audit" }) {
  let notes = legend([]);
  return listing({
    name, signal, scope, fixed, caption: "Audit entries", path: "/audit", cursor: "before",
    filters: fixed ? filters.filter((one) => one.isTime || (one.name === "reason" && !fixed.outcome)) : filters,
    prepare: (entries) => { notes = legend(entries); },
    above: () => notes.element(),
    columns: columns((entry) => notes.cell(entry))
      .filter((column) => column.title.toLowerCase() !== Object.keys(fixed ?? {})[0]),
    none: (isFiltered) => (isFiltered
      ? empty("No match", "No entry of the log has these values. Values are compared exactly, including their case.")
      : fixed ? h("p.note", null, "The audit log has no such entry yet.")
      : empty("The log is empty",
        "The log records every license that is issued or refused, and every change that an administrator makes.")),
  });
}

const columns = (note) => [
  { title: "Time", class: "tight", cell: (entry) => time(Math.floor(entry.milliseconds / 1000), true) },
  { title: "Outcome", class: "tight", cell: (entry) => outcome(entry) },
  { title: "Account", property: "account", cell: (entry) => account(entry.account) },
  { title: "Asset", property: "assetIdHex", cell: (entry) => asset(entry) },
  { title: "Device", property: "deviceClass", cell: (entry) => deviceName(entry.deviceClass) },
  { title: "Detail", cell: (entry) => [note(entry), rest(entry)] },
  { title: "Policy", optional: true, cell: (entry) => policy(entry.policy) },
  { title: "Device ID", optional: true, cell: (entry) => device(entry.device) },
  { title: "Address", optional: true, cell: (entry) => entry.remoteAddress },
  { title: "Request ID", optional: true, cell: (entry) => entry.requestId && copyable(entry.requestId) },
  { title: "Duration", class: "num", cell: (entry) => latency(entry.microseconds) },
];

function rest(entry) {
  const details = h("details", { ontoggle() {
    // A page has up to 500 entries: their fields are created when they are shown.
    if (details.open && details.children.length === 1) details.append(fields(entry));
  } }, h("summary.dim", null, h("span.visually-hidden", null, `Entry ${entry.number}: `), "All fields"));
  return details;
}

const fields = (entry) => facts([
  ["Number", String(entry.number)], ["Outcome", code(entry.outcome)], ["Route", code(entry.route)],
    ["Policy", policy(entry.policy)], ["Certificate", entry.bundle], ["Device", device(entry.device)],
  ["Session", entry.sessionId && client(entry.sessionId)],
    ["Transaction", entry.transactionId && copyable(entry.transactionId)],
    ["Request", entry.requestId && copyable(entry.requestId)],
  ["Address", entry.remoteAddress], ["Hash", copyable(entry.hash)]]);
