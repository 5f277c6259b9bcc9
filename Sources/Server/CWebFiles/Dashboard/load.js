// Parts of a page that load data: while they load, they say so, and an error has a button to try again.

import { fill, h, identifier } from "./dom.js";

/** The message of an error, with a button that calls `retry`. */
export function failure(error, retry) {
  return h("div.message.bad.retry", { role: "alert" }, h("span", null, error.message),
    h("button.small", { type: "button", onclick: retry }, "Try again"));
}

/**
 * Loads data and shows it in an element.
 * @param {HTMLElement} place
 * @param {function(): Promise<any>} fetch
 * @param {function(any): any} draw  returns the content of the element
 * @param {AbortSignal} signal  aborted when the user leaves the page
 * @returns {Promise<any>}  the data; undefined after an error, which is shown
 */
export async function load(place, fetch, draw, signal) {
  place.setAttribute("aria-busy", "true");
  fill(place, h("p.note.loading", null, "Loading…"));
  try {
    const value = await fetch();
    if (signal.aborted) return undefined;
    fill(place, draw(value));
    return value;
  } catch (error) {
    if (signal.aborted) return undefined;
    // An error in the code of the page is not the server's, and must be in the console.
    if (error.status === undefined) console.error(error);
    fill(place, failure(error, () => load(place, fetch, draw, signal)));
    return undefined;
  } finally {
    place.removeAttribute("aria-busy");
  }
}

/** A card with a heading, whose content is loaded. */
export function loadedCard(title, fetch, draw, signal, options = {}) {
  const heading = identifier("heading");
  const place = h("div.stack");
  load(place, fetch, draw, signal);
  return h(`section.card${options.class ? `.${options.class}` : ""}`, { "aria-labelledby": heading },
    h("h2", { id: heading }, title), place);
}
