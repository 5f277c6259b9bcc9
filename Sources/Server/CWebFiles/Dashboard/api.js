// The client of the administration API, authorized by the session.

/** An error response of the server: a problem document (RFC 9457). */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `The server responded with status ${status}.`);
    this.status = status;
    this.reason = document.reason;
    this.field = document.field;
    this.instance = document.instance;
  }
}

/** The identity that is signed in, or null. */
export const session = { current: null };
let whenSignedOut = () => {};
/** Sets the function to call when the session has ended. */
export function onSignedOut(action) { whenSignedOut = action; }
export const isAllowed = (permission) => session.current?.permissions.includes(permission) ?? false;

/** The time for a response, in milliseconds. */
const deadline = 10_000;

/**
 * Calls fetch with a deadline that includes the body, and returns the response with its parsed JSON ({} for other
 * types).
 */
async function fetchJSON(url, { signal, deadline: own = deadline, ...options } = {}) {
  const limit = AbortSignal.timeout(own);
  try {
    const response = await fetch(url, { ...options, signal: signal ? AbortSignal.any([signal, limit]) : limit });
    const isJSON = (response.headers.get("Content-Type") ?? "").includes("json");
    return [response, isJSON && response.status !== 204 ? await response.json() : {}];
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0,
      { detail: limit.aborted ? `The server has not answered within ${own / 1000} seconds.`
        : "The server does not respond." });
  }
}

/**
 * Sends a request to the server.
 * @param {string} path the path after /admin
 * @param {{method?: string, body?: any, unattended?: boolean, signal?: AbortSignal, deadline?: number}} [options]
 *   unattended: the page refreshes itself without an action of the user, which does not extend the session; deadline:
 *   in milliseconds
 */
export async function request(path, { method = "GET", body, unattended = false, signal, deadline } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (unattended) headers["Keyway-Unattended"] = "1";
  if (method !== "GET" && session.current?.change) headers["Keyway-Change"] = session.current.change;
  const [response, document] = await fetchJSON(`/admin${path}`, {
    method, headers, signal, deadline, body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin", cache: "no-store",
  });
  if (response.status === 204) return null;
  if (response.ok) return document;
  if (response.status === 401 && path !== "/session") whenSignedOut();
  throw new Problem(response.status, document);
}

export const put = (path, body) => request(path, { method: "PUT", body });
export const post = (path, body) => request(path, { method: "POST", body });
export const remove = (path) => request(path, { method: "DELETE" });

let schemas = null;
/** Returns the JSON Schema of a document, from the server's OpenAPI document, which is loaded once. */
export async function schema(name, { signal } = {}) {
  if (!schemas) {
    const [response, document] = await fetchJSON("/openapi.json", { signal });
    if (!response.ok) throw new Problem(response.status, document);
    schemas = document.components.schemas;
  }
  return schemas[name];
}

/** Encodes one component of a path. */
export const part = encodeURIComponent;

/** Returns a page of a list. */
export function list(path, cursor, { limit = 100, parameter = "after", ...options } = {}) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (cursor) query.set(parameter, cursor);
  return request(`${path}${path.includes("?") ? "&" : "?"}${query}`, options);
}

/** Returns the items of a list up to a maximum. `isCut` of the array says whether there are more. */
export async function all(path, bound = 2000, options = {}) {
  const items = [];
  let next = null;
  do {
    const page = await list(path, next, { limit: 500, ...options });
    items.push(...page.items);
    next = page.next;
  } while (next && items.length < bound);
  items.isCut = Boolean(next);
  return items;
}
