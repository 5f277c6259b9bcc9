// The audit log.

import { request, list } from "./api.js";
import { asset, badge, code, deviceName, empty, facts, field, fill, h, head, latency, message, outcome, table, time, toast } from "./dom.js";

export default {
  path: "audit",
  title: "Audit log",
  async show({ main, query, signal }) {
    let search = query.get("search") ?? "";
    let items = [];
    let next = null;
    let number = 0;
    const input = h("input", { type: "search", value: search, autocomplete: "off", spellcheck: "false", maxlength: 50 });
    const form = h("form.inline", { role: "search", onsubmit(event) { event.preventDefault(); search = input.value.trim(); load().catch(showError); } },
      field("Search", input, "Any part of an account, asset, outcome, device, address or request ID."), h("button", { type: "submit" }, "Search"));
    const place = h("section.card", { "aria-label": "Entries" });
    const proof = h("div", { "aria-live": "polite" });
    const verify = h("button", { type: "button", onclick: verifyLog }, "Verify the log");
    fill(main, head("Audit log", null, verify), h("div.stack", null, proof, h("div.card", null, form), place));

    const path = () => (search ? `/audit?search=${encodeURIComponent(search)}` : "/audit");
    async function load() {
      const mine = ++number;
      const page = await list(path(), null, { parameter: "before", limit: 100, signal });
      if (mine !== number) return;
      [items, next] = [page.items, page.next];
      draw();
    }
    async function more() {
      const page = await list(path(), next, { parameter: "before", limit: 100, signal });
      items = [...items, ...page.items];
      next = page.next;
      draw();
    }
    function showError(error) { if (error.name !== "AbortError") fill(place, message(error.message, "bad")); }
    function draw() {
      fill(place, items.length ? auditTable(items, true)
        : search ? empty(next ? "No match in the latest entries" : "No match", next ? "There are older entries." : `No entry contains “${search}”.`)
          : empty("The log is empty", "The log records every license that is issued or refused, and every change that an administrator makes."),
        next && h("div.more", null, h("button", { type: "button", onclick: () => more().catch(showError) }, items.length ? "Older entries" : "Search older entries")));
    }
    async function verifyLog() {
      verify.disabled = true;
      fill(proof, message("Verifying the hash chain of all entries…"));
      try {
        const found = await request("/audit/verify", { signal });
        fill(proof, found.intact ? h("div.message.good", null, `The log is intact: ${found.entries} entries. `, h("span", null, "Store the head outside of the server: "), found.heads.map((one) => [code(one), " "]))
          : message(`The log is broken: ${found.break?.fault} at entry ${found.break?.number ?? found.break?.sequence}, after ${found.entries} valid entries.`, "bad"));
      } catch (error) {
        fill(proof);
        toast(error.message);
      } finally {
        verify.disabled = false;
      }
    }
    await load();
  },
};

/** Returns a table of entries. */
export function auditTable(entries, withDetails = false) {
  return table("Audit entries", [
    { title: "Time", class: "tight", cell: (entry) => time(Math.floor(entry.milliseconds / 1000), true) },
    { title: "Outcome", class: "tight", cell: (entry) => outcome(entry.outcome, entry.outcome) },
    { title: "Account", cell: (entry) => entry.account && h("a", { href: `#/accounts/${encodeURIComponent(entry.account)}` }, entry.account) },
    { title: "Asset", cell: (entry) => (entry.assetId === undefined ? asset(entry) : h("a", { href: `#/accounts/asset/${encodeURIComponent(entry.assetId)}` }, code(entry.assetId))) },
    { title: "Device", cell: (entry) => deviceName(entry.deviceClass) },
    { title: "Detail", cell: (entry) => [entry.detail, withDetails && rest(entry)] },
    { title: "Duration", class: "num", cell: (entry) => latency(entry.microseconds) },
  ], entries);
}

function rest(entry) {
  return h("details", null, h("summary.dim", null, h("span.visually-hidden", null, `Entry ${entry.number}: `), "All fields"), facts([
    ["Number", String(entry.number)], ["Route", code(entry.route)], ["Policy", entry.policy], ["Bundle", entry.bundle], ["Device", entry.device && code(entry.device)], ["Session", entry.sessionId && code(entry.sessionId)],
    ["Transaction", entry.transactionId && code(entry.transactionId)], ["Request", entry.requestId && code(entry.requestId)], ["Address", entry.remoteAddress], ["Hash", code(entry.hash)]]));
}
