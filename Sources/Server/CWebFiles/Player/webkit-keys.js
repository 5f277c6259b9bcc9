// @ts-check
/** @file Keys with the prefixed API of older Safari (`WebKitMediaKeys`), for FairPlay with native HLS. */

import { contentID, prefixedInitData, prefixedKeyURI } from "./init-data.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */
/** @typedef {import("./keys.js").KeyEvents} KeyEvents */

const KEY_SYSTEM = "com.apple.fps.1_0";

/** The names of the error codes of `webkitkeyerror`. */
const ERRORS = ["", "unknown", "client", "service", "output", "hardware change", "domain"];

/** @returns {boolean} whether this browser has the prefixed API with FairPlay */
export function hasPrefixedKeys() {
    const keys = /** @type {any} */ (globalThis).WebKitMediaKeys;
    return Boolean(keys?.isTypeSupported?.(KEY_SYSTEM, "video/mp4"));
}

/** The keys of one video element. Each key URI has its own session. */
export class PrefixedKeys {
    /** @type {Map<string, any>} */
    #sessions = new Map();
    /** @type {Map<string, string>} */
    #statuses = new Map();
    #isClosed = false;
    #video;
    #server;
    #certificate;
    #events;
    /** @type {(event: any) => void} */
    #onNeedKey = (event) => this.#need(event.initData);

    /**
     * @param {HTMLVideoElement} video
     * @param {LicenseServer} server
     * @param {Uint8Array} certificate
     * @param {KeyEvents} events
     */
    constructor(video, server, certificate, events) {
        this.#video = /** @type {any} */ (video);
        this.#server = server;
        this.#certificate = certificate;
        this.#events = events;
        this.system = KEY_SYSTEM;
        video.addEventListener("webkitneedkey", this.#onNeedKey);
    }

    /**
     * Prepares a video element for encrypted media. Call this before the element gets media.
     *
     * @param {HTMLVideoElement} video
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @returns {Promise<PrefixedKeys>}
     */
    static async attach(video, server, events) {
        return new PrefixedKeys(video, server, await server.certificate(), events);
    }

    /** The status of each key, by key URI. @returns {ReadonlyMap<string, string>} */
    get statuses() {
        return this.#statuses;
    }

    /** Does nothing: with this API, the media's initialization data identify the keys. */
    async needKeyID() {}

    /** Requests every key again, before its lease expires. */
    async renew() {
        for (const session of this.#sessions.values()) {
            try {
                session.update(new TextEncoder().encode("renew"));
            } catch (error) {
                this.#fail(error, "key-rejected");
            }
        }
    }

    /** Closes all sessions and removes the keys from the element. */
    async close() {
        this.#isClosed = true;
        this.#video.removeEventListener("webkitneedkey", this.#onNeedKey);
        for (const session of this.#sessions.values()) session.close?.();
        this.#sessions.clear();
        this.#video.webkitSetMediaKeys?.(null);
    }

    /** @param {Uint8Array} initData */
    #need(initData) {
        const uri = prefixedKeyURI(initData);
        if (this.#isClosed || this.#sessions.has(uri)) return;
        try {
            if (!this.#video.webkitKeys) {
                this.#video.webkitSetMediaKeys(new /** @type {any} */ (globalThis).WebKitMediaKeys(KEY_SYSTEM));
            }
            const data = prefixedInitData(initData, contentID(uri), this.#certificate);
            const session = this.#video.webkitKeys.createSession("video/mp4", data);
            if (!session) throw new PlayerError("key-system-failed", "the browser created no session");
            this.#sessions.set(uri, session);
            session.addEventListener("webkitkeymessage", (/** @type {any} */ event) => { void this.#answer(session, uri, event.message); });
            session.addEventListener("webkitkeyadded", () => this.#setStatus(uri, "usable"));
            session.addEventListener("webkitkeyerror", () => this.#keyError(session, uri));
        } catch (error) {
            this.#fail(error, "key-system-failed");
        }
    }

    /**
     * @param {any} session
     * @param {string} uri
     * @param {Uint8Array} message the SPC
     */
    async #answer(session, uri, message) {
        try {
            const ckc = await this.#server.fairPlay(new Uint8Array(message));
            if (!this.#isClosed) session.update(ckc);
        } catch (error) {
            this.#setStatus(uri, "internal-error");
            this.#fail(error, "key-rejected");
        }
    }

    /**
     * @param {any} session
     * @param {string} uri
     */
    #keyError(session, uri) {
        const { code = 1, systemCode = 0 } = session.error ?? {};
        this.#setStatus(uri, "internal-error");
        // Code 4 is an output error: the display does not have the output protection that the key requires.
        this.#fail(new PlayerError(code === 4 ? "output-restricted" : "key-rejected",
            `${ERRORS[code] ?? code}${systemCode ? `, ${systemCode}` : ""}`), "key-rejected");
    }

    /**
     * @param {string} uri
     * @param {string} status
     */
    #setStatus(uri, status) {
        if (this.#statuses.get(uri) === status) return;
        this.#statuses.set(uri, status);
        this.#events.status(uri, status);
    }

    /**
     * @param {unknown} error
     * @param {string} code
     */
    #fail(error, code) {
        if (!this.#isClosed) this.#events.failure(PlayerError.from(error, code));
    }
}
