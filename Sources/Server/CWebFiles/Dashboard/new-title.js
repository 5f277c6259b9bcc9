// The form for a new title with its tracks and their keys.

import { all, request, isAllowed, part, put } from "./api.js";
import { titleLink } from "./address.js";
import { field, fill, h, head, message, toast } from "./dom.js";
import { kindChoices } from "./words.js";

/** The kinds to suggest for further tracks, in order. */
const usual = ["audio", "sd", "hd", "uhd", "video"];
const maximumTracks = 16;
const name = { required: true, pattern: "[A-Za-z0-9._\\-]{1,100}", autocomplete: "off", spellcheck: "false" };
const digits = { required: true, pattern: "[0-9a-fA-F]{32}", autocomplete: "off", spellcheck: "false", class: "mono" };

export default { path: "new-title", title: "Add a title", isHidden: true, show };

async function show({ main, signal }) {
  fill(main, head("Add a title", "Add a title with its tracks. Each track needs its own key: a policy can then "
      + "require more for UHD than for SD, and the key of one track does not decrypt another.",
      h("a", { href: "#/titles" }, "All titles")));
  if (!isAllowed("content")) return main.append(message("Your role may not change content.", "warn"));
  const policies = await all("/policies", 500, { signal });
  const title = h("input", name);
  const policy = h("select", null, h("option", { value: "" }, "default"),
    policies.filter((one) => one.name !== "default").map((one) => h("option", { value: one.name }, one.name)));
  const answer = h("div", { "aria-live": "polite" });
  const add = h("button", { type: "button" }, "Add a track");
  const submit = h("button.primary", { type: "submit" }, "Add title");
  const reveal = h("button", { type: "button", "aria-pressed": "false" }, "Show keys");
  const place = h("div.stack");
  const tracks = [];
  /** The paths that have been stored, so that another attempt continues after the ones that succeeded. */
  const stored = new Set();

  function draw() {
    fill(place, tracks.map((track, index) => track.element(`Track ${index + 1}`, tracks.length > 1 && (() => {
      tracks.splice(tracks.indexOf(track), 1);
      draw();
      add.focus();
    }))));
    add.disabled = tracks.length >= maximumTracks;
    nameAssets();
  }
  function nameAssets() { for (const track of tracks) track.suggest(title.value, tracks.length === 1); }
  function another() {
    const isTaken = (kind) => tracks.some((track) => track.kind.value === kind);
    const track = newTrack(tracks.length ? usual.find((kind) => !isTaken(kind)) ?? "unspecified" : "video", nameAssets);
    tracks.push(track);
    track.show(reveal.getAttribute("aria-pressed") === "true");
    draw();
    return track;
  }
  title.addEventListener("input", nameAssets);
  add.addEventListener("click", () => another().kind.focus());
  reveal.addEventListener("click", () => {
    const shows = reveal.getAttribute("aria-pressed") !== "true";
    reveal.setAttribute("aria-pressed", String(shows));
    reveal.textContent = shows ? "Hide keys" : "Show keys";
    for (const track of tracks) track.show(shows);
  });

  async function store(path, body) {
    if (stored.has(path)) return;
    await put(path, body);
    stored.add(path);
  }
  async function save(event) {
    event.preventDefault();
    submit.disabled = true;
    fill(answer);
    try {
      const items = tracks.map((track) => track.values());
      requireDifferent(items);
      const path = `/titles/${part(title.value)}`;
      const keyPath = (item) => `/content/${part(item.assetID)}`;
      // Existing titles and keys are never replaced here.
      if (await isThere(path, stored)) throw new Error(`The title ${title.value} already exists.`);
      for (const item of items) {
        if (await isThere(keyPath(item), stored)) throw new Error(`A key for ${item.assetID} already exists.`);
      }
      await store(path, policy.value ? { policy: policy.value } : {});
      for (const item of items) {
        await store(`${path}/tracks/${part(item.name)}`, { kind: item.kind });
        await store(keyPath(item), { ...item.key, title: title.value, titleTrack: item.name });
      }
      toast(`${title.value} is added.`);
      location.hash = titleLink(title.value);
    } catch (error) {
      fill(answer, message(stored.size
          ? `${error.message} Part of the title is stored; correct the rest and choose Add title again.`
          : error.message, "bad"));
    } finally {
      submit.disabled = false;
    }
  }

  another();
  main.append(h("form.stack", { onsubmit: save },
    h("section.card", { "aria-label": "Title" },
      h("div.fields", null, field("Title", title, "Letters, digits, dots, hyphens and underscores."),
        field("Policy", policy, "The policy for all licenses of the title."))),
    h("p.note", null, "Generate keys creates random key IDs, keys and IVs in this browser. The packager must encrypt "
      + "with the same values: store them now, because they are not shown again."),
    place,
    h("section.card", { "aria-label": "Add" },
      h("div.actions", null, add,
        h("button", { type: "button", onclick: () => { for (const track of tracks) track.draw(); } }, "Generate keys"),
        reveal, submit), answer)));
}

/**
 * The form fields of one track. The suggested name and asset ID follow the kind and the title until the user changes
 * them.
 */
function newTrack(kindName, changed) {
  const kind = h("select", { value: kindName }, kindChoices.map(([value, text]) => h("option", { value }, text)));
  const ownName = h("input", { ...name, value: kindName });
  const assetID = h("input",
    { required: true, minlength: 2, maxlength: 200, autocomplete: "off", spellcheck: "false" });
  const [keyID, iv] = [h("input", digits), h("input", digits)];
  const key = h("input", { ...digits, type: "password", autocomplete: "new-password" });
  let [isOwnName, isOwnAsset] = [false, false];
  kind.addEventListener("change", () => {
    if (!isOwnName) ownName.value = kind.value;
    changed();
  });
  ownName.addEventListener("input", () => { isOwnName = ownName.value !== ""; changed(); });
  assetID.addEventListener("input", () => { isOwnAsset = assetID.value !== ""; });
  const fields = h("div.fields", null, field("Kind", kind, "Policies can have stricter rules for video."),
    field("Track", ownName, "The name of the track."),
    field("Asset ID", assetID, "The ID that devices request, as in skd://ASSET."),
      field("Key ID", keyID, "32 hexadecimal digits."),
    field("Content key", key, "32 hexadecimal digits."), field("IV", iv, "32 hexadecimal digits."));
  return {
    kind,
    element: (label, remove) => h("section.card", { "aria-label": label }, h("h2", null, label), fields,
      remove && h("div.actions", null,
        h("button.danger", { type: "button", "aria-label": `Remove ${label.toLowerCase()}`, onclick: remove },
          "Remove"))),
    suggest(title, isAlone) { if (!isOwnAsset) assetID.value = title && (isAlone ? title : `${title}/${ownName.value}`);
      },
    show(isShown) { key.type = isShown ? "text" : "password"; },
    draw() { for (const input of [keyID, key, iv]) input.value = hex(16); },
    values: () => ({ name: ownName.value, kind: kind.value, assetID: assetID.value,
        key: { key: key.value, iv: iv.value, keyId: keyID.value } }),
  };
}

/**
 * Throws if two tracks share a name, an ID or a key: the second would replace the first, or tracks would not have
 * separate keys.
 */
function requireDifferent(items) {
  const uses = [["track", (item) => item.name], ["asset ID", (item) => item.assetID],
    ["key ID", (item) => item.key.keyId.toLowerCase()], ["content key", (item) => item.key.key.toLowerCase()]];
  for (const [what, value] of uses) {
    const number = items.findIndex((item, index) => items.findIndex((other) => value(other) === value(item)) < index);
    if (number > 0) throw new Error(`Track ${number + 1} has the ${what} of another track.`);
  }
}

function hex(count) {
  return [...crypto.getRandomValues(new Uint8Array(count))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function isThere(path, stored) {
  if (stored.has(path)) return false;
  try { await request(path); return true; } catch (error) { if (error.status === 404) return false; throw error; }
}
