// Policies, and an editor that previews a policy's decisions before it is saved.

import { all, request, isAllowed, part, put, remove, schema } from "./api.js";
import { asset, badge, code, confirm, deviceName, empty, field, fill, h, head, identifier, message, outcome, table, time, toast } from "./dom.js";

const example = { lease: "PT10M", hdcp: "type0", securityLevel: "baseline" };

export default {
  path: "policies",
  title: "Policies",
  show(page) {
    const [name] = page.rest;
    return name ? showEditor(page, name === "new" ? null : name) : showAll(page);
  },
};

async function showAll({ main, signal }) {
  const place = h("section.card", { "aria-label": "Policies" });
  fill(main, head("Policies", "The rules for licenses: leases, rentals, persistent keys, outputs, devices. If several policies apply, the strictest value of each field counts.", h("a", { href: "#/policies/new" }, isAllowed("content") ? "New policy" : "Try a policy")), place);
  const policies = await all("/policies", 1000, { signal });
  fill(place, policies.length ? table("Policies", [
    { title: "Name", class: "tight", cell: (policy) => h("a", { href: `#/policies/${part(policy.name)}` }, policy.name) },
    { title: "Terms", cell: (policy) => terms(policy) },
  ], policies) : empty("No policy yet", "Content without a policy gets the default: streaming only, HDCP Type 0, no virtual machines.", h("p", null, h("a", { href: "#/policies/new" }, "Write the first one"), ", and preview its decisions before you save it.")));
}

function terms(policy) {
  const fields = Object.entries(policy).filter(([key]) => key !== "name");
  return fields.length ? fields.map(([key, value]) => [h("span.badge", null, `${key} ${typeof value === "object" ? JSON.stringify(value).replace(/"/g, "") : value}`), " "]) : h("span.dim", null, "no limits");
}

async function showEditor({ main, signal }, name) {
  const place = h("div.grid.loose");
  const canSave = isAllowed("content");
  fill(main, head(name ?? (canSave ? "New policy" : "Try a policy"), null, h("a", { href: "#/policies" }, "All policies")), place);
  const stored = name ? await request(`/policies/${part(name)}`, { signal }) : null;
  const document = { ...(stored ?? example) };
  delete document.name;
  const nameInput = h("input", { required: true, pattern: "[a-z0-9._\\-]{1,64}", value: name ?? "", autocomplete: "off", spellcheck: "false" });
  const editor = h("textarea", { rows: 16, spellcheck: "false", autocomplete: "off", autocapitalize: "off", value: JSON.stringify(document, null, 2) });
  const verdict = h("div", { "aria-live": "polite" });
  const preview = h("div");
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
      if (error.name !== "AbortError" && number === running) refuse(error.message);
    }
  }

  function refuse(words) {
    editor.setAttribute("aria-invalid", "true");
    save.disabled = true;
    fill(verdict, message(words, "bad"));
    fill(preview, h("p.note", null, "The preview returns when the policy is valid."));
  }

  function draw(trial) {
    if (!trial.items.length) return fill(preview, empty("No requests yet", "After devices have sent requests to this server, the preview shows the policy's decision on each request."));
    const total = trial.items.length;
    fill(preview,
      h("p", null, badge(`${trial.issued} would get a key`, "good"), " ", badge(`${trial.refused} refused`, trial.refused ? "bad" : null), " ", badge(`${trial.changed} differ from the actual outcome`, trial.changed ? "warn" : null)),
      h("p.note.spaced", null, `The last ${total === 1 ? "request" : `${total} requests`}, decided by this policy only: not merged with others, and without the stored streams, devices and rentals.`),
      table("What the policy would decide", [
        { title: "Request", cell: ({ request }) => [asset(request), h("span.sub", null, time(Math.floor(request.milliseconds / 1000), true), request.account && ` · ${request.account}`)] },
        { title: "Device", cell: ({ request }) => [deviceName(request.class), h("span.sub", null, request.osVersion && `OS ${request.osVersion}`, request.level && ` · ${request.level}`)] },
        { title: "Actual", cell: ({ request }) => outcome(request.outcome, request.reason) },
        { title: "Preview", cell: (item) => [item.issued ? badge("issued", "good") : badge(item.reason, "bad"), " ", item.changed && badge("differs", "warn"), h("span.sub", null, item.terms ?? item.detail)] },
      ], trial.items.slice(0, 50)));
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
      if (!name) location.hash = `#/policies/${part(target)}`;
    } catch (error) {
      fill(verdict, message(error.message, "bad"));
    }
  }

  async function deletePolicy() {
    if (!await confirm(`Delete ${name}?`, "A policy that content, a title or a track refers to cannot be deleted.", "Delete policy")) return;
    try {
      await remove(`/policies/${part(name)}`);
      toast(`${name} is deleted.`);
      location.hash = "#/policies";
    } catch (error) { toast(error.message); }
  }

  editor.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(check, 400); });
  const heading = identifier("preview");
  fill(place,
    h("form.card.narrow", { onsubmit: submit },
      h("div.fields.one", null, canSave && !name && field("Name", nameInput, "Lowercase letters, digits, dots, hyphens and underscores."), field("Document", editor, "JSON. Durations are ISO 8601: PT10M, P30D.")),
      h("div.actions", null, canSave && save, h("button", { type: "button", onclick: check }, "Check now"), canSave && name && h("button.danger", { type: "button", onclick: deletePolicy }, "Delete policy")), verdict, fieldList(signal)),
    h("section.card.wide", { "aria-labelledby": heading }, h("h2", { id: heading }, "What it would decide"), preview));
  await check();
}

async function free(name) {
  try { await request(`/policies/${part(name)}`); return false; } catch (error) { if (error.status === 404) return true; throw error; }
}

/** The list of a policy's fields, from the schema that the server validates with. It is loaded when it is opened. */
function fieldList(signal) {
  const list = h("dl.facts");
  async function load() {
    if (list.firstChild) return;
    try {
      const { properties } = await schema("Policy", { signal });
      fill(list, Object.entries(properties).filter(([name]) => name !== "name").map(([name, form]) => [
        h("dt", null, code(name)), h("dd", null, form.description, " ", h("span.dim", null, values(form))),
      ]));
    } catch (error) {
      if (error.name !== "AbortError") fill(list, h("dt", null, "Error"), h("dd", null, error.message));
    }
  }
  return h("details", { ontoggle: load }, h("summary", null, "Fields of a policy"), list);
}

/** The values of a field as text: all of them if there are few, else examples. */
function values(form) {
  if (form.anyOf) return form.anyOf.map((part, index) => (index ? '{"value": …, "requireReport": true}' : values(part))).join(" or ");
  if (form.enum) return form.enum.map((value) => JSON.stringify(value)).join(", ");
  if (form.type === "boolean") return "true, false";
  if (form.type === "integer") return `${form.minimum} to ${form.maximum}`;
  return form.examples.map((value) => JSON.stringify(value)).join(", ");
}
