// @ts-check
/** @file Keys by Encrypted Media Extensions: `com.apple.fps` and `org.w3.clearkey`. */

import { base64, base64url, bytesOf, fromBase64, fromHex, hex, keyIDsData, keyIDsOf } from "./init-data.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */

/** @typedef {"com.apple.fps" | "org.w3.clearkey"} KeySystem */

/** The types of initialization data of each key system, those first that say most. */
const INIT_DATA_TYPES = Object.freeze({
    "com.apple.fps": ["sinf", "skd", "cenc"],
    "org.w3.clearkey": ["keyids", "cenc"],
});

/** What a key's status comes to, where that is an error. */
const STATUS_ERRORS = Object.freeze(/** @type {Record<string, string>} */ ({
    "expired": "key-expired",
    "output-restricted": "output-restricted",
    "internal-error": "key-system-failed",
}));

/** What tells WebKit's FairPlay to make an SPC for the renewal of a key that it has. */
const RENEW = new TextEncoder().encode("renew");

/**
 * @typedef {object} KeyEvents
 * @property {(keyID: string, status: string) => void} status a key's ID in hexadecimal digits, and how it is
 * @property {(error: PlayerError) => void} failure
 */

/**
 * Asks the browser for a key system.
 *
 * @param {KeySystem[]} systems those that the stream has keys for, the preferred first
 * @param {string[]} contentTypes with codecs, such as `video/mp4; codecs="avc1.64001f"`
 * @param {string} [scheme] how the media is encrypted, such as `cbcs`
 * @returns {Promise<MediaKeySystemAccess | null>} null when it has none of them
 */
export async function findKeySystem(systems, contentTypes, scheme) {
    if (!navigator.requestMediaKeySystemAccess) return null;
    const capabilities = (/** @type {string} */ kind) => contentTypes
        .filter((type) => type.startsWith(kind + "/"))
        .map((contentType) => (scheme ? { contentType, encryptionScheme: scheme } : { contentType }));
    for (const system of systems) {
        /** @type {any} */
        const configuration = { initDataTypes: INIT_DATA_TYPES[system], sessionTypes: ["temporary"] };
        // An empty list would say that there is none of the kind.
        if (capabilities("audio").length) configuration.audioCapabilities = capabilities("audio");
        if (capabilities("video").length) configuration.videoCapabilities = capabilities("video");
        try {
            return await navigator.requestMediaKeySystemAccess(system, [configuration]);
        } catch {
            // Not this one.
        }
    }
    return null;
}

/** The keys of one video element. Each piece of initialization data has a session of its own. */
export class Keys {
    /** Sessions by what they were opened for. @type {Map<string, MediaKeySession>} */
    #sessions = new Map();
    /** Key IDs that somebody has asked for. @type {Set<string>} */
    #asked = new Set();
    /** How each key is. @type {Map<string, string>} */
    #statuses = new Map();
    /** Keys that a playlist had, by key ID: no server is asked for them. @type {Map<string, Promise<Uint8Array>>} */
    #given = new Map();
    #isClosed = false;
    #video;
    #mediaKeys;
    #server;
    #events;
    /** @type {(event: any) => void} */
    #onEncrypted = (event) => { if (event.initData) void this.need(event.initDataType, event.initData); };

    /**
     * @param {HTMLVideoElement} video
     * @param {KeySystem} system
     * @param {MediaKeys} mediaKeys
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     */
    constructor(video, system, mediaKeys, server, events) {
        this.#video = video;
        this.system = system;
        this.#mediaKeys = mediaKeys;
        this.#server = server;
        this.#events = events;
        video.addEventListener("encrypted", this.#onEncrypted);
    }

    /**
     * Makes a video element ready for encrypted media; to be called before it is given any.
     *
     * @param {HTMLVideoElement} video
     * @param {MediaKeySystemAccess} access
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @returns {Promise<Keys>}
     */
    static async attach(video, access, server, events) {
        const system = /** @type {KeySystem} */ (access.keySystem);
        const mediaKeys = await access.createMediaKeys();
        // FairPlay makes no SPC without it.
        if (system === "com.apple.fps") await mediaKeys.setServerCertificate(await server.certificate());
        await video.setMediaKeys(mediaKeys);
        return new Keys(video, system, mediaKeys, server, events);
    }

    /** How each key is, by its ID in hexadecimal digits. @returns {ReadonlyMap<string, string>} */
    get statuses() {
        return this.#statuses;
    }

    /**
     * Sees to it that the keys of some initialization data are there. What was asked for before is not asked for again.
     *
     * @param {string} type
     * @param {BufferSource} data
     */
    async need(type, data) {
        if (this.#isClosed) return;
        const keyIDs = keyIDsOf(type, data);
        const name = keyIDs.length ? keyIDs.join() : type + ":" + base64(data);
        if (this.#sessions.has(name) || (keyIDs.length && keyIDs.every((keyID) => this.#asked.has(keyID)))) return;
        // Boxes of other systems alone say nothing to Clear Key: the playlist or the init segment has the key IDs.
        if (this.system === "org.w3.clearkey" && !keyIDs.length) return;
        keyIDs.forEach((keyID) => this.#asked.add(keyID));
        const session = this.#mediaKeys.createSession();
        this.#sessions.set(name, session);
        session.addEventListener("message", (event) => { void this.#answer(session, event, type); });
        session.addEventListener("keystatuseschange", () => this.#look(session));
        try {
            await session.generateRequest(type, data);
        } catch (error) {
            this.#forget(name, keyIDs);
            this.#fail(error, "key-system-failed");
        }
    }

    /**
     * Sees to it that a key is there, by its ID. FairPlay's are asked for by what the media has.
     *
     * @param {string} keyID in hexadecimal digits
     * @param {Promise<Uint8Array>} [key] its bytes, where the playlist says where they are
     */
    async needKeyID(keyID, key) {
        if (this.system !== "org.w3.clearkey") return;
        if (key) this.#given.set(keyID, key);
        await this.need("keyids", keyIDsData([keyID]));
    }

    /** Asks for every key again, before a lease runs out. Clear Key's have no end. */
    async renew() {
        if (this.system !== "com.apple.fps") return;
        for (const session of this.#sessions.values()) {
            try {
                await session.update(RENEW);
            } catch (error) {
                this.#fail(error, "key-rejected");
            }
        }
    }

    /** Ends all sessions and takes the keys from the element. */
    async close() {
        this.#isClosed = true;
        this.#video.removeEventListener("encrypted", this.#onEncrypted);
        await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
        this.#sessions.clear();
        await this.#video.setMediaKeys(null).catch(() => {});
    }

    /**
     * From the browser's message to the server's license.
     *
     * @param {MediaKeySession} session
     * @param {MediaKeyMessageEvent} event
     * @param {string} type of the initialization data
     */
    async #answer(session, event, type) {
        // Nothing else is a question for the server ("individualization-request").
        if (event.messageType !== "license-request" && event.messageType !== "license-renewal") return;
        try {
            const license = await this.#license(new Uint8Array(event.message), type);
            if (this.#isClosed) return;
            try {
                await session.update(license);
            } catch (error) {
                throw PlayerError.from(error, "key-rejected");
            }
            this.#look(session);
        } catch (error) {
            this.#fail(error, "key-system-failed");
        }
    }

    /**
     * @param {Uint8Array} message
     * @param {string} type
     * @returns {Promise<Uint8Array>}
     */
    async #license(message, type) {
        if (this.system === "com.apple.fps") {
            return type === "cenc" ? await this.#manyFairPlay(message) : await this.#server.fairPlay(message);
        }
        const text = new TextDecoder().decode(message);
        /** @type {string[]} */
        const asked = JSON.parse(text).kids.map((/** @type {string} */ kid) => hex(fromBase64(kid) ?? new Uint8Array()));
        if (asked.every((keyID) => this.#given.has(keyID))) {
            const keys = await Promise.all(asked.map(async (keyID) => ({
                kty: "oct",
                kid: base64url(fromHex(keyID) ?? new Uint8Array()),
                k: base64url(await /** @type {Promise<Uint8Array>} */ (this.#given.get(keyID))),
            })));
            return new TextEncoder().encode(JSON.stringify({ keys, type: "temporary" }));
        }
        const license = await this.#server.clearKey(message);
        const got = JSON.parse(new TextDecoder().decode(license)).keys.map((/** @type {any} */ key) => hex(fromBase64(key.kid) ?? new Uint8Array()));
        const missing = asked.filter((keyID) => !got.includes(keyID));
        if (missing.length) throw new PlayerError("key-missing", missing.join(", "));
        return license;
    }

    /**
     * For `pssh` boxes WebKit asks for several keys at once: `[{"keyID": base64, "payload": the SPC in base64}, ...]`, and
     * takes an array of CKCs, with an error in the place of a payload where there is none.
     *
     * @param {Uint8Array} message
     * @returns {Promise<Uint8Array>}
     */
    async #manyFairPlay(message) {
        /** @type {{keyID: string, payload: string}[]} */
        const questions = JSON.parse(new TextDecoder().decode(message));
        const spcs = questions.map(({ payload }) => fromBase64(payload) ?? new Uint8Array());
        const answers = await this.#server.fairPlayBatch(spcs);
        const refused = answers.filter((answer) => answer instanceof PlayerError);
        if (refused.length === answers.length) throw refused[0];
        refused.forEach((error) => this.#fail(error, "license-refused"));
        return new TextEncoder().encode(JSON.stringify(answers.map((answer, index) => (answer instanceof PlayerError
            ? { keyID: questions[index].keyID, error: answer.status || 500 }
            : { keyID: questions[index].keyID, payload: base64(answer) }))));
    }

    /** @param {MediaKeySession} session */
    #look(session) {
        session.keyStatuses.forEach((status, keyID) => {
            const name = readable(keyID);
            if (this.#statuses.get(name) === status) return;
            this.#statuses.set(name, status);
            this.#events.status(name, status);
            if (status in STATUS_ERRORS) this.#fail(new PlayerError(STATUS_ERRORS[status], name), "key-system-failed");
        });
    }

    /**
     * @param {string} name
     * @param {string[]} keyIDs
     */
    #forget(name, keyIDs) {
        this.#sessions.delete(name);
        keyIDs.forEach((keyID) => this.#asked.delete(keyID));
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
 * WebKit's key ID of `skd` is the whole URI; others are 16 bytes.
 *
 * @param {BufferSource} keyID
 * @returns {string}
 */
function readable(keyID) {
    const bytes = bytesOf(keyID);
    return bytes.length !== 16 && /^skd:/i.test(String.fromCharCode(...bytes.subarray(0, 4)))
        ? new TextDecoder().decode(bytes)
        : hex(bytes);
}
