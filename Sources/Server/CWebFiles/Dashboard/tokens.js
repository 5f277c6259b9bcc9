// Tokens for administration, and who signed in with them.

import { href } from "./address.js";
import { isAllowed, part, post, remove, request } from "./api.js";
import { auditList } from "./audit.js";
import { badge, confirm, copyable, empty, facts, field, fill, h, head, message, number, table, time,
  toast } from "./dom.js";
import { listing } from "./list.js";
import { loadedCard } from "./load.js";

const roles = [["viewer", "viewer: reads"], ["support", "support: also ends leases, deletes devices, revokes keys"],
  ["content", "content: reads, and changes content and policies"],
  ["encoder", "encoder: gets and creates content keys with SPEKE"], ["admin", "admin: everything"]];

export default {
  path: "tokens",
  title: "Tokens and sign-ins",
  async show({ main, signal }) {
    const signIns = auditList({ signal, fixed: { outcome: "admin-sign-in" }, scope: "sign-ins.", name: "sign-ins" });
    const tokens = isAllowed("administer") && tokenList(signal);
    fill(main, head("Tokens and sign-ins"), h("div.stack", null,
      tokens ? h("section.card", null, h("h2", null, "Tokens"), tokens.element)
        : message("Your role may not read the list of tokens.", "warn"),
      tokens && h("section.card", null, h("h2", null, "Add a token"), newToken(() => tokens.load())),
      tokens && loadedCard("Sessions of this server", () => request("/sign-ins", { signal }), showSessions, signal),
      h("section.card", null, h("h2", null, "Sign-ins to the dashboard"),
        h("p.note", null, h("a", { href: href(["audit"], { outcome: "admin-sign-out" }) }, "Sign-outs")),
        signIns.element)));
    await Promise.all([tokens && tokens.load(), signIns.load()]);
  },
};

function showSessions({ sessions, maximum, failed }) {
  return [
    facts([["Sessions", `${number(sessions.length)} of ${number(maximum)}`],
        ["Wrong tokens since the start", number(failed.attempts)],
        ["Addresses of the last wrong tokens", number(failed.addresses)],
        ["Different tokens among them", number(failed.tokens)]]),
    table("Sessions", [
      { title: "Token", cell: (session) => session.name },
        { title: "Role", class: "tight", cell: (session) => badge(session.role) },
      { title: "Last request", class: "tight", cell: (session) => time(session.used, true) },
        { title: "Ends at the latest", class: "tight", cell: (session) => time(session.end) },
    ], sessions),
  ];
}

function tokenList(signal) {
  async function deleteToken(token) {
    if (!await confirm(`Delete the token ${token.name}?`,
        "It becomes invalid immediately, and so do the sessions that were opened with it.", "Delete token")) return;
    try {
      await remove(`/tokens/${part(token.name)}`);
      toast("The token is deleted.");
      await tokens.load();
    } catch (error) { toast(error.message); }
  }
  const tokens = listing({
    name: "tokens", caption: "Tokens", path: "/tokens", signal, sort: "name",
    filters: [{ name: "search", label: "Name contains" }],
    columns: [
      { title: "Name", sort: "name", cell: (token) => token.name },
      { title: "Role", class: "tight", cell: (token) => badge(token.role) },
      { title: "Created", class: "tight", cell: (token) => time(token.created, true) },
      { title: "Last used", class: "tight",
        cell: (token) => (token.lastUsed ? new Date(token.lastUsed * 1000)
          .toLocaleDateString("en-GB", { year: "numeric", month: "short", day: "2-digit", timeZone: "UTC" })
          : "never") },
      { title: "Delete", hidden: true, class: "tight",
        cell: (token) => h("button.small.danger",
          { type: "button", "aria-label": `Delete the token ${token.name}`, onclick: () => deleteToken(token) },
          "Delete") },
    ],
    none: (isFiltered) =>
      (isFiltered ? empty("No match", "No token has this name.")
      : empty("No tokens", "The first token is in the file admin-token of the data folder.")),
  });
  return tokens;
}

function newToken(added) {
  const name = h("input",
    { required: true, pattern: "[A-Za-z0-9._\\-]{1,100}", autocomplete: "off", spellcheck: "false" });
  const role = h("select", null, roles.map(([value, text]) => h("option", { value }, text)));
  const answer = h("div", { "aria-live": "polite" });
  return h("form", { async onsubmit(event) {
    event.preventDefault();
    try {
      const made = await post("/tokens", { name: name.value, role: role.value });
      fill(answer, h("div.message.good", null, "The token, which is not shown again: ", copyable(made.token)));
      name.value = "";
      await added();
    } catch (error) { fill(answer, message(error.message, "bad")); }
  } }, h("div.fields", null, field("Name", name), field("Role", role)),
    h("div.actions", null, h("button.primary", { type: "submit" }, "Add token")), answer);
}
