// Values in tables: outcomes, accounts, assets, devices, policies.

import { accountLink, assetLink, assetName, href, policyLink, titleLink } from "./address.js";
import { badge, code, copyable, h } from "./dom.js";
import { describe, deviceName } from "./words.js";

/** The badge of an outcome. */
export function outcome(item) {
  const { name, kind, words } = describe(item);
  const element = badge(name, kind);
  if (words) element.title = words;
  return element;
}

/** A link to a page. Short names are not broken into lines. */
const link = (name, address, content = name) => h(name.length <= 14 ? "a.short" : "a", { href: address }, content);

export const account = (name) => name && copyable(name, link(name, accountLink(name)));
export const asset = (item) => item.assetIdHex !== undefined
  && copyable(assetName(item), link(assetName(item), assetLink(item), code(assetName(item))));
export const title = (name) => name && link(name, titleLink(name));
export const policy = (name) => name && h("a", { href: policyLink(name) }, name);
/**
 * A device by the begin of the hash that identifies it here, with a link to its requests. The button copies the whole
 * hash.
 */
export const device = (hash) => hash
  && copyable(hash, h("a.short",
    { href: href(["audit"], { device: hash }), title: hash, "aria-label": `Device ${hash}` },
    code(`${hash.slice(0, 12)}…`)));
/** A client of a lease or a rental: a device or a session. */
export function client(text) {
  return text.startsWith("device:") ? device(text.slice(7)) : copyable(text);
}
/** The class of a device with its version and security level. */
export function system(item) {
  const kind = deviceName(item.class ?? item.deviceClass);
  return kind && [kind, item.osVersion
    && h("span.sub", null, `OS ${item.osVersion}${item.level ? ` · ${item.level}` : ""}`)];
}

/**
 * The sentences of entries: what a reason means, and details. One that occurs in several rows is written once above the
 * table; the rows have its number, or only the reason's code.
 * @param {Array<Object>} entries
 */
export function legend(entries) {
  const counts = new Map();
  const count = (text) => text && counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const entry of entries) {
    count(describe(entry).words);
    if (entry.detail?.length > 40) count(entry.detail);
  }
  const isRepeated = (text) => counts.get(text) > 2;
  const reasons = new Map(entries.map((entry) => describe(entry)).filter(({ words }) => isRepeated(words))
    .map(({ name, words }) => [name, words]));
  const details = [...new Set(entries.map((entry) => entry.detail).filter(isRepeated))];
  return {
    cell(entry) {
      const { words } = describe(entry);
      const place = details.indexOf(entry.detail);
      return [words && !isRepeated(words) && h("div", null, words), entry.detail
        && h("div.sub", null, place < 0 ? entry.detail : h("span.mark", { title: entry.detail }, `Note ${place + 1}`))];
    },
    element: () => reasons.size + details.length > 0
      && h("dl.notes", null, [...reasons].map(([code, words]) => [h("dt", null, code), h("dd", null, words)]),
      details.map((text, index) => [h("dt", null, `Note ${index + 1}`), h("dd", null, `${text}.`)])),
  };
}
