// Certificate bundles. They are changed only on the command line, because a private key must not travel through a
// browser.

import { badge, command, copyable, empty, fill, h, head, time } from "./dom.js";
import { listing } from "./list.js";

export default {
  path: "certificates",
  title: "Certificates",
  async show({ main, signal }) {
    const certificates = listing({
      name: "certificates", caption: "Certificates", path: "/certificates", signal,
      columns: [
        { title: "Name", cell: (one) => one.name },
        { title: "Kind", class: "tight", cell: (one) => badge(one.kind, one.kind === "production" ? "good" : "warn") },
        { title: "Subject", cell: (one) => one.subject },
        { title: "DASk", class: "tight", cell: (one) => one.dask },
        { title: "Private key", class: "tight", cell: (one) => one.privateKey },
        { title: "Assets",
          cell: (one) => one.assetPrefixes?.map((prefix) => `${prefix.assetId ?? `0x${prefix.assetIdHex}`}…`).join(", ")
          ?? "all" },
        { title: "SHA-1", cell: (one) => copyable(one.sha1) },
        { title: "SHA-256", optional: true, cell: (one) => copyable(one.sha256) },
        { title: "Valid from", optional: true, class: "tight", cell: (one) => time(one.notBefore) },
        { title: "Expires", class: "tight", cell: (one) => time(one.notAfter) },
      ],
      none: () => empty("No certificate", "Licenses are issued for the certificate of an app."),
    });
    fill(main, head("Certificates",
        "A certificate bundle is the FPS certificate of an app, its private key, and the source of its DASk."),
      h("div.stack", null,
      h("div.card", null, certificates.element),
      h("section.card", null, h("h2", null, "Add a certificate, or change to a new one"),
        h("p.note", null, "Private keys are not sent through the browser. Add the new certificate beside the old "
          + "one, let the apps load it, and delete the old one when the audit log has no more requests for it."),
        h("p", null, command(
            "keyway-server certificates add --data FOLDER --name NAME --kind production --certificate FILE "
            + "--private-key FILE --plugin FILE")))));
    await certificates.load();
  },
};
