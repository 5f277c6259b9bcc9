// @ts-check
/** @file A presentation that hls.js plays, with the keys of this module. */

import { chooseKeyFormat } from "./adapters.js";
import { tracksIn } from "./init-data.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./presentation.js").Choices} Choices */

/** The codes of hls.js's errors, by `details`. */
const CODES = Object.freeze(/** @type {Record<string, string>} */ ({
    manifestLoadError: "playlist-unreachable", manifestLoadTimeOut: "playlist-unreachable", manifestParsingError: "playlist-malformed",
    levelLoadError: "playlist-unreachable", levelLoadTimeOut: "playlist-unreachable", levelEmptyError: "playlist-malformed",
    levelParsingError: "playlist-malformed", audioTrackLoadError: "playlist-unreachable",
    manifestIncompatibleCodecsError: "codec-unsupported", bufferAddCodecError: "codec-unsupported",
    bufferIncompatibleCodecsError: "codec-unsupported", fragLoadError: "segment-unreachable", fragLoadTimeOut: "segment-unreachable",
    keyLoadError: "unknown-key", keyLoadTimeOut: "server-unreachable", fragDecryptError: "wrong-key", fragParsingError: "media-malformed",
}));

/** The interval of checks whether playback continues, and the time without progress that is reported, in milliseconds. */
const CHECK = 500;
const STALL = 10_000;

/**
 * @typedef {object} HlsEvents
 * @property {(init: Uint8Array) => void} init called before an init segment with encrypted tracks is appended
 * @property {(error: PlayerError) => void} failure
 * @property {(variant: any) => void} variant
 * @property {() => void} choices
 */

/** One presentation in one video element. */
export class HlsPresentation {
    #hls;
    #video;
    #watch;

    /**
     * @param {any} Hls the class of hls.js
     * @param {HTMLVideoElement} video
     * @param {HlsEvents} events
     */
    constructor(Hls, video, events) {
        this.#video = video;
        // The keys come from this module. The size of the element limits the quality. The policy of pages may forbid workers.
        const hls = new Hls({ emeEnabled: false, enableWorker: false, capLevelToPlayerSize: true, backBufferLength: 30 });
        this.#hls = hls;
        chooseKeyFormat(hls);
        hls.on("hlsBufferAppending", (/** @type {string} */ _, /** @type {any} */ { data }) => {
            if (data && tracksIn(data).length) events.init(data);
        });
        hls.on("hlsLevelSwitched", (/** @type {string} */ _, /** @type {any} */ { level }) => {
            const { width = 0, height = 0, bitrate = 0 } = hls.levels[level] ?? {};
            events.variant({ width, height, bandwidth: bitrate });
        });
        for (const name of ["hlsManifestParsed", "hlsAudioTracksUpdated", "hlsSubtitleTracksUpdated"]) hls.on(name, () => events.choices());
        hls.on("hlsError", (/** @type {string} */ _, /** @type {any} */ error) => {
            if (error.fatal) events.failure(this.#failure(error));
        });
        this.#watch = this.#watchProgress(events);
    }

    /**
     * Reports playback that has stopped: hls.js waits for a live stream without an end.
     *
     * @param {HlsEvents} events
     */
    #watchProgress({ failure }) {
        let position = -1;
        let since = 0;
        let isReported = false;
        return setInterval(() => {
            const { currentTime, paused, ended, error } = this.#video;
            if (paused || ended || error || currentTime !== position) {
                [position, since, isReported] = [currentTime, performance.now(), false];
            } else if (!isReported && performance.now() - since >= STALL) {
                isReported = true;
                failure(this.#stalled());
            }
        }, CHECK);
    }

    /** @returns {PlayerError} why playback does not continue */
    #stalled() {
        const details = this.#hls.latestLevelDetails;
        // `age` is the time in seconds since the playlist had a new segment.
        if (details?.live && details.age * 1000 >= STALL) return new PlayerError("live-ended", details.url);
        return new PlayerError("stalled", "the next segment is missing");
    }

    /** @param {any} error of hls.js @returns {PlayerError} */
    #failure({ details, response, url }) {
        if (String(details).startsWith("bufferStalled")) return new PlayerError("stalled", details);
        const code = CODES[details] ?? (this.#video.error ? "decode-failed" : "stalled");
        return new PlayerError(code, [url, response?.code && `status ${response.code}`, details].filter(Boolean).join(": "));
    }

    /** @param {string} url */
    open(url) {
        this.#hls.loadSource(url);
        this.#hls.attachMedia(this.#video);
    }

    /** @returns {Choices} */
    get choices() {
        const named = (/** @type {any[]} */ tracks) => tracks.map(({ name = "", lang = "" }) => ({ name, language: lang }));
        const { levels = [], audioTracks = [], subtitleTracks = [] } = this.#hls;
        return {
            variants: levels.map((/** @type {any} */ { width, height, bitrate }) => ({ width, height, bandwidth: bitrate })),
            audio: named(audioTracks),
            subtitles: named(subtitleTracks),
        };
    }

    /** @param {number} index -1 for the automatic choice */
    async selectVariant(index) {
        this.#hls.nextLevel = index;
    }

    /** @param {number} index */
    async selectAudio(index) {
        this.#hls.audioTrack = index;
    }

    /** @param {number} index -1 for none */
    selectSubtitles(index) {
        this.#hls.subtitleTrack = index;
        this.#hls.subtitleDisplay = index >= 0;
    }

    close() {
        clearInterval(this.#watch);
        this.#hls.destroy();
        this.#video.removeAttribute("src");
        this.#video.load();
    }
}
