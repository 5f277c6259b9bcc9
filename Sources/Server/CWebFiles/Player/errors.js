// @ts-check
/** @file Everything that can go wrong, each with a code that never changes and with words for a person. */

/**
 * What each code means and what can be done. docs/browser-playback.md has the same table; a test holds the two together.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const WORDS = Object.freeze({
    "insecure-page": "Browsers give keys only to pages that came by https, or from this machine. Open the page that way.",
    "no-key-system": "This browser has no key system for this stream. FairPlay is in Safari; elsewhere the stream needs Clear Key.",
    "certificate-unavailable": "The server gave no FairPlay certificate. Ask its operator whether one is installed.",
    "token-unavailable": "The page could not get a playback token. Sign in again.",
    "token-expired": "The playback token has expired. Get a new one and try again.",
    "token-refused": "The server does not accept the playback token.",
    "license-refused": "The server refuses the key for this stream.",
    "too-many-streams": "Too many streams play on this account at once. Stop one and try again.",
    "too-many-devices": "This account has too many devices. Remove one and try again.",
    "unknown-key": "The server has no key for this stream.",
    "keys-not-offered": "The server gives no keys to players without FairPlay. Its operator can turn that on.",
    "too-many-requests": "The server was asked too often. Wait a minute and try again.",
    "server-busy": "The server is busy. Try again in a moment.",
    "server-unreachable": "The key server cannot be reached, or it does not let this page ask (CORS).",
    "server-failed": "The key server failed. Its log says more.",
    "key-rejected": "The browser does not take the key that the server gave.",
    "key-missing": "The server gave keys, but not the one that this stream is encrypted with.",
    "key-expired": "The key has expired.",
    "output-restricted": "The screen or its cable is not protected as this stream demands.",
    "key-system-failed": "The browser's key system failed. Reload the page.",
    "wrong-key": "The media cannot be decoded. Most probably the key is not the one that it was encrypted with.",
    "playlist-unreachable": "The playlist cannot be loaded: it is not there, or its server does not let this page read it (CORS).",
    "playlist-malformed": "The playlist cannot be read.",
    "playlist-unsupported": "This page cannot play this kind of playlist.",
    "aes-128-unsupported":
        "Whole segments are encrypted (AES-128), which only a browser that plays HLS by itself can play. This one does not.",
    "segment-unreachable": "A part of the media cannot be loaded: it is not there, or its server does not let this page read it (CORS).",
    "codec-unsupported": "This browser cannot decode this stream.",
    "media-malformed": "The media is damaged.",
    "decode-failed": "The browser could not decode the media.",
});

/**
 * A failure of playback. `code` is for programs, `words` and `detail` are for people; none holds a token or a key.
 */
export class PlayerError extends Error {
    /**
     * @param {string} code one of {@link WORDS}
     * @param {string} [detail] which one, where, or what the server said
     * @param {{problem?: string, reason?: string, status?: number}} [server] the server's problem document, in short
     */
    constructor(code, detail = "", server = {}) {
        super(detail ? `${WORDS[code]} (${detail})` : WORDS[code]);
        this.name = "PlayerError";
        this.code = code;
        this.words = WORDS[code];
        this.detail = detail;
        /** The last part of the problem's type, such as `refused-by-policy`; empty when the server did not answer. */
        this.problem = server.problem ?? "";
        /** Which rule refused, such as `client-not-protected`. */
        this.reason = server.reason ?? "";
        this.status = server.status ?? 0;
    }

    /**
     * Whatever was thrown, as an error of the player.
     *
     * @param {unknown} thrown
     * @param {string} code what it is unless it says otherwise
     * @returns {PlayerError}
     */
    static from(thrown, code) {
        if (thrown instanceof PlayerError) return thrown;
        return new PlayerError(code, thrown instanceof Error ? thrown.message : String(thrown));
    }
}

/** @type {Readonly<Record<string, string>>} problem type of the server (without `urn:keyway:problem:`) to code */
const PROBLEMS = Object.freeze({
    "token-expired": "token-expired",
    "refused-by-policy": "license-refused",
    "asset-mismatch": "license-refused",
    "replayed": "license-refused",
    "forbidden": "license-refused",
    "key-url-expired": "license-refused",
    "key-url-signature": "license-refused",
    "token-bound-elsewhere": "token-refused",
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
 * What a refusal of the server comes to.
 *
 * @param {number} status of the answer
 * @param {any} document the problem document (RFC 9457), or what there was in its place
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
