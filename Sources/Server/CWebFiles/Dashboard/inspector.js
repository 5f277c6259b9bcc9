// The inspector, which shows the parts of an SPC or CKC that the server has parsed.

import { post } from "./api.js";
import { badge, code, command, empty, facts, field, fill, h, head, message, number, table } from "./dom.js";

const limit = 65536;

/** Returns the content of a file as text: its bytes in base64, unless it already contains base64 or JSON. */
async function textOf(file) {
  if (file.size > limit) throw new Error("The file is too large for an SPC or a CKC.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.every((byte) => byte === 9 || byte === 10 || byte === 13
      || (byte >= 32 && byte < 127))) return new TextDecoder().decode(bytes);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Extracts the base64 message from pasted text, which may be a license request in JSON or a form field. */
export function messageIn(text) {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) {
    const value = JSON.parse(trimmed);
    const found = value.spc ?? value.ckc ?? value.message;
    if (typeof found !== "string") throw new Error("This JSON contains neither spc nor ckc.");
    return found;
  }
  return /^(spc|ckc)=/.test(trimmed) ? decodeURIComponent(trimmed.slice(4)) : trimmed.replace(/\s+/g, "");
}

export default {
  path: "inspector",
  title: "Inspector",
  show({ main, signal }) {
    const text = h("textarea", { rows: 7, spellcheck: "false", autocomplete: "off", required: true });
    const file = h("input", { type: "file" });
    const place = h("div.stack", { "aria-live": "polite" });
    const button = h("button.primary", { type: "submit" }, "Inspect");
    const drop = h("div.drop", null, "Drop a file here");
    async function inspect() {
      button.disabled = true;
      try {
        const report = await post("/inspections", { message: messageIn(text.value) });
        if (!signal.aborted) fill(place, show(report));
      } catch (error) {
        fill(place, message(error instanceof SyntaxError ? "This is not JSON." : error.message, "bad"));
      } finally {
        button.disabled = false;
      }
    }
    async function inspectFile(chosen) {
      if (!chosen) return;
      try {
        text.value = await textOf(chosen);
        await inspect();
      } catch (error) { fill(place, message(error.message, "bad")); }
    }
    file.addEventListener("change", () => inspectFile(file.files[0]));
    for (const type of ["dragenter", "dragover"]) drop.addEventListener(type,
      (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop",
      (event) => { event.preventDefault(); drop.classList.remove("over"); inspectFile(event.dataTransfer.files[0]); });
    fill(main, head("Inspector", "Shows the parts of an SPC or a CKC. The content of blocks with key material is "
        + "never shown, and nothing is stored."),
      h("div.stack", null, h("form.card", { onsubmit(event) { event.preventDefault(); inspect(); } },
        h("div.fields.one", null, field("Message", text, "Base64, or JSON with the field spc or ckc."),
          field("Or a file", file), drop), h("div.actions", null, button)), place));
    fill(place, empty("Nothing to show yet", "Paste an SPC as your app sent it, or drop a file. ",
        h("p", null, "To create one: ", command("keyway spc create --credentials FOLDER --asset NAME --out FILE"))));
  },
};

function show(report) {
  const kind = report.kind.toUpperCase();
  const columns = [
    { title: "Part", cell: (part) => [part.name, part.tag && h("span.sub", null, code(part.tag))] },
    { title: "Offset", class: "num", cell: (part) => number(part.offset) },
    { title: "Bytes", class: "num", cell: (part) => number(part.size) },
    { title: "Content",
      cell: (part) => (part.secret ? badge("not shown") : part.value === undefined
        ? h("span.dim", null, part.tag ? "not described" : "encrypted") : /^[0-9a-f]{16,}$/.test(part.value)
        ? code(part.value) : part.value) },
  ];
  return [
    h("section.card", null,
      h("h2", null, kind, " ", report.opened ? badge("decrypted", "good") : badge("unencrypted part only")),
      facts([["Size", `${number(report.size)} bytes`], ["Certificate", report.bundle],
          ["Device", report.device && code(report.device)],
          ["Remarks", report.remarks.length ? report.remarks.join("; ") : null]]), report.note
        && message(report.note, report.opened ? null : "warn")),
    h("section.card", null, h("h2", null, "Structure"), table(`Structure of the ${kind}`, columns, report.frame)),
    report.blocks.length
      && h("section.card", null, h("h2", null, `Blocks of the payload, ${report.blocks.length}`),
      table("Blocks of the payload", columns, report.blocks)),
  ];
}
