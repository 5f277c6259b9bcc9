// @ts-check
/** @file All errors of playback, each with a stable code and a description for the viewer. */

/**
 * The description of each code, with what to do. docs/browser-playback.md contains the same table; a test compares the
 * two.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const MESSAGES = Object.freeze({
    "insecure-page": "Browsers provide keys only to pages loaded over HTTPS or from this machine. Open the page with https://.",
    "no-key-system": "This browser has no key system for this stream. Safari supports FairPlay; other browsers require Clear Key.",
    "certificate-unavailable":
        "The server returned no FairPlay certificate. Check the URL of the key server, and that its operator has added a certificate.",
    "certificate-rejected":
        "The browser rejects the FairPlay certificate of the server. Check that it is the certificate from Apple.",
    "certificate-unknown":
        "The server does not have the FairPlay certificate that this request was made with. Load the page again.",
    "request-unreadable":
        "The server cannot decrypt the browser's request. Check that its private key belongs to its certificate; its audit log contains the cause.",
    "token-unavailable": "The page could not get a playback token. Sign in again.",
    "token-expired": "The playback token has expired. Get a new one and try again.",
    "token-refused":
        "The server rejects the playback token. Sign in again. If that does not help, compare the token with the server's setting authorization.tokens.",
    "license-refused": "The server refuses the key for this stream. Its audit log contains the rule.",
    "too-many-streams": "This account has too many simultaneous streams. Stop one and try again.",
    "too-many-devices": "This account has too many devices. Remove one and try again.",
    "unknown-key": "The server has no key for this stream. Check that the keys of this stream were added to this server.",
    "keys-not-offered": "The server does not issue keys to players without FairPlay. The server's operator can enable this.",
    "too-many-requests": "Too many requests to the server. Wait a minute and try again.",
    "server-busy": "The server is busy. Try again in a few seconds.",
    "server-unreachable":
        "The key server cannot be reached, or it does not allow requests from this page (CORS). Check its URL, and that the server's setting cors.origins contains the origin of this page.",
    "server-failed": "The key server failed. See its log for the cause.",
    "key-rejected":
        "The browser rejects the key from the server. Load the stream again. If that does not help, check the server's credentials.",
    "key-missing":
        "The server returned keys, but not the one that this stream is encrypted with. Check that the keys of this stream were added to this server.",
    "key-expired": "The key has expired. Load the stream again.",
    "output-restricted":
        "The display or its connection does not have the output protection that this stream requires. Use another display.",
    "key-system-failed": "The browser's key system failed. Reload the page.",
    "stalled": "Playback has stopped, because the next part of the stream did not arrive. Check the network, or load the stream again.",
    "live-ended": "The live stream is not updated anymore. Load it again later.",
    "wrong-key":
        "The media cannot be decoded, probably because they were encrypted with a different key. Check the stream with keyway validate.",
    "playlist-unreachable": "The playlist cannot be loaded: it does not exist, or its server does not allow this page to read it (CORS).",
    "playlist-malformed": "The playlist is malformed. Check it with keyway validate.",
    "playlist-unsupported": "This page cannot play this type of playlist. Use a Multivariant Playlist with fragmented MP4 segments.",
    "aes-128-unsupported":
        "The stream uses AES-128 segment encryption, which requires a browser with native HLS. This browser has none.",
    "segment-unreachable": "A media segment cannot be loaded: it does not exist, or its server does not allow this page to read it (CORS).",
    "codec-unsupported": "This browser cannot decode this stream. Use another browser.",
    "media-malformed": "The media is damaged. Check the stream with keyway validate.",
    "decode-failed": "The browser could not decode the media. Check the stream with keyway validate.",
});

/**
 * An error of playback. `code` is for programs, `description` and `detail` are for the viewer; none of them contains a token
 * or a key.
 */
export class PlayerError extends Error {
    /**
     * @param {string} code one of {@link MESSAGES}
     * @param {string} [detail] which item, where, or the server's description
     * @param {{problem?: string, reason?: string, status?: number}} [server] the main fields of the server's problem
     * document
     */
    constructor(code, detail = "", server = {}) {
        super(detail ? `${MESSAGES[code]} (${detail})` : MESSAGES[code]);
        this.name = "PlayerError";
        this.code = code;
        this.description = MESSAGES[code];
        this.detail = detail;
        /** The last part of the problem's type, such as `refused-by-policy`; empty if the server did not respond. */
        this.problem = server.problem ?? "";
        /** The rule that refused the request, such as `client-not-protected`. */
        this.reason = server.reason ?? "";
        this.status = server.status ?? 0;
    }

    /**
     * Converts any thrown value to an error of the player.
     *
     * @param {unknown} thrown
     * @param {string} code the code, unless the value is already a {@link PlayerError}
     * @returns {PlayerError}
     */
    static from(thrown, code) {
        if (thrown instanceof PlayerError) return thrown;
        return new PlayerError(code, thrown instanceof Error ? thrown.message : String(thrown));
    }
}

/** @type {Readonly<Record<string, string>>} codes by the server's problem type (without `urn:keyway:problem:`) */
const PROBLEMS = Object.freeze({
    "token-expired": "token-expired",
    "unknown-certificate": "certificate-unknown",
    "unreadable-spc": "request-unreadable",
    "refused-by-policy": "license-refused",
    "asset-mismatch": "license-refused",
    "replayed": "license-refused",
    "forbidden": "license-refused",
    "key-url-expired": "license-refused",
    "key-url-signature": "license-refused",
    "token-already-bound": "token-refused",
    "unauthorized": "token-refused",
    "streams-exceeded": "too-many-streams",
    "devices-exceeded": "too-many-devices",
    "unknown-asset": "unknown-key",
    "not-found": "keys-not-offered",
    "rate-limited": "too-many-requests",
    "overloaded": "server-busy",
    "unavailable": "server-busy",
});

/**
 * Creates the error for a refusal of the server.
 *
 * @param {number} status the status of the response
 * @param {any} document the problem document (RFC 9457), or other content of the response
 * @returns {PlayerError}
 */
export function refusal(status, document) {
    const field = (/** @type {string} */ name) => (typeof document?.[name] === "string" ? document[name] : "");
    const problem = field("type").replace(/^urn:keyway:problem:/, "");
    const reason = field("reason");
    const byStatus = status === 404 ? "unknown-key" : status === 401 ? "token-refused" : status < 500 ? "license-refused" : "server-failed";
    const code = PROBLEMS[problem] ?? (problem.startsWith("token-") ? "token-refused" : byStatus);
    return new PlayerError(code, reason || field("detail") || field("title") || `status ${status}`, { problem, reason, status });
}
