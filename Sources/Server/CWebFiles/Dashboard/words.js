// Outcomes, reasons and changes in words. Every page uses these names, so that an outcome has one name everywhere.

/** The outcomes of requests that succeeded: the name, and the kind of badge. */
const successes = {
  issued: ["issued", "good"],
  "issued-persistable": ["issued, persistent", "good"],
  retried: ["issued again", "good"],
  sync: ["report", "accent"],
  "sync-report": ["report", "accent"],
};

/** What a reason means, and what to do. */
const reasons = {
  "adapter-denied": "The policy does not allow playback through a digital AV adapter.",
  "airplay-denied": "The policy does not allow AirPlay.",
  "asset-mismatch": "The request names a different asset than its SPC.",
  "asset-id-mismatch": "The request names a different asset than its SPC.",
  "challenge-unknown": "The report uses a challenge that the server has not issued, or that was used before.",
  "client-not-protected": "The policy requires FairPlay, and this client would get a raw key.",
  "content-out-of-scope": "The app's certificate may not be used for this asset.",
  "dask-unavailable": "The DASk plug-in did not provide a key. Check the plug-in.",
  "decryption-failed": "The SPC cannot be decrypted with the certificate's private key.",
  "device-class-unknown": "The policy requires a known type of device, and the SPC reports none.",
  "devices-exceeded": "The account has its maximum number of devices. Delete one that is no longer used.",
  "hdcp-not-enforceable": "The device cannot enforce the HDCP type that the policy requires.",
  "integrity-mismatch": "The SPC was changed after the device created it, or DASk is wrong.",
  "internal-error": "The server failed. Its log has the details.",
  "invalidation-unsupported": "The device cannot invalidate persistent keys as the request asks.",
  "key-not-valid": "The key is not valid at this time.",
  "key-payload-invalid": "The key in the SPC is invalid.",
  "lease-ended": "An administrator ended this stream.",
  "license-revoked": "An administrator revoked the persistent key.",
  "malformed-request": "The request is not in a form that the server accepts.",
  "network-denied": "The policy does not allow requests from this network.",
  "no-device": "The SPC has no device ID.",
  "not-after": "The token does not allow playback any longer: its notAfter has passed.",
  "offline-key-unsupported": "The device does not support persistent keys as the policy requires.",
  "origin-denied": "The policy does not allow requests from this web page.",
  "os-version-too-old": "The policy requires a newer version of the operating system.",
  overloaded: "The server had too many requests waiting.",
  "persistent-license-unsupported": "A persistent license requires FairPlay.",
  "playback-halted": "The device reports that playback is halted.",
  "playback-state-missing": "The SPC has no playback state, which the policy requires.",
  "playback-state-unknown": "The SPC has a playback state that is not defined.",
  "policy-invalid": "The policy is invalid for this content.",
  "protocol-version": "The device and the server have no common protocol version.",
  "rate-limited": "The account or the address sent too many requests.",
  "renewal-after-expiry": "The renewal arrived after the lease had expired.",
  "rental-expired": "The rental is over.",
  "rental-needs-device": "A rental requires a device that can be recognized.",
  "rental-on-other-device": "The rental was started on another device.",
  "rental-start-missing": "The token has no start of the rental, which its policy requires.",
  replayed: "The same request was answered before.",
  "report-missing": "The SPC lacks a report that the policy requires.",
  "security-level-too-low": "The policy requires a higher security level than the device has.",
  "spc-date-in-future": "The SPC was created in the future. Check the clocks of the device and the server.",
  "spc-too-old": "The SPC is older than the policy allows. Check the clocks of the device and the server.",
  "stream-id-missing": "A persistent key requires a stream ID, and the content has none.",
  "streams-exceeded": "The account plays on its maximum number of devices at the same time.",
  "sync-spc": "The message is a report, which gets no key.",
  tampered: "The SPC was changed after the device created it.",
  "token-already-bound": "The single-use token was used by another device or session.",
  "token-asset": "The token is for another asset.",
  "token-audience": "The token is for another service.",
  "token-device": "The token is for another device.",
  "token-expired": "The app's token has expired.",
  "token-issuer": "The token's issuer is not configured.",
  "token-malformed": "The token cannot be parsed.",
  "token-missing": "The request has no token.",
  "token-not-yet-valid": "The token is not valid yet. Check the clocks of the token's issuer and the server.",
  "token-signature": "The token's signature is invalid.",
  "token-unknown-key": "The token's key is unknown. Check the JWKS of the issuer.",
  unavailable: "The server could not read or write its store.",
  "too-many-stream-ids": "The request names too many stream IDs.",
  "unknown-asset": "There is no key for the asset.",
  "unknown-certificate": "The app uses a certificate that the server does not have.",
  "unreadable-spc": "The SPC cannot be opened: it was not created for this certificate, or it is damaged.",
  "unsupported-spc-version": "The server does not support this version of the SPC.",
  "unsupported-version": "The server does not support this version of the SPC.",
  "version-downgrade": "The device used an older protocol version than both sides support.",
  "version-mismatch": "The device and the server have no common protocol version.",
  "virtual-machine": "The policy does not allow virtual machines.",
};

/** The changes by administrators, whose outcome begins with admin-. */
const changes = [
  "policy-put", "policy-delete", "title-put", "title-delete", "track-put", "track-delete", "content-put",
    "content-delete", "channel-put", "channel-delete", "periods-create",
  "certificate-put", "certificate-delete", "token-create", "token-delete", "lease-end", "device-delete",
    "rental-delete", "license-revoke", "sign-in", "sign-out", "speke",
];
const verbs = { put: "saved", delete: "deleted", create: "created", end: "ended", revoke: "revoked" };
/** Returns the name of a change: policy saved. */
function changeName(code) {
  if (code === "speke") return "keys for an encoder";
  const [subject, verb] = code.split("-");
  return `${subject}${verb ? ` ${verbs[verb] ?? verb}` : ""}`;
}

/** The names of outcomes for a filter: successes, and changes by administrators. */
export const outcomeChoices = [
  ...Object.entries(successes).filter(([name]) => name !== "sync").map(([name, [words]]) => [name, words]),
  ...changes.map((code) => [`admin-${code}`, changeName(code)]),
];
export const reasonChoices = Object.keys(reasons).sort().map((name) => [name, name]);

/**
 * Describes the outcome of a request: an entry of the audit log, whose outcome is the reason of a refusal; or a request
 * in memory, whose reason is separate.
 * @returns {{name: string, kind: string, words: string|undefined, isRefusal: boolean}}
 */
export function describe({ outcome, reason }) {
  const [name, kind] = successes[outcome] ?? [];
  if (name) return { name, kind, words: undefined, isRefusal: false };
  if (outcome.startsWith("admin-")) return { name: changeName(outcome.slice(6)), kind: "accent", words: undefined,
    isRefusal: false };
  const code = reason ?? outcome;
  return { name: code, kind: "bad", words: reasons[code], isRefusal: true };
}

const classes = {
  appleMobile: "iPhone, iPad", appleLiving: "Apple TV", appleDesktop: "Mac", appleSpatial: "Vision Pro",
  appleWatch: "Apple Watch", partner: "Partner device", unknown: "Unknown device",
  clearKey: "Player with Clear Key", aes128: "Player with AES-128",
};
export const classChoices = Object.entries(classes);

/** Returns the display name of a device class. */
export function deviceName(kind) {
  if (!kind) return null;
  const [name, ...rest] = kind.split(" (");
  return (classes[name] ?? name) + (rest.length ? ` (${rest.join(" (")}` : "");
}

const kinds = { video: "video", audio: "audio", sd: "SD video", hd: "HD video", uhd: "UHD video",
  unspecified: "not specified" };
/** Returns the display name of the kind of a track. */
export const kindName = (kind) => kinds[kind] ?? kind;
export const kindChoices = Object.entries(kinds);
