// @ts-check
/** @file Keys with Encrypted Media Extensions: `com.apple.fps` and `org.w3.clearkey`. */

import { base64, base64url, bytesOf, fromBase64, fromHex, hex, keyIDsData, keyIDsOf, unshared } from "./init-data.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./key-system.js").KeySystem} KeySystem */
/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */

/** The error codes of key statuses that are errors. */
const STATUS_ERRORS = Object.freeze(/** @type {Record<string, string>} */ ({
    "expired": "key-expired",
    "output-restricted": "output-restricted",
    "internal-error": "key-system-failed",
}));

/** The event of WebKit for the start and the end of AirPlay. */
export const TARGET_CHANGED = "webkitcurrentplaybacktargetiswirelesschanged";

/** The message that makes WebKit's FairPlay create an SPC for the renewal of a key. */
const RENEW = new TextEncoder().encode("renew");

/**
 * @typedef {object} KeyEvents
 * @property {(keyID: string, status: string) => void} status a key ID in hexadecimal digits, and the key's status
 * @property {(error: PlayerError) => void} failure
 * @property {() => boolean} [unsupported] called if the browser rejects initialization data as not supported; returns
 * true if the caller requests the key in another way
 */

/** The maximum number of sessions, each of which may have several keys. */
const MAXIMUM_SESSIONS = 24;

/** Errors after which the same key can be requested again. */
export const TRANSIENT = new Set(["server-unreachable", "server-busy", "too-many-requests", "token-unavailable", "token-expired"]);

/**
 * The keys of one session.
 *
 * @typedef {object} SessionKeys
 * @property {string} type the type of the initialization data
 * @property {Uint8Array} data
 * @property {string} name
 * @property {string[]} keyIDs in hexadecimal digits; empty if they are not known
 * @property {string[]} identifiers the key IDs in the browser's messages, in base64
 */

/**
 * The keys that were set last for each element, and when that is done: browsers reject a change during another one.
 *
 * @type {WeakMap<HTMLVideoElement, {mediaKeys: MediaKeys | null, done: Promise<void>}>}
 */
const changes = new WeakMap();

/**
 * Sets the keys of an element after all previous changes.
 *
 * @param {HTMLVideoElement} video
 * @param {MediaKeys | null} mediaKeys
 * @param {() => boolean} [isWanted] whether to set them, called after the previous changes
 */
async function setMediaKeys(video, mediaKeys, isWanted = () => true) {
    const previous = changes.get(video)?.done ?? Promise.resolve();
    const change = previous.then(async () => { if (isWanted()) await video.setMediaKeys(mediaKeys); });
    changes.set(video, { mediaKeys, done: change.catch(() => {}) });
    await change;
}

/** The keys of one video element. Each set of initialization data has its own session. */
export class Keys {
    /** Sessions by key IDs or initialization data. @type {Map<string, MediaKeySession>} */
    #sessions = new Map();
    /** The keys of each session. @type {WeakMap<MediaKeySession, SessionKeys>} */
    #entries = new WeakMap();
    /** Key IDs that were requested. @type {Set<string>} */
    #requested = new Set();
    /** The status of each key. @type {Map<string, string>} */
    #statuses = new Map();
    /** Keys from a playlist's key URI, by key ID; they need no license request. @type {Map<string, Promise<Uint8Array>>} */
    #playlistKeys = new Map();
    /** Sessions that were replaced when the playback target changed. @type {MediaKeySession[]} */
    #replaced = [];
    /** Keys whose request failed for a reason that may pass, by name. @type {Map<string, SessionKeys>} */
    #failed = new Map();
    /** Ends the requests to the key server. */
    #abort = new AbortController();
    #video;
    #mediaKeys;
    #server;
    #events;
    #minHdcpVersion;
    /** @type {(event: any) => void} */
    #onEncrypted = (event) => { if (event.initData) void this.need(event.initDataType, event.initData); };
    #onTarget = () => this.#forget();

    /**
     * @param {HTMLVideoElement} video
     * @param {KeySystem} system
     * @param {MediaKeys} mediaKeys
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @param {string} minHdcpVersion
     */
    constructor(video, system, mediaKeys, server, events, minHdcpVersion) {
        this.#video = video;
        this.#minHdcpVersion = minHdcpVersion;
        this.system = system;
        this.#mediaKeys = mediaKeys;
        this.#server = server;
        this.#events = events;
        video.addEventListener("encrypted", this.#onEncrypted);
        video.addEventListener(TARGET_CHANGED, this.#onTarget);
    }

    /**
     * Prepares a video element for encrypted media.
     *
     * @param {HTMLVideoElement} video
     * @param {MediaKeySystemAccess} access
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @param {string} [minHdcpVersion] the HDCP version that the stream requires, such as `1.4`; empty for none
     * @param {() => boolean} [isCurrent] whether the element must still get these keys
     * @returns {Promise<Keys | null>} null if `isCurrent` returned false
     * @throws {PlayerError}
     */
    static async attach(video, access, server, events, minHdcpVersion = "", isCurrent = () => true) {
        const system = /** @type {KeySystem} */ (access.keySystem);
        const mediaKeys = await access.createMediaKeys();
        // FairPlay creates no SPC without a certificate.
        if (system === "com.apple.fps") await setCertificate(mediaKeys, await server.certificate());
        if (!isCurrent()) return null;
        await setMediaKeys(video, mediaKeys, isCurrent);
        return new Keys(video, system, mediaKeys, server, events, minHdcpVersion);
    }

    /** The status of each key, by key ID in hexadecimal digits. @returns {ReadonlyMap<string, string>} */
    get statuses() {
        return this.#statuses;
    }

    /**
     * Requests the keys of some initialization data, unless they were requested before.
     *
     * @param {string} type
     * @param {ArrayBuffer | ArrayBufferView} data
     */
    async need(type, data) {
        if (this.#isClosed) return;
        const keyIDs = keyIDsOf(type, data);
        const name = keyIDs.length ? keyIDs.join() : type + ":" + base64(data);
        if (this.#sessions.has(name) || (keyIDs.length && keyIDs.every((keyID) => this.#requested.has(keyID)))) return;
        // For Clear Key, `pssh` boxes of other systems are useless: the key IDs come from the playlist or the init
        // segment.
        if (this.system === "org.w3.clearkey" && !keyIDs.length) return;
        keyIDs.forEach((keyID) => this.#requested.add(keyID));
        // The browser may reuse the buffer of an event.
        /** @type {SessionKeys} */
        const keys = { type, data: bytesOf(data).slice(), name, keyIDs, identifiers: [] };
        this.#failed.delete(name);
        try {
            const session = this.#mediaKeys.createSession();
            this.#sessions.set(name, session);
            this.#entries.set(session, keys);
            this.#closeOldest();
            session.addEventListener("message", (event) => { void this.#answer(session, event, keys); });
            session.addEventListener("keystatuseschange", () => this.#updateStatuses(session));
            await this.#checkOutput();
            if (this.#isClosed) return;
            await session.generateRequest(type, unshared(keys.data));
        } catch (error) {
            this.#discard(keys);
            const isUnsupported = error instanceof Error && error.name === "NotSupportedError";
            if (isUnsupported && !this.#isClosed && this.#events.unsupported?.()) return;
            if (error instanceof PlayerError && error.code === "output-restricted") this.#remember(keys);
            this.#fail(error, "key-system-failed");
        }
    }

    /**
     * Stores keys whose request failed, so that `renew` requests them again: the media do not send their initialization data again.
     *
     * @param {SessionKeys} keys
     */
    #remember(keys) {
        this.#failed.set(keys.name, keys);
        const [oldest] = this.#failed.keys();
        if (this.#failed.size > MAXIMUM_SESSIONS) this.#failed.delete(oldest);
    }

    /**
     * Throws if the output does not have the required HDCP version, before a license is requested. Browsers without
     * `getStatusForPolicy` report the restriction as a key status later.
     */
    async #checkOutput() {
        /** @type {any} */
        const mediaKeys = this.#mediaKeys;
        if (!this.#minHdcpVersion || !mediaKeys.getStatusForPolicy) return;
        const status = await mediaKeys.getStatusForPolicy({ minHdcpVersion: this.#minHdcpVersion }).catch(() => "usable");
        if (status === "output-restricted") throw new PlayerError("output-restricted", `HDCP ${this.#minHdcpVersion}`);
    }

    /** Closes the oldest session if there are too many, as in a live stream that changes its keys for days. */
    #closeOldest() {
        const [oldest] = this.#sessions.values();
        const keys = this.#sessions.size > MAXIMUM_SESSIONS && this.#entries.get(oldest);
        if (!keys) return;
        this.#discard(keys);
        keys.keyIDs.forEach((keyID) => this.#statuses.delete(keyID));
        void oldest.close().catch(() => {});
    }

    /** Makes sure that keys are requested again: another playback target (AirPlay) cannot use the same licenses. */
    #forget() {
        // The previous target may still play until the next one has its keys.
        for (const session of this.#replaced) void session.close().catch(() => {});
        this.#replaced = [...this.#sessions.values()];
        this.#sessions.clear();
        this.#requested.clear();
    }

    /**
     * Requests a key by its ID. FairPlay keys are requested by the media's initialization data instead.
     *
     * @param {string} keyID in hexadecimal digits
     * @param {Promise<Uint8Array>} [key] the key, if the playlist contains its URL
     */
    async needKeyID(keyID, key) {
        if (this.system !== "org.w3.clearkey") return;
        if (key) this.#playlistKeys.set(keyID, key);
        await this.need("keyids", keyIDsData([keyID]));
    }

    /**
     * Requests every key again, before its lease expires, and keys whose request failed. Clear Key keys do not expire.
     */
    async renew() {
        const failed = [...this.#failed.values()];
        this.#failed.clear();
        for (const { type, data } of failed) void this.need(type, data);
        if (this.system !== "com.apple.fps") return;
        for (const session of this.#sessions.values()) {
            try {
                await session.update(RENEW);
            } catch (error) {
                this.#fail(error, "key-rejected");
            }
        }
    }

    /** Closes all sessions and removes the keys from the element. */
    async close() {
        this.#abort.abort();
        this.#failed.clear();
        this.#video.removeEventListener("encrypted", this.#onEncrypted);
        this.#video.removeEventListener(TARGET_CHANGED, this.#onTarget);
        // A session whose request failed rejects; keys leave the element in any case.
        await Promise.allSettled([...this.#replaced, ...this.#sessions.values()].map((session) => session.close()));
        this.#sessions.clear();
        // Another object may have set its keys in the meantime.
        if (changes.get(this.#video)?.mediaKeys === this.#mediaKeys) await setMediaKeys(this.#video, null).catch(() => {});
    }

    /**
     * Requests a license for the browser's message and passes it to the session.
     *
     * @param {MediaKeySession} session
     * @param {MediaKeyMessageEvent} event
     * @param {SessionKeys} keys
     */
    async #answer(session, event, keys) {
        // Other messages, such as "individualization-request", are not for the key server.
        if (event.messageType !== "license-request" && event.messageType !== "license-renewal") return;
        if (this.#isClosed) return;
        try {
            const license = await this.#license(new Uint8Array(event.message), keys);
            if (this.#isClosed) return;
            try {
                await session.update(unshared(license));
            } catch (error) {
                throw PlayerError.from(error, "key-rejected");
            }
            this.#updateStatuses(session);
        } catch (error) {
            if (error instanceof PlayerError && TRANSIENT.has(error.code) && event.messageType === "license-request") {
                this.#discard(keys);
                this.#remember(keys);
                void session.close().catch(() => {});
            }
            this.#fail(error, "key-system-failed");
        }
    }

    /**
     * @param {Uint8Array} message
     * @param {SessionKeys} keys
     * @returns {Promise<Uint8Array>}
     */
    async #license(message, { type, identifiers }) {
        if (this.system === "com.apple.fps") {
            const refused = (/** @type {PlayerError} */ error) => this.#fail(error, "license-refused");
            return await this.#server.fairPlayMessage(message, type, { keyIDs: identifiers, refused, signal: this.#abort.signal });
        }
        const text = new TextDecoder().decode(message);
        /** @type {string[]} */
        const asked = JSON.parse(text).kids.map((/** @type {string} */ kid) => hex(fromBase64(kid) ?? new Uint8Array()));
        if (asked.every((keyID) => this.#playlistKeys.has(keyID))) {
            const keys = await Promise.all(asked.map(async (keyID) => ({
                kty: "oct",
                kid: base64url(fromHex(keyID) ?? new Uint8Array()),
                k: base64url(await /** @type {Promise<Uint8Array>} */ (this.#playlistKeys.get(keyID))),
            })));
            return new TextEncoder().encode(JSON.stringify({ keys, type: "temporary" }));
        }
        const license = await this.#server.clearKey(message, this.#abort.signal);
        const got = JSON.parse(new TextDecoder().decode(license)).keys.map((/** @type {any} */ key) => hex(fromBase64(key.kid) ?? new Uint8Array()));
        const missing = asked.filter((keyID) => !got.includes(keyID));
        if (missing.length) throw new PlayerError("key-missing", missing.join(", "));
        return license;
    }

    /** @param {MediaKeySession} session */
    #updateStatuses(session) {
        session.keyStatuses.forEach((status, keyID) => {
            const name = readable(keyID);
            if (this.#statuses.get(name) === status) return;
            this.#statuses.set(name, status);
            this.#events.status(name, status);
            if (status in STATUS_ERRORS) this.#fail(new PlayerError(STATUS_ERRORS[status], name), "key-system-failed");
        });
    }

    get #isClosed() {
        return this.#abort.signal.aborted;
    }

    /** @param {SessionKeys} keys */
    #discard({ name, keyIDs }) {
        this.#sessions.delete(name);
        keyIDs.forEach((keyID) => this.#requested.delete(keyID));
    }

    /**
     * @param {unknown} error
     * @param {string} code
     */
    #fail(error, code) {
        if (!this.#isClosed) this.#events.failure(PlayerError.from(error, code));
    }
}

/**
 * Sets the application certificate.
 *
 * @param {MediaKeys} mediaKeys
 * @param {Uint8Array} certificate DER
 * @throws {PlayerError} if the browser does not accept it
 */
async function setCertificate(mediaKeys, certificate) {
    // Browsers reject a certificate that they cannot read, or return false.
    const isSet = await mediaKeys.setServerCertificate(unshared(certificate)).catch((error) => {
        throw PlayerError.from(error, "certificate-rejected");
    });
    if (!isSet) throw new PlayerError("certificate-rejected");
}

/**
 * Returns a readable key ID. For `skd`, WebKit's key ID is the complete URI; other key IDs have 16 bytes.
 *
 * @param {ArrayBuffer | ArrayBufferView} keyID
 * @returns {string}
 */
function readable(keyID) {
    const bytes = bytesOf(keyID);
    return bytes.length !== 16 && /^skd:/i.test(String.fromCharCode(...bytes.subarray(0, 4)))
        ? new TextDecoder().decode(bytes)
        : hex(bytes);
}
