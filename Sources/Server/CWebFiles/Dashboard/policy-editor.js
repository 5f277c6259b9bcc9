// The editor of a policy: the form and the text, which show the same document, and what it would decide.

import { policyLink } from "./address.js";
import { isAllowed, part, put, remove, request } from "./api.js";
import { confirm, field, fill, h, identifier, message, toast } from "./dom.js";
import { failure } from "./load.js";
import { readDraft, removeDraft, writeDraft } from "./policy-drafts.js";
import { policyForm } from "./policy-fields.js";
import { triedRequests, trialResult } from "./policy-trial.js";

const example = { lease: "PT10M", hdcp: "type0", securityLevel: "baseline" };
/** The time without a change after which the document is checked, in milliseconds. */
const pause = 400;

/**
 * The editor of a policy.
 * @param {string|null} name null for a new policy
 * @param {Object|null} stored the document in the store
 * @param {function(Object): void} changed called with the document when it was saved
 * @returns {{element: HTMLElement, check: function(): Promise<void>, replace: function(Object): void}} replace: shows
 *   another document, which is not saved yet
 */
export function editor(name, stored, signal, changed) {
  const canSave = isAllowed("content");
  let saved = text(stored ?? example);
  const draft = readDraft(name, saved);
  const nameInput = h("input", { required: true, pattern: "[a-z0-9._\\-]{1,64}", value: name ?? draft?.name ?? "",
    autocomplete: "off", spellcheck: "false", oninput: edited });
  const editor = h("textarea", { rows: 18, spellcheck: "false", autocomplete: "off", autocapitalize: "off",
    value: draft?.text ?? saved, oninput: typed });
  const notice = h("div", { "aria-live": "polite" });
  const verdict = h("div", { "aria-live": "polite" });
  const preview = h("div.bounded");
  const save = h("button.primary", { type: "submit" }, name ? "Save policy" : "Add policy");
  const form = policyForm(signal, (key, value) => {
    const document = parsed();
    if (!document) return;
    if (value === undefined) delete document[key];
    else document[key] = value;
    editor.value = JSON.stringify(document, null, 2);
    typed();
  });
  let running = 0;
  let timer;

  /** The document in the text; null if the text is not an object in JSON. */
  function parsed() {
    try {
      const document = JSON.parse(editor.value);
      return typeof document === "object" && !Array.isArray(document) ? document : null;
    } catch { return null; }
  }
  function edited() {
    if (editor.value === saved) removeDraft(name);
    else writeDraft(name, { text: editor.value, base: saved, ...(name ? {} : { name: nameInput.value }) });
  }
  function typed() {
    edited();
    form.show(parsed());
    clearTimeout(timer);
    timer = setTimeout(check, pause);
  }
  /** Shows another text, in both the form and the editor. */
  function show(text) {
    editor.value = text;
    form.show(parsed());
    editor.focus();
    return check();
  }

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
      const trial = await request("/policy-trials", { method: "POST", body: { policy, limit: triedRequests }, signal });
      if (number !== running) return;
      editor.removeAttribute("aria-invalid");
      save.disabled = false;
      form.mark();
      fill(verdict, message("The policy is valid.", "good"));
      fill(preview, trialResult(trial));
    } catch (error) {
      if (signal.aborted || number !== running) return;
      // Without a response, the document is neither valid nor invalid.
      if (error.status === 0 || error.status >= 500) fill(verdict, failure(error, check));
      else refuse(error.message, error.field);
    }
  }

  function refuse(words, place) {
    editor.setAttribute("aria-invalid", "true");
    save.disabled = true;
    // At the field, its place need not be repeated.
    form.mark(place, words.replace(`policy, ${place}: `, ""));
    fill(verdict, message(words, "bad"));
    fill(preview, h("p.note", null, "The result returns when the policy is valid."));
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
      removeDraft(name);
      saved = editor.value;
      fill(notice);
      if (name) changed(policy);
      else location.hash = policyLink(target);
    } catch (error) {
      fill(verdict, message(error.message, "bad"));
      if (error.field) form.mark(error.field, error.message);
    }
  }

  async function deletePolicy() {
    const words = "A policy that content, a title or a track refers to cannot be deleted.";
    if (!await confirm(`Delete ${name}?`, words, "Delete policy")) return;
    try {
      await remove(`/policies/${part(name)}`);
      removeDraft(name);
      toast(`${name} is deleted.`);
      location.hash = "#/policies";
    } catch (error) { toast(error.message); }
  }

  function discard() {
    removeDraft(name);
    fill(notice);
    return show(saved);
  }
  function replace(document) {
    const found = show(text(document));
    edited();
    fill(notice, message("This is an earlier version. It applies when you save it.", "warn"));
    return found;
  }
  if (draft) {
    fill(notice, h("div.message.warn.retry", null, h("span", null, "This text was not saved when you left the page.",
      draft.base !== saved && " The policy has been changed since."),
      h("button.small", { type: "button", onclick: discard }, "Discard it")));
  }
  form.show(parsed());
  const [fields, heading] = [identifier("fields"), identifier("preview")];
  const buttons = h("div.actions", null, canSave && save, h("button", { type: "button", onclick: check }, "Check now"),
    canSave && name && h("button.danger", { type: "button", onclick: deletePolicy }, "Delete policy"));
  const element = h("div.stack", null,
    h("form.card.policy", { onsubmit: submit },
      h("div.policy-text", null, notice, h("div.fields.one", null, canSave && !name
        && field("Name", nameInput, "Lowercase letters, digits, dots, hyphens and underscores."),
        field("Document", editor, "The policy as JSON. The form shows the same.")), buttons, verdict),
      h("section", { "aria-labelledby": fields }, h("h2", { id: fields }, "Fields"), form.element)),
    h("section.card", { "aria-labelledby": heading }, h("h2", { id: heading }, "What it would decide"), preview));
  return { element, check, replace };
}

/** The text of a document, without its name. */
function text(policy) {
  const { name, ...document } = policy;
  return JSON.stringify(document, null, 2);
}

async function free(name) {
  try {
    await request(`/policies/${part(name)}`);
    return false;
  } catch (error) {
    if (error.status === 404) return true;
    throw error;
  }
}
