// The changes of a policy, with their differences.

import { isAllowed, list, part } from "./api.js";
import { badge, code, fill, h, time } from "./dom.js";
import { load } from "./load.js";

const changeNames = { created: ["created", "good"], replaced: ["changed", "accent"], deleted: ["deleted", "bad"] };

/**
 * The card with the history of a policy.
 * @param {Object|null} stored  the present document, null if the policy was deleted
 * @param {{replace: function(Object): void}|null} editor  shows a document that the user wants to restore
 */
export function historyCard(name, stored, editor, signal) {
  const place = h("div.stack");
  const path = `/policies/${part(name)}/history`;
  load(place, () => list(path, null, { limit: 50, signal }), (page) => {
    const items = h("ol.changes");
    const more = h("div.more");
    let after = stored;
    function add({ items: changes, next }) {
      for (const change of changes) {
        items.append(entry(change, after));
        after = change.before;
      }
      const rest = h("div");
      fill(more, next && [h("button",
            { type: "button", onclick: () =>
              load(rest, () => list(path, next, { limit: 50, parameter: "before", signal }),
                (page) => { add(page); return null; }, signal) }, "Older changes"), rest]);
    }
    add(page);
    return page.items.length ? [items, more] : h("p.note", null, "No change is recorded.");
  }, signal);

  function entry(change, after) {
    const [words, kind] = changeNames[change.change];
    const lines = differences(change.before, after);
    return h("li", null,
      h("p", null, badge(words, kind), " ", time(Math.floor(change.milliseconds / 1000)), change.actor
        && ` by ${change.actor}`),
      lines.length ? h("ul.diff", null,
        lines.map(([field, was, is]) =>
          h("li", null, code(field), ": ", was !== undefined && h("del", null, value(was)), was !== undefined
            && is !== undefined && " → ", is !== undefined && h("ins", null, value(is)))))
        : h("p.note", null, change.change === "replaced" ? "The document is the same." : "The document had no fields."),
      change.before && editor && isAllowed("content")
        && h("button.small",
        { type: "button", "aria-label": `Restore the version before change ${change.number}`,
          onclick: () => editor.replace(change.before) }, "Restore the version before"));
  }
  return h("section.card", null, h("h2", null, "History"),
    h("p.note", null, "Crossed out: the value before the change."), place);
}

const value = (one) => (typeof one === "string" ? one : JSON.stringify(one));

/** Returns the fields that differ: name, value before, value after; undefined for a field that is missing. */
export function differences(before, after) {
  const [was, is] = [before ?? {}, after ?? {}];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => name !== "name" && JSON.stringify(was[name]) !== JSON.stringify(is[name])).sort()
    .map((name) => [name, was[name], is[name]]);
}
