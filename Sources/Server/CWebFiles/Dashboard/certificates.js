// Certificate bundles: those that the server has, whether they are in use, and how to add, replace and delete one.

import { isAllowed, request } from "./api.js";
import { badge, copyable, empty, fill, h, head, number, time } from "./dom.js";
import { changeGuide } from "./certificate-guide.js";
import { listing } from "./list.js";

export default {
  path: "certificates",
  title: "Certificates",
  async show({ main, signal }) {
    const guide = h("div");
    const certificates = listing({
      name: "certificates", caption: "Certificates", path: "/certificates", signal, columns,
      none: () => empty("No certificate", "Licenses are issued for the certificate of an app. Add one as below."),
    });
    fill(main, head("Certificates", "A certificate bundle is the FPS certificate of an app, its private key, and the "
      + "source of its DASk."), h("div.stack", null,
      h("div.card", null, certificates.element,
        h("p.note.spaced", null,
          "Requests are those to this server since its start. The size of the key determines the "
          + "version of the SPC: 1 with RSA-1024, 2 and later with RSA-2048.")), guide));
    const [data] = await Promise.all([dataFolder(signal), certificates.load()]);
    fill(guide, changeGuide(certificates.items(), data));
  },
};

const columns = [
  { title: "Name", cell: (one) => h("span.short", null, one.name) },
  { title: "Kind", class: "tight", cell: (one) => badge(one.kind, one.kind === "production" ? "good" : "warn") },
  { title: "Subject", cell: (one) => one.subject },
  { title: "Expires", class: "tight", cell: (one) => one.notAfter
    && [time(one.notAfter), h("div", null, daysLeft(one))] },
  { title: "Key", class: "tight", cell: (one) => one.keyBits && `RSA-${one.keyBits}` },
  { title: "In use", class: "tight", cell: use },
  { title: "DASk", class: "tight", cell: (one) => [one.dask, h("span.sub", null, `private key: ${one.privateKey}`)] },
  { title: "Assets", cell: assets },
  { title: "SHA-1", cell: (one) => copyable(one.sha1) },
  { title: "SHA-256", optional: true, cell: (one) => copyable(one.sha256) },
  { title: "Valid from", optional: true, class: "tight", cell: (one) => time(one.notBefore) },
];

function assets({ assetPrefixes }) {
  return assetPrefixes?.map((prefix) => `${prefix.assetId ?? `0x${prefix.assetIdHex}`}…`).join(", ") ?? "all";
}

/** The days after which a certificate that expires soon is marked. */
const soon = 30;

function daysLeft({ notAfter }) {
  const days = Math.floor((notAfter - Date.now() / 1000) / 86_400);
  if (days < 0) return badge("expired", "bad");
  return badge(days === 1 ? "1 day left" : `${number(days)} days left`, days < soon ? "warn" : null);
}

function use({ requests, lastRequest }) {
  if (!requests) return h("span.dim", null, "no request");
  return [requests === 1 ? "1 request" : `${number(requests)} requests`,
    h("span.sub", null, "last ", time(lastRequest, true))];
}

/** The data folder of the server, for commands; null if the role must not read the configuration. */
async function dataFolder(signal) {
  if (!isAllowed("administer")) return null;
  try {
    const { items } = await request("/configuration", { signal });
    return items.find((one) => one.path === "data")?.value ?? null;
  } catch (error) {
    // Without the configuration, the commands have a placeholder.
    if (error.status === undefined && !signal.aborted) throw error;
    return null;
  }
}
