// Administration, asked in the name of the session.

/** What the server said instead of an answer: a problem document (RFC 9457). */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `The server answered ${status}.`);
    this.status = status;
    this.reason = document.reason;
    this.instance = document.instance;
  }
}

/** Who is signed in; null when nobody is. */
export const session = { current: null };
let whenSignedOut = () => {};
/** Tells what to do when the session has ended. */
export function onSignedOut(action) { whenSignedOut = action; }
export const may = (permission) => session.current?.permissions.includes(permission) ?? false;

/**
 * Asks the server.
 * @param {string} path  after /admin
 * @param {{method?: string, body?: any, unattended?: boolean, signal?: AbortSignal}} [options]  unattended: nobody did
 *   something, the page keeps itself up to date; that does not keep a session alive
 */
export async function ask(path, { method = "GET", body, unattended = false, signal } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (unattended) headers["Keyway-Unattended"] = "1";
  if (method !== "GET" && session.current?.change) headers["Keyway-Change"] = session.current.change;
  let response;
  try {
    response = await fetch(`/admin${path}`, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: "The server does not answer." });
  }
  if (response.status === 204) return null;
  const type = response.headers.get("Content-Type") ?? "";
  const document = type.includes("json") ? await response.json() : {};
  if (response.ok) return document;
  if (response.status === 401 && path !== "/session") whenSignedOut();
  throw new Problem(response.status, document);
}

export const put = (path, body) => ask(path, { method: "PUT", body });
export const post = (path, body) => ask(path, { method: "POST", body });
export const remove = (path) => ask(path, { method: "DELETE" });

/** A part of a path. */
export const part = encodeURIComponent;

/** A page of a list. */
export function list(path, cursor, { limit = 100, parameter = "after", ...options } = {}) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (cursor) query.set(parameter, cursor);
  return ask(`${path}${path.includes("?") ? "&" : "?"}${query}`, options);
}

/** Every item of a list, up to a bound. */
export async function all(path, bound = 2000, options = {}) {
  const items = [];
  let next = null;
  do {
    const page = await list(path, next, { limit: 500, ...options });
    items.push(...page.items);
    next = page.next;
  } while (next && items.length < bound);
  return items;
}
