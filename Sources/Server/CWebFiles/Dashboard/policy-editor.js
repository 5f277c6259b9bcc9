// The editor of a policy, which previews the policy's decisions before it is saved.

import { policyLink } from "./address.js";
import { isAllowed, part, put, remove, request } from "./api.js";
import { asset, outcome } from "./cells.js";
import { badge, confirm, empty, field, fill, h, identifier, message, table, time, toast } from "./dom.js";
import { failure } from "./load.js";
import { fieldList } from "./policy-fields.js";
import { deviceName } from "./words.js";

/** The number of requests that are listed; the sums are of all. */
const shownRequests = 50;
const example = { lease: "PT10M", hdcp: "type0", securityLevel: "baseline" };

/**
 * The editor of a policy.
 * @param {string|null} name null for a new policy
 * @param {Object|null} stored the document in the store
 * @param {function(Object): void} changed called with the document when it was saved
 * @returns {{element: HTMLElement, check: function(): Promise<void>, replace: function(Object): void}} replace: shows
 *   another document, which is not saved yet
 */
export function editor(name, stored, signal, changed) {
  const place = h("div.grid.loose");
  const canSave = isAllowed("content");
  let saved = text(stored ?? example);
  const draft = drafts.read(name, saved);
  const nameInput = h("input",
    { required: true, pattern: "[a-z0-9._\\-]{1,64}", value: name ?? "", autocomplete: "off", spellcheck: "false" });
  const editor = h("textarea",
    { rows: 16, spellcheck: "false", autocomplete: "off", autocapitalize: "off", value: draft?.text ?? saved });
  const notice = h("div", { "aria-live": "polite" });
  const verdict = h("div", { "aria-live": "polite" });
  const preview = h("div.bounded");
  const save = h("button.primary", { type: "submit" }, name ? "Save policy" : "Add policy");
  let running = 0;
  let timer;

  async function check() {
    clearTimeout(timer);
    const number = ++running;
    let policy;
    try {
      policy = JSON.parse(editor.value);
    } catch (error) {
      return refuse(`This is not valid JSON: ${error.message}`);
    }
    try {
      const trial = await request("/policy-trials", { method: "POST", body: { policy, limit: 200 }, signal });
      if (number !== running) return;
      editor.removeAttribute("aria-invalid");
      save.disabled = false;
      fill(verdict, message("The policy is valid.", "good"));
      draw(trial);
    } catch (error) {
      if (signal.aborted || number !== running) return;
      // Without a response, the document is neither valid nor invalid.
      if (error.status === 0 || error.status >= 500) fill(verdict, failure(error, check));
      else refuse(error.message);
    }
  }

  function refuse(words) {
    editor.setAttribute("aria-invalid", "true");
    save.disabled = true;
    fill(verdict, message(words, "bad"));
    fill(preview, h("p.note", null, "The preview returns when the policy is valid."));
  }

  function draw(trial) {
    if (!trial.items.length) return fill(preview,
      empty("No requests yet",
        "After devices have sent requests to this server, the preview shows the policy's decision on each request."));
    const total = trial.items.length;
    fill(preview,
      h("p", null, badge(`${trial.issued} would get a key`, "good"), " ",
        badge(`${trial.refused} refused`, trial.refused ? "bad" : null), " ",
        badge(`${trial.changed} differ from the actual outcome`, trial.changed ? "warn" : null)),
      h("p.note.spaced", null,
        `The last ${total === 1 ? "request" : `${total} requests`}, decided by this policy only: not merged with others, and without the stored streams, devices and rentals.`),
      table("What the policy would decide", [
        { title: "Request",
          cell: ({ request }) =>
          [asset(request), h("span.sub", null, time(Math.floor(request.milliseconds / 1000), true), request.account
              && ` · ${request.account}`)] },
        { title: "Device",
          cell: ({ request }) =>
          [deviceName(request.class),
            h("span.sub", null, request.osVersion && `OS ${request.osVersion}`, request.level
              && ` · ${request.level}`)] },
        { title: "Actual", cell: ({ request }) => outcome(request) },
        { title: "Preview",
          cell: (item) => [outcome({ outcome: item.issued ? "issued" : "refused", reason: item.reason }), " ",
            item.changed && badge("differs", "warn"), h("span.sub", null, item.terms ?? item.detail)] },
      ], trial.items.slice(0, shownRequests), { isRegion: true }),
      trial.items.length > shownRequests && h("p.note", null, `The latest ${shownRequests} of them are listed.`));
  }

  async function submit(event) {
    event.preventDefault();
    if (!canSave) return;
    try {
      const policy = JSON.parse(editor.value);
      const target = name ?? nameInput.value;
      if (!name && !await free(target)) throw new Error(`The policy ${target} already exists.`);
      if (name && !await confirm(`Save ${name}?`, "It applies from the next request on.", "Save policy")) return;
      delete policy.name;
      await put(`/policies/${part(target)}`, policy);
      toast(`${target} is saved.`);
      drafts.remove(name);
      saved = editor.value;
      fill(notice);
      if (name) changed(policy);
      if (!name) location.hash = policyLink(target);
    } catch (error) {
      fill(verdict, message(error.message, "bad"));
    }
  }

  async function deletePolicy() {
    if (!await confirm(`Delete ${name}?`, "A policy that content, a title or a track refers to cannot be deleted.",
        "Delete policy")) return;
    try {
      await remove(`/policies/${part(name)}`);
      drafts.remove(name);
      toast(`${name} is deleted.`);
      location.hash = "#/policies";
    } catch (error) { toast(error.message); }
  }

  function edited() {
    if (editor.value === saved) drafts.remove(name);
    else drafts.write(name, editor.value, saved);
  }
  function discard() {
    drafts.remove(name);
    fill(notice);
    editor.value = saved;
    editor.focus();
    return check();
  }
  function replace(document) {
    editor.value = text(document);
    edited();
    fill(notice, message("This is an earlier version. It applies when you save it.", "warn"));
    editor.focus();
    return check();
  }
  if (draft) {
    fill(notice, h("div.message.warn.retry", null,
        h("span", null, "This text was not saved when you left the page.", draft.base !== saved
          && " The policy has been changed since."),
        h("button.small", { type: "button", onclick: discard }, "Discard it")));
  }
  editor.addEventListener("input", () => { edited(); clearTimeout(timer); timer = setTimeout(check, 400); });
  const heading = identifier("preview");
  fill(place,
    h("form.card.narrow", { onsubmit: submit }, notice,
      h("div.fields.one", null, canSave && !name
        && field("Name", nameInput, "Lowercase letters, digits, dots, hyphens and underscores."),
        field("Document", editor, "JSON. Durations are ISO 8601: PT10M, P30D.")),
      h("div.actions", null, canSave && save, h("button", { type: "button", onclick: check }, "Check now"), canSave
        && name && h("button.danger", { type: "button", onclick: deletePolicy }, "Delete policy")), verdict,
        fieldList(signal)),
    h("section.card.wide", { "aria-labelledby": heading }, h("h2", { id: heading }, "What it would decide"), preview));
  return { element: place, check, replace };
}

/** The text of a document, without its name. */
function text(policy) {
  const { name, ...document } = policy;
  return JSON.stringify(document, null, 2);
}

/** Texts that are not saved, in the local storage of the browser. */
const drafts = {
  key: (name) => `keyway-draft-${name ?? ""}`,
  read(name, saved) {
    try {
      const draft = JSON.parse(localStorage.getItem(this.key(name)));
      return typeof draft?.text === "string" && draft.text !== saved ? draft : null;
    } catch { return null; }
  },
  write(name, text, base) { localStorage.setItem(this.key(name), JSON.stringify({ text, base })); },
  remove(name) { localStorage.removeItem(this.key(name)); },
};

async function free(name) {
  try { await request(`/policies/${part(name)}`); return false; } catch (error) { if (error.status === 404) return true;
    throw error; }
}
