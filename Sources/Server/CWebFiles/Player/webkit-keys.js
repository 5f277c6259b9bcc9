// @ts-check
/** @file Keys with the prefixed API of Safari (`WebKitMediaKeys`), for FairPlay with native HLS and with a MediaSource. */

import { base64, contentID, prefixedInitData, prefixedKeyURI } from "./init-data.js";
import { PlayerError } from "./errors.js";
import { TARGET_CHANGED, TRANSIENT } from "./keys.js";

/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */
/** @typedef {import("./keys.js").KeyEvents} KeyEvents */

/** The key system for native HLS, whose initialization data contain the certificate. */
const KEY_SYSTEM = "com.apple.fps.1_0";
/** The key systems for a MediaSource, the preferred one first. They ask for the certificate in a message. */
const SOURCE_KEY_SYSTEMS = ["com.apple.fps.3_0", "com.apple.fps.2_0"];
/** The message that asks for the certificate. */
const CERTIFICATE_REQUEST = "certificate";

/** The names of the error codes of `webkitkeyerror`. */
const ERRORS = ["", "unknown", "client", "service", "output", "hardware change", "domain"];

/** @param {string} system @returns {boolean} whether this browser has the prefixed API with this key system */
function supports(system) {
    return Boolean(/** @type {any} */ (globalThis).WebKitMediaKeys?.isTypeSupported?.(system, "video/mp4"));
}

/** @returns {boolean} whether this browser has the prefixed API with FairPlay for native HLS */
export function hasPrefixedKeys() {
    return supports(KEY_SYSTEM);
}

/** The keys of one video element. Each key URI, or with a MediaSource each initialization data, has its own session. */
export class PrefixedKeys {
    /** @type {Map<string, any>} */
    #sessions = new Map();
    /** @type {Map<string, string>} */
    #statuses = new Map();
    /** Initialization data of keys whose request failed for a reason that may pass. @type {Map<string, ArrayBuffer | ArrayBufferView>} */
    #failed = new Map();
    /** Sessions that were replaced when the playback target changed. @type {any[]} */
    #replaced = [];
    /** Ends the requests to the key server. */
    #abort = new AbortController();
    #video;
    #server;
    #certificate;
    #events;
    /** @type {(event: any) => void} */
    #onNeedKey = (event) => this.need(event.initData);
    /** Makes sure that keys are requested again, because another playback target cannot use the same licenses. */
    #onTarget = () => {
        this.#replaced.forEach(close);
        this.#replaced = [...this.#sessions.values()];
        this.#sessions.clear();
    };

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
        video.addEventListener(TARGET_CHANGED, this.#onTarget);
    }

    /**
     * Prepares a video element for encrypted media.
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

    /** Requests every key again, before its lease expires, and keys whose request failed. */
    async renew() {
        const failed = [...this.#failed.values()];
        this.#failed.clear();
        failed.forEach((data) => this.need(data));
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
        this.#abort.abort();
        this.#video.removeEventListener("webkitneedkey", this.#onNeedKey);
        this.#video.removeEventListener(TARGET_CHANGED, this.#onTarget);
        [...this.#replaced, ...this.#sessions.values()].forEach(close);
        this.#sessions.clear();
        this.#video.webkitSetMediaKeys?.(null);
    }

    /**
     * Requests the key of some initialization data, unless it was requested before.
     *
     * @param {ArrayBuffer | ArrayBufferView} initData
     */
    need(initData) {
        const hasSource = this.#hasMediaSource();
        const name = hasSource ? base64(initData) : prefixedKeyURI(initData);
        if (this.#isClosed || this.#sessions.has(name)) return;
        this.#failed.delete(name);
        try {
            if (!this.#video.webkitKeys) {
                const system = (hasSource && SOURCE_KEY_SYSTEMS.find(supports)) || KEY_SYSTEM;
                this.#video.webkitSetMediaKeys(new /** @type {any} */ (globalThis).WebKitMediaKeys(system));
                this.system = system;
            }
            const data = hasSource ? initData : prefixedInitData(initData, contentID(name), this.#certificate);
            const session = this.#video.webkitKeys.createSession("video/mp4", data);
            if (!session) throw new PlayerError("key-system-failed", "the browser created no session");
            this.#sessions.set(name, session);
            session.addEventListener("webkitkeymessage", (/** @type {any} */ event) => { void this.#answer(session, name, event.message, initData); });
            session.addEventListener("webkitkeyadded", () => this.#setStatus(name, "usable"));
            session.addEventListener("webkitkeyerror", () => this.#keyError(session, name));
        } catch (error) {
            this.#fail(error, "key-system-failed");
        }
    }

    get #isClosed() {
        return this.#abort.signal.aborted;
    }

    /** Whether a MediaSource plays, so that the initialization data are those of the media, not a key URI. */
    #hasMediaSource() {
        return Boolean(this.#video.srcObject) || /^blob:/.test(this.#video.currentSrc || this.#video.src || "");
    }

    /**
     * @param {any} session
     * @param {string} uri
     * @param {Uint8Array} message the SPC, or a request for the certificate
     * @param {ArrayBuffer | ArrayBufferView} initData
     */
    async #answer(session, uri, message, initData) {
        if (this.#isClosed) return;
        try {
            const bytes = new Uint8Array(message);
            if (new TextDecoder().decode(bytes.subarray(0, 32)) === CERTIFICATE_REQUEST) {
                session.update(this.#certificate);
                return;
            }
            const ckc = await this.#server.fairPlay(bytes, this.#abort.signal);
            if (!this.#isClosed) session.update(ckc);
        } catch (error) {
            if (this.#isClosed) return;
            if (error instanceof PlayerError && TRANSIENT.has(error.code) && this.#statuses.get(uri) !== "usable") {
                this.#sessions.delete(uri);
                this.#failed.set(uri, initData);
                close(session);
            }
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

/** @param {any} session which may be closed already */
function close(session) {
    try {
        session.close?.();
    } catch {
        // A session that the browser has ended needs no further action.
    }
}
