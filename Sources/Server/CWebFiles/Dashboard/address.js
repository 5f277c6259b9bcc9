// Addresses of pages. The state of a page is in its address, so that a link shows the same.

/** Returns the parameters that have a value. */
export function parameters(values) {
  return new URLSearchParams(Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => [name, String(value)]));
}

/**
 * Returns the address of a page.
 * @param {Array<string>} path  the name of the page, and what it shows
 * @param {Object<string, string|number|null|undefined>} [values]  parameters; those without a value are omitted
 */
export function href(path, values = {}) {
  const query = parameters(values).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

/** Returns the path and the parameters of the current address. */
export function current() {
  const text = location.hash.replace(/^#\/?/, "");
  const end = text.indexOf("?");
  return { path: (end < 0 ? text : text.slice(0, end)).split("/").map(decode).filter(Boolean),
    query: new URLSearchParams(end < 0 ? "" : text.slice(end + 1)) };
}

function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/**
 * Changes parameters of the current address without leaving the page.
 * @param {Object<string, string|number|null>} changes  null deletes a parameter
 * @param {boolean} [isNew]  whether the Back button returns to the previous state
 */
export function change(changes, isNew = true) {
  const { path, query } = current();
  const address = href(path, { ...Object.fromEntries(query), ...changes });
  if (address === location.hash) return;
  if (isNew) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** Returns the asset ID as the API and addresses have it: text, or hexadecimal digits after 0x. */
export function assetName(item) {
  return item.assetId !== undefined && !item.assetId.startsWith("0x") ? item.assetId : `0x${item.assetIdHex}`;
}
export const accountLink = (account) => href(["accounts", account]);
export const assetLink = (item) => href(["assets", assetName(item)]);
export const titleLink = (title) => href(["titles", title]);
export const policyLink = (policy) => href(["policies", policy]);

/** Returns the path of an asset in the API, whose bytes are percent-encoded because they need not be text. */
export function assetPath(name) {
  const digits = /^0x((?:[0-9a-fA-F]{2})+)$/.exec(name)?.[1];
  return digits ? digits.replace(/../g, "%$&") : encodeURIComponent(name);
}
