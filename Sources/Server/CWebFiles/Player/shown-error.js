// @ts-check
/** @file Which of several errors of a presentation is its cause. */

/** @typedef {import("./errors.js").PlayerError} PlayerError */

/** The codes of errors about a key: without it, playback stops once the media before it have been played. */
const KEY_CODES = new Set([
    "certificate-unavailable", "certificate-rejected", "certificate-unknown", "request-unreadable", "token-unavailable", "token-expired",
    "token-refused", "license-refused", "too-many-streams", "too-many-devices", "unknown-key", "keys-not-offered", "too-many-requests",
    "server-busy", "server-unreachable", "server-failed", "key-rejected", "key-missing", "key-expired", "output-restricted",
    "key-system-failed",
]);

/** The error to show of a presentation, so that the consequence of an error does not hide its cause. */
export class ShownError {
    /** The error to show; null without one. @type {PlayerError | null} */
    error = null;

    /**
     * Adds an error. The first error about a key remains the one to show; it also explains why playback stops.
     *
     * @param {PlayerError} error
     * @returns {boolean} whether to report the error: false for `stalled` after an error about a key
     */
    add(error) {
        const isExplained = this.error !== null && KEY_CODES.has(this.error.code);
        if (!isExplained) this.error = error;
        return !(isExplained && error.code === "stalled");
    }
}
