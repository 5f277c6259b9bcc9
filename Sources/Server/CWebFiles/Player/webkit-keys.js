// @ts-check
/** @file Keys by the prefixed API of older Safari (`WebKitMediaKeys`), for FairPlay in HLS that Safari plays by itself. */

import { contentID, prefixedInitData, prefixedKeyURI } from "./init-data.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */
/** @typedef {import("./keys.js").KeyEvents} KeyEvents */

const KEY_SYSTEM = "com.apple.fps.1_0";

/** What `webkitkeyerror` has in `code`, in words. */
const ERRORS = ["", "unknown", "client", "service", "output", "hardware change", "domain"];

/** @returns {boolean} whether this browser has the prefixed API, for FairPlay */
export function hasPrefixedKeys() {
    const keys = /** @type {any} */ (globalThis).WebKitMediaKeys;
    return Boolean(keys?.isTypeSupported?.(KEY_SYSTEM, "video/mp4"));
}

/** The keys of one video element. Each key URI has a session of its own. */
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
     * Makes a video element ready for encrypted media; to be called before it is given any.
     *
     * @param {HTMLVideoElement} video
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @returns {Promise<PrefixedKeys>}
     */
    static async attach(video, server, events) {
        return new PrefixedKeys(video, server, await server.certificate(), events);
    }

    /** How each key is, by its URI. @returns {ReadonlyMap<string, string>} */
    get statuses() {
        return this.#statuses;
    }

    /** The media itself names its keys here. */
    async needKeyID() {}

    /** Asks for every key again, before a lease runs out. */
    async renew() {
        for (const session of this.#sessions.values()) {
            try {
                session.update(new TextEncoder().encode("renew"));
            } catch (error) {
                this.#fail(error, "key-rejected");
            }
        }
    }

    /** Ends all sessions and takes the keys from the element. */
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
            if (!session) throw new PlayerError("key-system-failed", "no session could be opened");
            this.#sessions.set(uri, session);
            session.addEventListener("webkitkeymessage", (/** @type {any} */ event) => { void this.#answer(session, uri, event.message); });
            session.addEventListener("webkitkeyadded", () => this.#note(uri, "usable"));
            session.addEventListener("webkitkeyerror", () => this.#refused(session, uri));
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
            this.#note(uri, "internal-error");
            this.#fail(error, "key-rejected");
        }
    }

    /**
     * @param {any} session
     * @param {string} uri
     */
    #refused(session, uri) {
        const { code = 1, systemCode = 0 } = session.error ?? {};
        this.#note(uri, "internal-error");
        // 4 is about the output: the screen is not protected as the key demands.
        this.#fail(new PlayerError(code === 4 ? "output-restricted" : "key-rejected",
            `${ERRORS[code] ?? code}${systemCode ? `, ${systemCode}` : ""}`), "key-rejected");
    }

    /**
     * @param {string} uri
     * @param {string} status
     */
    #note(uri, status) {
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
