// Policies: the list, and one page for a policy.

import { isAllowed, part, request } from "./api.js";
import { href } from "./address.js";
import { asset, policy as policyCell, title } from "./cells.js";
import { empty, fill, h, head, number } from "./dom.js";
import { listing } from "./list.js";
import { loadedCard } from "./load.js";
import { editor } from "./policy-editor.js";
import { historyCard } from "./policy-history.js";

export default {
  path: "policies",
  title: "Policies",
  show(page) {
    const [name] = page.rest;
    if (name === undefined) return showAll(page);
    // Names of policies are in lowercase, so that no policy has this address.
    return showPolicy(page, name === "New" ? null : name);
  },
};

async function showAll({ main, signal }) {
  const policies = listing({
    name: "policies", caption: "Policies", path: "/policies", signal, sort: "name",
    filters: [{ name: "search", label: "Name contains" }],
    columns: [
      { title: "Name", sort: "name", class: "tight", cell: (one) => policyCell(one.name) },
      { title: "Terms", cell: (one) => terms(one) },
    ],
    none: (isFiltered) =>
      (isFiltered ? empty("No match", "No policy has this name.")
      : empty("No policy yet",
        "Content without a policy gets the default: streaming only, HDCP Type 0, no virtual machines.",
        h("p", null, h("a", { href: "#/policies/New" }, "Write the first one"),
          ", and preview its decisions before you save it."))),
  });
  fill(main, head("Policies", "The rules for licenses: leases, rentals, persistent keys, outputs, devices. If "
      + "several policies apply, the strictest value of each field counts.",
      h("a", { href: "#/policies/New" }, isAllowed("content") ? "New policy" : "Try a policy")),
    h("div.card", null, policies.element));
  await policies.load();
}

function terms(policy) {
  const fields = Object.entries(policy).filter(([key]) => key !== "name");
  return fields.length
    ? fields.map(([key, value]) =>
    [h("span.badge", null, `${key} ${typeof value === "object" ? JSON.stringify(value).replace(/"/g, "") : value}`),
      " "]) : h("span.dim", null, "no limits");
}

async function showPolicy({ main, signal }, name) {
  const place = h("div.stack");
  fill(main, head(name ?? (isAllowed("content") ? "New policy" : "Try a policy"), null,
      h("a", { href: "#/policies" }, "All policies")), place);
  const stored = name && await request(`/policies/${part(name)}`, { signal })
    .catch((error) => { if (error.status === 404) return null; throw error; });
  if (name && !stored) {
    // The history of a deleted policy remains.
    return fill(place, h("section.card", null, empty("No such policy", `There is no policy with the name ${name}.`)),
      historyCard(name, null, null, signal));
  }
  const below = h("div.stack");
  const form = editor(name, stored, signal, showRest);
  function showRest(document) {
    fill(below, name && [historyCard(name, document, form, signal),
      loadedCard("Where it is used", () => request(`/policies/${part(name)}/uses?limit=20`, { signal }),
        (uses) => showUses(name, uses), signal)]);
  }
  fill(place, form.element, below);
  showRest(stored);
  await form.check();
}

function showUses(name, { titles, tracks, content }) {
  if (!titles.total && !tracks.total && !content.total) return h("p.note", null, name === "default"
    ? "This policy applies to everything without another one."
    : "No title, track or key refers to this policy. Tokens can name it, too.");
  const list = (kind, { total, items }, cell, all) => total > 0
    && h("div", null, h("h3", null, `${kind}: ${number(total)}`),
    h("ul.names", null, items.map((item) => h("li", null, cell(item))), total > items.length
      && h("li", null, all ? h("a", { href: all }, `all ${number(total)}`)
        : `and ${number(total - items.length)} more`)));
  return [list("Titles", titles, title, href(["titles"], { policy: name })),
    list("Tracks", tracks, (track) => [title(track.title), ` · ${track.name}`]),
    list("Keys", content, asset, href(["keys"], { policy: name }))];
}
