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

import { fetchPlaylist, parse, requirePlayable } from "./hls.js";
import { tracksIn } from "./init-data.js";
import { PlayerError, MESSAGES } from "./errors.js";
import { FairPlay } from "./fairplay.js";
import { findKeySystem, Keys } from "./keys.js";
import { LicenseServer } from "./licenses.js";
import { MediaFeed, mediaSourceType } from "./mse.js";

export { PlayerError, MESSAGES };

/** @typedef {import("./hls.js").KeyTag} KeyTag */
/** @typedef {import("./hls.js").Multivariant} Multivariant */
/** @typedef {import("./hls.js").Segment} Segment */
/** @typedef {import("./hls.js").Variant} Variant */
/** @typedef {import("./mse.js").TrackSource} TrackSource */

const FAIRPLAY_FORMAT = "com.apple.streamingkeydelivery";
const VIDEO_CODEC = /^(avc[13]|hvc1|hev1|dvh1|dvhe|av01|vp09)\b/;
const AUDIO_CODEC = /^(mp4a|ac-3|ec-3|alac|fLaC|Opus)\b/i;

/**
 * @typedef {object} PlayerOptions
 * @property {string} server the key server's URL
 * @property {import("./licenses.js").TokenSource} [token] returns a playback token; called again when the server
 * rejects one
 * @property {string} [app] the name of the FairPlay certificate, if the server has several
 * @property {number} [renewEvery] the interval of FairPlay key renewals in seconds, shorter than the policy's lease
 */

/**
 * A player for a video element.
 *
 * | Event | `detail` |
 * |---|---|
 * | `error` | a {@link PlayerError}; playback may continue if only some keys were refused |
 * | `keyrequest` | a request to the key server and its outcome |
 * | `keystatus` | `{keyID, status}` |
 * | `mode` | the mode of playback: `{way, keySystem, variant}` |
 */
export class KeywayPlayer extends EventTarget {
    /** The keys for players without FairPlay. @type {Keys | null} */
    #keys = null;
    /** @type {FairPlay | null} */
    #fairPlay = null;
    /** @type {MediaFeed | null} */
    #feed = null;
    #isEncrypted = false;
    /** The number of the current presentation, so that late results of a previous one are ignored. */
    #round = 0;
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
        await this.#fairPlay?.renew();
    }

    /** Stops playback and releases the keys. */
    async stop() {
        this.#round += 1;
        this.#feed?.close();
        if (!this.#feed && this.video.getAttribute("src")) {
            this.video.removeAttribute("src");
            this.video.load();
        }
        this.#feed = null;
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
        const { multivariant, media } = parse(await fetchPlaylist(url), url);
        if (!multivariant) {
            const isSegmentEncrypted = media.segments.some((segment) => segment.keys.some((key) => key.method === "AES-128"));
            if (isSegmentEncrypted) return this.#playNatively(url, null);
            throw new PlayerError("playlist-unsupported", "open the Multivariant Playlist, which contains the codecs");
        }
        const variant = choose(multivariant.variants);
        const sources = await tracks(multivariant, variant);
        const tags = sources.flatMap(({ playlist }) => playlist.segments.flatMap((segment) => segment.keys)).concat(multivariant.keys);
        this.#isEncrypted = tags.length > 0;
        if (round !== this.#round) return;
        if (tags.some((tag) => tag.method === "AES-128")) return this.#playNatively(url, variant);
        if (this.#isEncrypted && !globalThis.isSecureContext) throw new PlayerError("insecure-page");
        const hasFairPlay = tags.some((tag) => tag.format === FAIRPLAY_FORMAT);
        if (hasFairPlay && (await this.#playFairPlay(url, variant, sources, server, round))) return;
        await this.#playByMediaSource(variant, sources, tags, server, round);
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
     * @param {TrackSource[]} sources
     * @param {LicenseServer} server
     * @param {number} round
     * @returns {Promise<boolean>} whether the browser supports this
     */
    async #playFairPlay(url, variant, sources, server, round) {
        if (!playsHLS(this.video)) return false;
        const types = sources.map(({ type }) => type);
        if (!(await FairPlay.isSupported(types))) return false;
        const fairPlay = await this.#attachFairPlay(types, server, round);
        if (round !== this.#round) return true;
        this.video.src = url;
        this.#emit("mode", { way: "native HLS", keySystem: fairPlay.keySystem, variant });
        return true;
    }

    /**
     * @param {Variant} variant
     * @param {TrackSource[]} sources
     * @param {KeyTag[]} tags
     * @param {LicenseServer} server
     * @param {number} round
     */
    async #playByMediaSource(variant, sources, tags, server, round) {
        sources.forEach(({ playlist }) => requirePlayable(playlist));
        const type = mediaSourceType();
        const unsupported = sources.find((source) => !type?.isTypeSupported(source.type));
        if (unsupported) throw new PlayerError("codec-unsupported", unsupported.type);
        if (this.#isEncrypted) {
            // Clear Key requires no signaling: the media contain the key IDs, and the server finds keys by key ID.
            const scheme = tags.some((tag) => tag.method === "SAMPLE-AES-CTR") ? "cenc" : "cbcs";
            const access = await findKeySystem(["com.apple.fps", "org.w3.clearkey"], sources.map((source) => source.type), scheme);
            if (!access) throw new PlayerError("no-key-system", sources.map((source) => source.type).join(", "));
            if (access.keySystem === "com.apple.fps") {
                await this.#attachFairPlay(sources.map((source) => source.type), server, round);
            } else {
                this.#keys = await Keys.attach(this.video, access, server, this.#keyEvents(round));
            }
            if (round !== this.#round) return this.#releaseKeys();
        }
        const feed = new MediaFeed(this.video, {
            init: (init, segment) => this.#needKeys(init, segment, server),
            failure: (error) => this.#fail(error, round),
        });
        this.#feed = feed;
        this.#emit("mode", { way: "Media Source Extensions", keySystem: this.#fairPlay?.keySystem ?? this.#keys?.system ?? "none", variant });
        await feed.open(sources);
    }

    /**
     * Requests the keys of an init segment, from the playlist's key URI if it has one.
     *
     * @param {Uint8Array} init
     * @param {Segment} segment
     * @param {LicenseServer} server
     */
    #needKeys(init, segment, server) {
        const identity = segment.keys.find((tag) => tag.format === "identity");
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
        const codes = { [MediaError.MEDIA_ERR_NETWORK]: "segment-unreachable", [MediaError.MEDIA_ERR_DECODE]: unreadable };
        this.#fail(new PlayerError(codes[code] ?? (this.#feed ? unreadable : "codec-unsupported"), message), this.#round);
    }

    /**
     * @param {PlayerError} error
     * @param {number} round
     */
    #fail(error, round) {
        if (round === this.#round) this.#emit("error", error);
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

/**
 * Returns the variant with the greatest height that this browser can decode; of several, the one with the highest
 * bandwidth.
 *
 * @param {Variant[]} variants
 * @returns {Variant}
 */
function choose(variants) {
    const type = mediaSourceType();
    const playable = variants.filter((variant) => !type || type.isTypeSupported(mime(variant.codecs)));
    const sorted = [...(playable.length ? playable : variants)].sort((one, other) => other.height - one.height || other.bandwidth - one.bandwidth);
    return sorted[0];
}

/**
 * @param {string[]} codecs
 * @returns {string} the media type of a file with these codecs
 */
function mime(codecs) {
    const known = codecs.filter((codec) => VIDEO_CODEC.test(codec) || AUDIO_CODEC.test(codec));
    const kind = known.some((codec) => VIDEO_CODEC.test(codec)) ? "video" : "audio";
    return known.length ? `${kind}/mp4; codecs="${known.join(", ")}"` : `${kind}/mp4`;
}

/**
 * Loads the playlists of a variant's renditions: video, and audio if it has a separate playlist.
 *
 * @param {Multivariant} multivariant
 * @param {Variant} variant
 * @returns {Promise<TrackSource[]>}
 */
async function tracks(multivariant, variant) {
    const group = multivariant.audio.filter((rendition) => rendition.group === variant.audio);
    const audio = group.find((rendition) => rendition.isDefault) ?? group[0];
    /** @type {[string, string][]} */
    const found = [];
    if (audio) {
        const video = variant.codecs.filter((codec) => VIDEO_CODEC.test(codec));
        const audioCodecs = variant.codecs.filter((codec) => AUDIO_CODEC.test(codec));
        // An audio-only variant has no separate video rendition.
        if (video.length) found.push([mime(video), variant.url]);
        found.push([mime(audioCodecs), audio.url]);
    } else {
        found.push([mime(variant.codecs), variant.url]);
    }
    return Promise.all(found.map(async ([type, url]) => {
        const { media } = parse(await fetchPlaylist(url), url);
        if (!media) throw new PlayerError("playlist-malformed", url);
        return { type, url, playlist: media };
    }));
}
