// Policies that are not saved, in the local storage of the browser. A policy contains no secrets.

const key = (name) => `keyway-draft-${name ?? ""}`;

/**
 * The text of a policy that is not saved; null without one, or if it equals the saved text.
 * @param {string|null} name null for the new policy
 * @returns {{text: string, base: string, name?: string}|null} base: the saved text that it was written from; name: the
 *   name that was entered for the new policy
 */
export function readDraft(name, saved) {
  try {
    const draft = JSON.parse(localStorage.getItem(key(name)));
    return typeof draft?.text === "string" && draft.text !== saved ? draft : null;
  } catch { return null; }
}

export function writeDraft(name, draft) { localStorage.setItem(key(name), JSON.stringify(draft)); }
export function removeDraft(name) { localStorage.removeItem(key(name)); }
