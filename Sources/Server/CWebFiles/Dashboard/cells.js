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
const link = (name, address, content = name) => h(name.length <= 24 ? "a.short" : "a", { href: address }, content);

export const account = (name) => name && copyable(name, link(name, accountLink(name)));
export const asset = (item) => item.assetIdHex !== undefined && copyable(assetName(item), link(assetName(item), assetLink(item), code(assetName(item))));
export const title = (name) => name && h("a", { href: titleLink(name) }, name);
export const policy = (name) => name && h("a", { href: policyLink(name) }, name);
/** A device by the hash that identifies it here, with a link to its requests. */
export const device = (hash) => hash && copyable(hash, h("a", { href: href(["audit"], { device: hash }) }, code(hash)));
/** A client of a lease or a rental: a device or a session. */
export function client(text) {
  return text.startsWith("device:") ? device(text.slice(7)) : copyable(text);
}
/** The class of a device with its version and security level. */
export function system(item) {
  const kind = deviceName(item.class ?? item.deviceClass);
  return kind && [kind, item.osVersion && h("span.sub", null, `OS ${item.osVersion}${item.level ? ` · ${item.level}` : ""}`)];
}

/**
 * Sentences of a table. One that occurs in several rows is written once below the table, and the rows have its number.
 * @param {Array<string|undefined>} sentences  those of the rows
 */
export function legend(sentences) {
  const counts = new Map();
  for (const sentence of sentences) if (sentence?.length > 40) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  const repeated = [...counts].filter(([, count]) => count > 2).map(([sentence]) => sentence);
  return {
    cell(sentence) {
      const index = repeated.indexOf(sentence);
      return index < 0 ? sentence : h("span.mark", { title: sentence }, `Note ${index + 1}`);
    },
    element: () => repeated.length > 0 && h("dl.notes", null, repeated.map((sentence, index) => [h("dt", null, `Note ${index + 1}`), h("dd", null, `${sentence}.`)])),
  };
}
