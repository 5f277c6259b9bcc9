// @ts-check
/**
 * @file Plays encrypted HLS in a browser: FairPlay with Safari's native HLS, Clear Key with Media Source Extensions in
 * other browsers. It has no dependencies.
 *
 *     import { KeywayPlayer } from "./keyway-player.js";
 *
 *     const player = new KeywayPlayer(document.querySelector("video"), {
 *         server: "https://keys.example.com",
 *         token: async () => (await fetch("/playback-token")).text(),
 *     });
 *     player.addEventListener("error", ({ detail }) => alert(detail.description));
 *     await player.load("https://media.example.com/movie/main.m3u8");
 */

import { requirePlayable } from "./hls.js";
import { tracksIn } from "./init-data.js";
import { PlayerError, MESSAGES } from "./errors.js";
import { FairPlay } from "./fairplay.js";
import { findKeySystem } from "./key-system.js";
import { Keys } from "./keys.js";
import { HlsPresentation } from "./hls-presentation.js";
import { LicenseServer } from "./licenses.js";
import { mediaSourceType } from "./mse.js";
import { firstVariant, loadPlaylist, Presentation, Renditions } from "./presentation.js";
import { ShownError } from "./shown-error.js";

export { PlayerError, MESSAGES };

/** @typedef {import("./hls.js").KeyTag} KeyTag */
/** @typedef {import("./hls.js").Variant} Variant */
/** @typedef {import("./presentation.js").Choices} Choices */
/** @typedef {import("./timeline.js").PlaylistSource} PlaylistSource */

const FAIRPLAY_FORMAT = "com.apple.streamingkeydelivery";

/**
 * @typedef {object} PlayerOptions
 * @property {string} server the key server's URL
 * @property {import("./licenses.js").TokenSource} [token] returns a playback token; called again when the server
 * rejects one
 * @property {string} [app] the name of the FairPlay certificate, if the server has several
 * @property {any} [hls] the class Hls of hls.js, which then plays instead of the module's own code
 * @property {number} [renewEvery] the interval of FairPlay key renewals in seconds, shorter than the policy's lease
 */

/**
 * A player for a video element.
 *
 * | Event | `detail` |
 * |---|---|
 * | `error` | a {@link PlayerError}; playback may continue if only some keys were refused; `stalled` does not follow an error about a key |
 * | `keyrequest` | a request to the key server and its outcome |
 * | `keystatus` | `{keyID, status}` |
 * | `mode` | the mode of playback: `{way, keySystem, variant}` |
 * | `variant` | the variant that is loaded from now on |
 * | `choices` | the variants and renditions that can be chosen, of type {@link Choices} |
 */
export class KeywayPlayer extends EventTarget {
    /** The keys for players without FairPlay. @type {Keys | null} */
    #keys = null;
    /** @type {FairPlay | null} */
    #fairPlay = null;
    /** @type {Presentation | HlsPresentation | null} */
    #presentation = null;
    #isEncrypted = false;
    /** The number of the current presentation, so that late results of a previous one are ignored. */
    #round = 0;
    /** The error to show since the keys were last requested. */
    #shown = new ShownError();
    #options;

    /**
     * @param {HTMLVideoElement} video
     * @param {PlayerOptions} options
     */
    constructor(video, options) {
        super();
        this.video = video;
        this.#options = options;
        video.addEventListener("error", () => this.#mediaError());
    }

    /** The status of each key. @returns {ReadonlyMap<string, string>} */
    get keyStatuses() {
        return this.#fairPlay?.keyStatuses ?? this.#keys?.statuses ?? new Map();
    }

    /**
     * Loads a presentation. Later errors, and those that this method throws, are also reported as `error` events.
     *
     * @param {string} url the URL of a Multivariant Playlist
     * @throws {PlayerError}
     */
    async load(url) {
        await this.stop();
        const round = this.#round;
        const { server, token, app } = this.#options;
        const licenses = new LicenseServer(server, {
            token,
            app,
            report: (request) => { if (round === this.#round) this.#emit("keyrequest", request); },
        });
        try {
            await this.#load(new URL(url, globalThis.location?.href).href, licenses, round);
        } catch (error) {
            if (round !== this.#round) return;
            const failure = PlayerError.from(error, "decode-failed");
            this.#fail(failure, round);
            throw failure;
        }
    }

    /** Requests every FairPlay key again, before its lease expires. */
    async renew() {
        this.#shown = new ShownError();
        await this.#fairPlay?.renew();
    }

    /** What can be chosen; empty with native HLS, whose controls offer the choice. @returns {Choices} */
    get choices() {
        return this.#presentation?.choices ?? { variants: [], audio: [], subtitles: [] };
    }

    /**
     * Chooses a variant.
     *
     * @param {number} index an index of `choices.variants`; -1 for the automatic choice, by throughput and size
     */
    async selectVariant(index) {
        await this.#presentation?.selectVariant(index);
    }

    /** Chooses the audio. @param {number} index an index of `choices.audio` */
    async selectAudio(index) {
        await this.#presentation?.selectAudio(index);
    }

    /** Chooses the subtitles. @param {number} index an index of `choices.subtitles`; -1 for none */
    selectSubtitles(index) {
        this.#presentation?.selectSubtitles(index);
    }

    /** Stops playback and releases the keys. */
    async stop() {
        this.#round += 1;
        this.#shown = new ShownError();
        this.#presentation?.close();
        if (!this.#presentation && this.video.getAttribute("src")) {
            this.video.removeAttribute("src");
            this.video.load();
        }
        this.#presentation = null;
        await this.#releaseKeys();
    }

    async #releaseKeys() {
        const [keys, fairPlay] = [this.#keys, this.#fairPlay];
        this.#keys = this.#fairPlay = null;
        await Promise.all([keys?.close(), fairPlay?.detach()]);
    }

    /**
     * @param {string} url
     * @param {LicenseServer} server
     * @param {number} round
     */
    async #load(url, server, round) {
        const { multivariant, media } = await loadPlaylist(url);
        if (!multivariant) {
            const isEncrypted = media.segments.some((segment) => segment.keys.some((key) => key.method === "AES-128"));
            if (isEncrypted && playsHLS(this.video)) return this.#playNatively(url, null);
            throw new PlayerError("playlist-unsupported", "open the Multivariant Playlist, which contains the codecs");
        }
        const renditions = new Renditions(multivariant);
        const variant = firstVariant(renditions, this.video);
        const sources = await renditions.load(variant);
        const tags = sources.flatMap(({ playlist }) => playlist.segments.flatMap((segment) => segment.keys)).concat(multivariant.keys);
        this.#isEncrypted = tags.length > 0;
        if (round !== this.#round) return;
        const isSegmentEncrypted = tags.some((tag) => tag.method === "AES-128");
        if (isSegmentEncrypted && playsHLS(this.video)) return this.#playNatively(url, variant);
        if (this.#isEncrypted && !globalThis.isSecureContext) throw new PlayerError("insecure-page");
        const hasFairPlay = tags.some((tag) => tag.format === FAIRPLAY_FORMAT);
        const types = sources.map(({ type }) => type);
        if (hasFairPlay && (await this.#playFairPlay(url, variant, types, server, round))) return;
        const isByHls = Boolean(this.#options.hls?.isSupported());
        if (!isByHls) sources.forEach(({ playlist }) => requirePlayable(playlist));
        await this.#prepareKeys(types, isSegmentEncrypted ? [] : tags, server, round);
        if (round !== this.#round) return;
        if (isByHls) return this.#playByHls(url, variant, server, round);
        await this.#playByMediaSource(renditions, variant, sources, server, round);
    }

    /**
     * @param {string} url
     * @param {Variant | null} variant
     */
    #playNatively(url, variant) {
        this.#isEncrypted = true;
        if (!playsHLS(this.video)) throw new PlayerError("aes-128-unsupported");
        // Keys and segments have different origins. Chromium decrypts only media that CORS allows the page to read.
        this.video.crossOrigin = "anonymous";
        this.video.src = url;
        this.#emit("mode", { way: "native HLS", keySystem: "AES-128", variant });
    }

    /**
     * Plays FairPlay with native HLS: with the standard EME, or with the prefixed API if the browser has only that.
     *
     * @param {string} url
     * @param {Variant} variant
     * @param {string[]} types
     * @param {LicenseServer} server
     * @param {number} round
     * @returns {Promise<boolean>} whether the browser supports this
     */
    async #playFairPlay(url, variant, types, server, round) {
        if (!playsHLS(this.video)) return false;
        if (!(await FairPlay.isSupported(types))) return false;
        const fairPlay = await this.#attachFairPlay(types, server, round);
        if (round !== this.#round) return true;
        this.video.src = url;
        this.#emit("mode", { way: "native HLS", keySystem: fairPlay.keySystem, variant });
        return true;
    }

    /**
     * Prepares the keys for Media Source Extensions.
     *
     * @param {string[]} types
     * @param {KeyTag[]} tags
     * @param {LicenseServer} server
     * @param {number} round
     */
    async #prepareKeys(types, tags, server, round) {
        const source = mediaSourceType();
        const unsupported = types.find((type) => !source?.isTypeSupported(type));
        if (unsupported) throw new PlayerError("codec-unsupported", unsupported);
        if (!tags.length) return;
        // Clear Key requires no signaling: the media contain the key IDs, and the server finds keys by key ID.
        const scheme = tags.some((tag) => tag.method === "SAMPLE-AES-CTR") ? "cenc" : "cbcs";
        const access = await findKeySystem(["com.apple.fps", "org.w3.clearkey"], types, scheme);
        if (!access) throw new PlayerError("no-key-system", types.join(", "));
        if (access.keySystem === "com.apple.fps") {
            await this.#attachFairPlay(types, server, round);
        } else {
            const keys = await Keys.attach(this.video, access, server, this.#keyEvents(round), "", () => round === this.#round);
            if (round === this.#round) this.#keys = keys;
            else await keys?.close();
        }
    }

    /**
     * @param {Renditions} renditions
     * @param {Variant} variant
     * @param {PlaylistSource[]} sources
     * @param {LicenseServer} server
     * @param {number} round
     */
    async #playByMediaSource(renditions, variant, sources, server, round) {
        const presentation = new Presentation(this.video, renditions, variant, {
            init: (init, segment) => this.#needKeys(init, segment.keys, server),
            failure: (error) => this.#fail(error, round),
        }, (other) => { if (round === this.#round) this.#emit("variant", other); });
        this.#presentation = presentation;
        this.#emit("mode", { way: "Media Source Extensions", keySystem: this.#keySystem, variant });
        await presentation.open(sources);
        if (round === this.#round) this.#emit("choices", this.choices);
    }

    /**
     * @param {string} url
     * @param {Variant} variant
     * @param {LicenseServer} server
     * @param {number} round
     */
    #playByHls(url, variant, server, round) {
        const presentation = new HlsPresentation(this.#options.hls, this.video, {
            init: (init) => this.#needKeys(init, [], server),
            failure: (error) => this.#fail(error, round),
            variant: (other) => { if (round === this.#round) this.#emit("variant", other); },
            choices: () => { if (round === this.#round) this.#emit("choices", this.choices); },
        });
        this.#presentation = presentation;
        this.#emit("mode", { way: "hls.js", keySystem: this.#keySystem, variant });
        presentation.open(url);
    }

    get #keySystem() {
        return this.#fairPlay?.keySystem ?? this.#keys?.system ?? "none";
    }

    /**
     * Requests the keys of an init segment, from the playlist's key URI if it has one.
     *
     * @param {Uint8Array} init
     * @param {KeyTag[]} tags
     * @param {LicenseServer} server
     */
    #needKeys(init, tags, server) {
        const identity = tags.find((tag) => tag.format === "identity");
        for (const { keyID } of tracksIn(init)) {
            const key = identity && server.key(identity.uri);
            // The caller that awaits the key handles the error.
            key?.catch(() => {});
            void this.#keys?.needKeyID(keyID, key);
        }
    }

    /**
     * @param {string[]} contentTypes
     * @param {LicenseServer} licenses
     * @param {number} round
     */
    async #attachFairPlay(contentTypes, licenses, round) {
        const { server, renewEvery } = this.#options;
        const fairPlay = new FairPlay({ server, licenses, renewEvery, contentTypes });
        fairPlay.addEventListener("keystatus", (event) => {
            if (round === this.#round) this.#emit("keystatus", /** @type {CustomEvent} */ (event).detail);
        });
        try {
            await fairPlay.attach(this.video);
        } finally {
            // An error of `attach` ends the loading; later ones are reported here.
            fairPlay.addEventListener("error", (event) => this.#fail(/** @type {CustomEvent} */ (event).detail, round));
        }
        if (round === this.#round) this.#fairPlay = fairPlay;
        else await fairPlay.detach();
        return fairPlay;
    }

    /**
     * @param {number} round
     * @returns {import("./keys.js").KeyEvents}
     */
    #keyEvents(round) {
        return {
            status: (keyID, status) => { if (round === this.#round) this.#emit("keystatus", { keyID, status }); },
            failure: (error) => this.#fail(error, round),
        };
    }

    #mediaError() {
        const { code, message } = this.video.error ?? { code: 0, message: "" };
        // Removing the source is not a media error.
        if (!this.video.getAttribute("src")) return;
        const unreadable = this.#isEncrypted ? "wrong-key" : "decode-failed";
        /** @type {Record<number, string>} */
        const codes = { [MediaError.MEDIA_ERR_NETWORK]: "segment-unreachable", [MediaError.MEDIA_ERR_DECODE]: unreadable };
        this.#fail(new PlayerError(codes[code] ?? (this.#presentation ? unreadable : "codec-unsupported"), message), this.#round);
    }

    /**
     * @param {PlayerError} error
     * @param {number} round
     */
    #fail(error, round) {
        if (round === this.#round && this.#shown.add(error)) this.#emit("error", error);
    }

    /**
     * @param {string} name
     * @param {unknown} detail
     */
    #emit(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}

/** @param {HTMLVideoElement} video @returns {boolean} whether the browser has native HLS */
function playsHLS(video) {
    return video.canPlayType("application/vnd.apple.mpegurl") !== "";
}
