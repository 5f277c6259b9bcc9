// @ts-check
/**
 * @file FairPlay for the player that a page already has: requests the keys of a video element from the key server.
 *
 *     import { FairPlay } from "https://keys.example.com/player/keyway-fairplay.js";
 *
 *     const fairPlay = new FairPlay({ server: "https://keys.example.com", token: () => getPlaybackToken() });
 *     fairPlay.addEventListener("error", ({ detail }) => show(detail.description));
 *     await fairPlay.attach(document.querySelector("video"));
 *
 * `keyway-fairplay.js` (ES module) and `keyway-fairplay.classic.js` (script) contain this file and the files that it
 * imports; scripts/fairplay-js writes them.
 */

import { hlsPlugin, dashProtection, shakaDRM, videoJSKeySystems } from "./adapters.js";
import { PlayerError, MESSAGES } from "./errors.js";
import { findKeySystem } from "./key-system.js";
import { Keys } from "./keys.js";
import { LicenseServer } from "./licenses.js";
import { hasPrefixedKeys, PrefixedKeys } from "./webkit-keys.js";

export { PlayerError, MESSAGES };

/** The version of this library (semantic versioning). */
export const VERSION = "1.0.0";

/** Content types for which FairPlay is requested, unless the page specifies those of the stream. */
const CONTENT_TYPES = Object.freeze(['video/mp4; codecs="avc1.640028"', 'audio/mp4; codecs="mp4a.40.2"']);

/** The maximum number of events that are stored until the browser's key system is ready. */
const MAXIMUM_PENDING = 64;

/** The object that provides the keys of each element: an element has one. @type {WeakMap<HTMLVideoElement, FairPlay>} */
const owners = new WeakMap();

/**
 * @typedef {object} FairPlayOptions
 * @property {string} server the key server's URL
 * @property {import("./licenses.js").TokenSource} [token] returns a playback token; called again when the server
 * rejects one
 * @property {string} [app] the name of the FairPlay certificate, if the server has several
 * @property {number} [renewEvery] the interval of key renewals in seconds, shorter than the policy's lease
 * @property {string} [minHdcpVersion] the HDCP version that the stream requires, such as `1.4`; it is checked before a
 * license is requested
 * @property {string[]} [contentTypes] the types of the media with codecs
 * @property {"auto" | "always" | "never"} [prefixed] when to use the prefixed API: `auto` (the default) if the browser has
 * only that, or if it rejects a request of the standard API, as OS 26.1 and 26.2 do with AirPlay
 * @property {LicenseServer} [licenses] the client of the key server, to share it
 */

/**
 * FairPlay for one video element at a time.
 *
 * | Event | `detail` |
 * |---|---|
 * | `error` | a {@link PlayerError}; playback may continue if only some keys were refused |
 * | `keyrequest` | a request to the key server and its outcome |
 * | `keystatus` | `{keyID, status}` |
 */
export class FairPlay extends EventTarget {
    /** @type {Keys | PrefixedKeys | null} */
    #keys = null;
    /** @type {HTMLVideoElement | null} */
    #video = null;
    /** The current attachment. @type {Promise<void> | null} */
    #attached = null;
    /** The number of the current attachment, so that late results of a previous one are ignored. */
    #round = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    #renewal;
    #options;
    #licenses;

    /** @param {FairPlayOptions} options */
    constructor(options) {
        super();
        this.#options = options;
        this.#licenses = options.licenses ?? new LicenseServer(options.server, {
            token: options.token,
            app: options.app,
            report: (request) => this.#emit("keyrequest", request),
        });
    }

    /**
     * Returns whether the browser has FairPlay.
     *
     * @param {string[]} [contentTypes] the types of the media with codecs
     */
    static async isSupported(contentTypes = [...CONTENT_TYPES]) {
        return hasPrefixedKeys() || Boolean(await findKeySystem(["com.apple.fps"], contentTypes));
    }

    /** The status of each key, by key ID in hexadecimal digits or by key URI. @returns {ReadonlyMap<string, string>} */
    get keyStatuses() {
        return this.#keys?.statuses ?? new Map();
    }

    /** The key system in use; empty before `attach` is done. @returns {string} */
    get keySystem() {
        return this.#keys?.system ?? "";
    }

    /**
     * Attaches to a video element. Call this before the element gets media: events of the element are handled from the
     * moment of the call. Another call with the same element has no effect. If another object is attached to the element,
     * it is detached.
     *
     * @param {HTMLVideoElement} video
     * @throws {PlayerError} if the browser has no FairPlay, or the server no certificate
     */
    async attach(video) {
        // Setting the keys again would remove those that play.
        if (!this.#attached || video !== this.#video) this.#attached = this.#attach(video);
        await this.#attached;
    }

    /** @param {HTMLVideoElement} video */
    async #attach(video) {
        /** @type {any[]} */
        const pending = [];
        const store = (/** @type {Event} */ event) => { if (pending.length < MAXIMUM_PENDING) pending.push(event); };
        const names = ["encrypted", "webkitneedkey"];
        names.forEach((name) => video.addEventListener(name, store));
        const detached = this.detach();
        const round = this.#round;
        const previous = owners.get(video);
        owners.set(video, this);
        this.#video = video;
        try {
            await detached;
            if (previous !== this) await previous?.detach();
            if (round !== this.#round) return;
            const keys = await this.#open(video, round);
            if (round !== this.#round) return await keys?.close();
            if (!keys) return;
            this.#keys = keys;
            replay(keys, pending);
        } catch (error) {
            const failure = PlayerError.from(error, "key-system-failed");
            if (round !== this.#round) return;
            this.#video = null;
            this.#emit("error", failure);
            throw failure;
        } finally {
            names.forEach((name) => video.removeEventListener(name, store));
        }
        const { renewEvery } = this.#options;
        if (renewEvery) this.#renewal = setInterval(() => { void this.renew(); }, renewEvery * 1000);
    }

    /**
     * Requests a key before the media requires it, for example the next one of a live stream.
     *
     * @param {string} type the type of the initialization data: `skd`, `sinf`, `cenc` or `mpts`
     * @param {ArrayBuffer | ArrayBufferView} data
     */
    async request(type, data) {
        if (this.#keys instanceof Keys) await this.#keys.need(type, data);
    }

    /**
     * Requests every key again, before its lease expires. Also repeats requests that failed for a reason that may pass, such
     * as `token-unavailable` or `server-unreachable`.
     */
    async renew() {
        await this.#keys?.renew();
    }

    /** Closes all key sessions, and removes the keys from the element. */
    async detach() {
        this.#round += 1;
        clearInterval(this.#renewal);
        const keys = this.#keys;
        this.#keys = null;
        this.#video = null;
        this.#attached = null;
        await keys?.close();
    }

    /**
     * Attaches to the element of hls.js, now and at every change, until `hls.destroy()`.
     *
     * @param {any} hls an instance of hls.js, without `emeEnabled`
     */
    attachToHls(hls) {
        hlsPlugin(this, hls);
    }

    /**
     * Configures Shaka Player, which then requests the keys itself.
     *
     * @param {any} shaka the namespace of Shaka Player
     * @param {any} player an instance
     * @throws {PlayerError} if the server has no certificate
     */
    async configureShaka(shaka, player) {
        await this.#reported(shakaDRM(this.#licenses, (error) => this.#emit("error", error), shaka, player));
    }

    /**
     * Configures dash.js, which then requests the keys itself.
     *
     * @param {any} player an instance of MediaPlayer
     * @throws {PlayerError} if the server has no certificate
     */
    async configureDash(player) {
        await this.#reported(dashProtection(this.#licenses, player));
    }

    /**
     * Returns `keySystems` of a source for video.js with videojs-contrib-eme, which then requests the keys itself.
     *
     * @returns {object}
     */
    videoJSKeySystems() {
        return videoJSKeySystems(this.#licenses, (error) => this.#emit("error", error));
    }

    /** Also reports an error as an event. @param {Promise<void>} configured */
    async #reported(configured) {
        try {
            await configured;
        } catch (error) {
            const failure = PlayerError.from(error, "certificate-unavailable");
            this.#emit("error", failure);
            throw failure;
        }
    }

    /**
     * @param {HTMLVideoElement} video
     * @param {number} round
     * @returns {Promise<Keys | PrefixedKeys | null>} null if the element was detached in the meantime
     */
    async #open(video, round) {
        const { prefixed = "auto", contentTypes = [...CONTENT_TYPES], minHdcpVersion } = this.#options;
        if (globalThis.isSecureContext === false) throw new PlayerError("insecure-page");
        if (prefixed !== "always" || !hasPrefixedKeys()) {
            const access = await findKeySystem(["com.apple.fps"], contentTypes);
            if (access) return await Keys.attach(video, access, this.#licenses, this.#events(round), minHdcpVersion, () => round === this.#round);
        }
        if (prefixed === "never" || !hasPrefixedKeys()) throw new PlayerError("no-key-system", "com.apple.fps");
        return await PrefixedKeys.attach(video, this.#licenses, this.#events(round));
    }

    /**
     * Replaces the standard API by the prefixed one, and loads the media again at the same position.
     *
     * @param {number} round
     */
    async #usePrefixedKeys(round) {
        const video = this.#video;
        const standard = this.#keys;
        if (!video || round !== this.#round) return;
        try {
            this.#keys = null;
            await standard?.close();
            const keys = await PrefixedKeys.attach(video, this.#licenses, this.#events(round));
            if (round !== this.#round) return await keys.close();
            this.#keys = keys;
        } catch (error) {
            if (round === this.#round) this.#emit("error", PlayerError.from(error, "key-system-failed"));
            return;
        }
        const { currentTime, paused } = video;
        video.addEventListener("loadedmetadata", () => {
            // The start of a live stream is chosen by the browser.
            if (currentTime > 0 && Number.isFinite(video.duration)) video.currentTime = currentTime;
            // Without permission to play, the viewer starts playback.
            if (!paused) void video.play().catch(() => {});
        }, { once: true });
        video.load();
    }

    /**
     * @param {number} round
     * @returns {import("./keys.js").KeyEvents}
     */
    #events(round) {
        const isCurrent = () => round === this.#round;
        return {
            status: (keyID, status) => { if (isCurrent()) this.#emit("keystatus", { keyID, status }); },
            failure: (error) => { if (isCurrent()) this.#emit("error", error); },
            unsupported: () => {
                // A MediaSource cannot be loaded again, and cannot be used with AirPlay.
                const isNative = !this.#video?.srcObject && !/^blob:/.test(this.#video?.currentSrc || this.#video?.src || "");
                if (!isCurrent() || !isNative || this.#options.prefixed === "never" || !hasPrefixedKeys()) return false;
                // Several keys may be rejected at the same time.
                if (this.#keys instanceof Keys) void this.#usePrefixedKeys(round);
                return true;
            },
        };
    }

    /**
     * @param {string} name
     * @param {unknown} detail
     */
    #emit(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}

/**
 * Handles the events that an element sent before its keys were ready.
 *
 * @param {Keys | PrefixedKeys} keys
 * @param {any[]} events
 */
function replay(keys, events) {
    for (const { type, initDataType, initData } of events) {
        if (!initData) continue;
        if (keys instanceof Keys && type === "encrypted") void keys.need(initDataType, initData);
        if (keys instanceof PrefixedKeys && type === "webkitneedkey") keys.need(initData);
    }
}
