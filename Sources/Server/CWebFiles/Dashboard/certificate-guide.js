// The commands that add, replace and delete a certificate bundle. They run on the server: a private key and an ASk must
// not travel through a browser, so this form asks for the names of files, and never for their content.

import { command, copyable, dateText, field, fill, h } from "./dom.js";

const source = {
  plugin: "plug-in with Apple's D function",
  provisioning: "plug-in with provisioning data",
  development: "development (only with --dev)",
};

/**
 * The form, and the steps for what it contains.
 * @param {Array<Object>} bundles the bundles of the server
 * @param {string|null} data the server's data folder
 */
export function changeGuide(bundles, data) {
  const text = (value) => h("input", { value, autocomplete: "off", spellcheck: "false", maxlength: 200 });
  const choice = (options) => h("select", null, options.map(([value, words]) => h("option", { value }, words)));
  const replaced = choice([["", "none: this is another certificate"], ...bundles.map((one) => [one.name, one.name])]);
  const until = h("input", { type: "date", value: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10) });
  const name = h("input",
    { value: free("app"), pattern: "[A-Za-z0-9._\\-]{1,100}", autocomplete: "off", spellcheck: "false" });
  const dask = choice(Object.entries(source));
  const key = choice([["file", "in a file"], ["encrypted", "in a file, with a passphrase"],
    ["uri", "in a security module (PKCS #11)"]]);
  const folder = text("/etc/keyway/new");
  const untilField = field("Apps use the new one by", until);
  const steps = h("ol.steps", { "aria-live": "polite" });

  /** Returns the name, or one with a number that no bundle has: a new bundle is beside the old one. */
  function free(wanted) {
    const isTaken = (candidate) => bundles.some((one) => one.name === candidate);
    let [candidate, number] = [wanted, 2];
    while (isTaken(candidate)) candidate = `${wanted}-${number++}`;
    return candidate;
  }
  function draw() {
    untilField.hidden = !replaced.value;
    const at = (file) => `${folder.value.trim().replace(/\/+$/, "") || "FOLDER"}/${file}`;
    const isPlugin = dask.value !== "development";
    const secrets = [key.value !== "uri" && at("private-key.pem"), key.value === "encrypted" && at("passphrase"),
      dask.value === "provisioning" ? at("provisioning-data") : at("ask.hex")].filter(Boolean);
    const add = command("keyway-server certificates add --data FOLDER --name NAME --kind KIND "
      + "--certificate CERTIFICATE --private-key FILE --private-key-uri URI --passphrase-file PASSPHRASE "
      + "--plugin LIBRARY --ask ASK --provisioning-data DATA", {
      FOLDER: data, NAME: name.value.trim(), KIND: isPlugin ? "production" : "development",
      CERTIFICATE: at("certificate.der"), FILE: key.value === "uri" ? null : at("private-key.pem"),
      URI: key.value === "uri" ? "pkcs11:object=fps" : null,
      PASSPHRASE: key.value === "encrypted" ? at("passphrase") : null,
      LIBRARY: isPlugin ? "/opt/dask/libdask.so" : null,
      ASK: dask.value === "provisioning" ? null : `@${at("ask.hex")}`,
      DATA: dask.value === "provisioning" ? at("provisioning-data") : null,
    });
    const mode = h("code.command", null, `chmod 600 ${secrets.join(" ")}`);
    fill(steps,
      h("li", null, h("p", null, "Put the files on the server, readable only by the account of the server. ",
        dask.value !== "provisioning" && "The ASk is one line of 32 hexadecimal digits. "),
      h("p", null, copyable(mode.textContent, mode))),
      h("li", null, h("p", null,
          "Add the bundle. The command checks that the private key belongs to the certificate, and "
        + "running servers load it within ten seconds."), h("p", null, copyable(add.textContent, add))),
      h("li", null, h("p", null, "Let the apps load the new certificate: ",
        h("code", null, `GET /fps/certificate?app=${encodeURIComponent(name.value.trim())}`),
        ". While the server has several certificates, a request without app gets 404; licenses are issued for each of "
        + "them.")),
      replaced.value && retire(bundles.find((one) => one.name === replaced.value)));
  }
  function retire(old) {
    const remove = command("keyway-server certificates delete --data FOLDER --name NAME",
      { FOLDER: data, NAME: old.name });
    const last = old.requests ? `The last request for it was at ${dateText(1000 * old.lastRequest)}.`
      : "This server has had no request for it since its start.";
    return h("li", null,
      h("p", null, `After ${until.value || "that date"}, when no app uses ${old.name} any longer, delete `
      + `it. ${last} Its devices are then refused with unknown-certificate.`),
    h("p", null, copyable(remove.textContent, remove)));
  }
  replaced.addEventListener("input", () => { if (replaced.value) name.value = free(replaced.value); });
  for (const one of [replaced, until, name, dask, key, folder]) one.addEventListener("input", draw);
  draw();
  return h("section.card", null, h("h2", null, "Add, replace or delete a certificate"),
    h("p.note", null, "Private keys and ASks are not sent through the browser: these are the commands to run on the "
      + "server. Enter no secrets here."),
    h("div.fields", null, field("Replaces", replaced), untilField, field("Name", name),
      field("Source of the DASk", dask),
      field("Private key", key), field("Folder on the server", folder)), steps);
}
