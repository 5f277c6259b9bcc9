// @ts-check
/** @file Appends segments to a video element with Media Source Extensions. */

import { fetchPlaylist, parse, requirePlayable } from "./hls.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./hls.js").MediaPlaylist} MediaPlaylist */
/** @typedef {import("./hls.js").Piece} Piece */
/** @typedef {import("./hls.js").Segment} Segment */

/** The number of seconds to buffer ahead of the playback position, and to keep behind it when the buffer is full. */
const AHEAD = 30;
const BEHIND = 10;
/** The maximum gap between two buffered ranges that count as one, in seconds: audio and video do not end at the same time. */
const GAP = 0.25;
/** The time to wait for the element's own error after a failure, in milliseconds. */
const ERROR_DELAY = 500;
/** The maximum number of attempts to load a segment. */
const TRIES = 3;

/**
 * A rendition to play.
 *
 * @typedef {object} TrackSource
 * @property {string} type with codecs, such as `video/mp4; codecs="avc1.64001f"`
 * @property {string} url the URL of its playlist
 * @property {MediaPlaylist} playlist
 */

/**
 * @typedef {object} FeedEvents
 * @property {(init: Uint8Array, segment: Segment) => void} init called before an init segment is appended
 * @property {(error: PlayerError) => void} failure
 */

/** @returns {typeof MediaSource | undefined} the browser's MediaSource class */
export function mediaSourceType() {
    // Safari on iPhone has only ManagedMediaSource.
    return globalThis.MediaSource ?? /** @type {any} */ (globalThis).ManagedMediaSource;
}

/** One presentation that is loaded into one video element. */
export class MediaFeed {
    #abort = new AbortController();
    /** @type {Track[]} */
    #tracks = [];
    #source;
    #address;
    #video;
    #events;

    /**
     * @param {HTMLVideoElement} video
     * @param {FeedEvents} events
     */
    constructor(video, events) {
        const type = mediaSourceType();
        if (!type) throw new PlayerError("codec-unsupported", "this browser has no Media Source Extensions");
        this.#video = video;
        this.#events = events;
        this.#source = new type();
        this.#address = URL.createObjectURL(this.#source);
    }

    /**
     * Attaches the media source and starts to load.
     *
     * @param {TrackSource[]} sources
     */
    async open(sources) {
        const opened = new Promise((resolve) => { this.#source.addEventListener("sourceopen", resolve, { once: true }); });
        this.#video.disableRemotePlayback = true;
        this.#video.src = this.#address;
        await opened;
        if (this.#abort.signal.aborted) return;
        this.#tracks = sources.map((source) => {
            try {
                return new Track(source, this.#source.addSourceBuffer(source.type), this.#video, this.#abort.signal, this.#events);
            } catch {
                throw new PlayerError("codec-unsupported", source.type);
            }
        });
        if (sources.every(({ playlist }) => playlist.isEnded)) {
            this.#source.duration = Math.max(...sources.map(({ playlist }) => length(playlist)));
        }
        for (const track of this.#tracks) {
            track.run(() => this.#endIfDone()).catch(async (error) => {
                // After a decoding error, appending to the buffers fails too, sometimes first. The element's own error
                // is more specific.
                await new Promise((resolve) => { setTimeout(resolve, ERROR_DELAY); });
                if (this.#abort.signal.aborted || this.#video.error) return;
                this.#events.failure(PlayerError.from(error, "media-malformed"));
            });
        }
    }

    /** Signals the end of the stream once all segments are appended. */
    #endIfDone() {
        const isQuiet = this.#tracks.every((track) => track.isDone);
        if (isQuiet && this.#source.readyState === "open") this.#source.endOfStream();
    }

    /** Stops loading and removes the media from the element. */
    close() {
        this.#abort.abort();
        URL.revokeObjectURL(this.#address);
        this.#video.removeAttribute("src");
        this.#video.load();
    }
}

/** @param {MediaPlaylist} playlist @returns {number} seconds */
function length(playlist) {
    const last = playlist.segments.at(-1);
    return last ? last.start + last.duration : 0;
}

/** One rendition: its segments are appended to its buffer in order. */
class Track {
    /** Whether the last segment is in the buffer, without a gap after the playback position. */
    isDone = false;
    /** The index of the last appended segment. */
    #last = -1;
    /** @type {string} */
    #map = "";
    #source;
    #buffer;
    #video;
    #signal;
    #events;

    /**
     * @param {TrackSource} source
     * @param {SourceBuffer} buffer
     * @param {HTMLVideoElement} video
     * @param {AbortSignal} signal
     * @param {FeedEvents} events
     */
    constructor(source, buffer, video, signal, events) {
        this.#source = source;
        this.#buffer = buffer;
        this.#video = video;
        this.#signal = signal;
        this.#events = events;
    }

    /** @param {() => void} onDone */
    async run(onDone) {
        while (!this.#signal.aborted) {
            const index = this.#next();
            const segment = this.#source.playlist.segments[index];
            if (segment) {
                this.isDone = false;
                await this.#appendSegment(segment);
                this.#last = index;
            } else if (index >= 0 && !this.#source.playlist.isEnded) {
                await this.#wait(this.#source.playlist.target * 500);
                await this.#reload();
            } else {
                this.isDone = index >= 0;
                if (this.isDone) onDone();
                await this.#wait(500);
            }
        }
    }

    /**
     * @returns {number} the index of the first segment missing after the playback position; the segment count if
     *     none is missing; -1 if enough is buffered
     */
    #next() {
        const now = this.#video.currentTime;
        let end = now;
        for (let range = 0; range < this.#buffer.buffered.length; range += 1) {
            const start = this.#buffer.buffered.start(range);
            if (start <= end + GAP && this.#buffer.buffered.end(range) > end) end = this.#buffer.buffered.end(range);
        }
        const { segments } = this.#source.playlist;
        if (end - now >= AHEAD && end < length(this.#source.playlist) - GAP) return -1;
        // The times of a playlist are not exact: a segment counts as complete slightly before its end.
        const at = segments.findIndex((segment) => end + GAP < segment.start + segment.duration);
        const index = at < 0 ? segments.length : at;
        return index === this.#last && end > now ? index + 1 : index;
    }

    /** @param {Segment} segment */
    async #appendSegment(segment) {
        const map = segment.map && JSON.stringify(segment.map);
        if (segment.map && map && map !== this.#map) {
            const init = await this.#load(segment.map);
            this.#events.init(init, segment);
            await this.#append(init);
            this.#map = map;
        }
        await this.#append(await this.#load(segment));
    }

    /** @param {Uint8Array} data */
    async #append(data) {
        while (!this.#signal.aborted) {
            try {
                await this.#change(() => this.#buffer.appendBuffer(data));
                return;
            } catch (error) {
                if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
                const behind = this.#video.currentTime - BEHIND;
                if (behind > 0) await this.#change(() => this.#buffer.remove(0, behind));
                await this.#wait(500);
            }
        }
    }

    /** @param {() => void} start */
    async #change(start) {
        await new Promise((resolve, reject) => {
            const end = (/** @type {Event} */ event) => {
                this.#buffer.removeEventListener("updateend", end);
                this.#buffer.removeEventListener("error", end);
                if (event.type === "error") reject(new PlayerError("media-malformed", this.#source.type));
                else resolve(undefined);
            };
            this.#buffer.addEventListener("updateend", end);
            this.#buffer.addEventListener("error", end);
            try {
                start();
            } catch (error) {
                this.#buffer.removeEventListener("updateend", end);
                this.#buffer.removeEventListener("error", end);
                reject(error);
            }
        });
    }

    /**
     * @param {Piece} piece
     * @returns {Promise<Uint8Array>}
     */
    async #load({ url, range }) {
        const headers = range ? { Range: `bytes=${range.start}-${range.start + range.length - 1}` } : undefined;
        for (let attempt = 1; ; attempt += 1) {
            try {
                const answer = await fetch(url, { headers, credentials: "omit", signal: this.#signal });
                if (!answer.ok) throw new PlayerError("segment-unreachable", `${url}: status ${answer.status}`);
                const data = new Uint8Array(await answer.arrayBuffer());
                // Servers without range support send the whole file.
                return range && answer.status !== 206 ? data.subarray(range.start, range.start + range.length) : data;
            } catch (error) {
                if (this.#signal.aborted) throw error;
                if (attempt === TRIES) {
                    throw error instanceof PlayerError ? error : new PlayerError("segment-unreachable", url);
                }
                await this.#wait(1000);
            }
        }
    }

    async #reload() {
        if (this.#signal.aborted) return;
        const { url } = this.#source;
        const { media } = parse(await fetchPlaylist(url, this.#signal), url);
        if (!media) throw new PlayerError("playlist-malformed", url);
        requirePlayable(media);
        this.#source.playlist = media;
    }

    /**
     * Waits until the viewer seeks, playback stops, or the time has passed.
     *
     * @param {number} milliseconds
     */
    async #wait(milliseconds) {
        await new Promise((resolve) => {
            const wake = () => {
                clearTimeout(timer);
                this.#video.removeEventListener("seeking", wake);
                this.#signal.removeEventListener("abort", wake);
                resolve(undefined);
            };
            const timer = setTimeout(wake, milliseconds);
            this.#video.addEventListener("seeking", wake);
            this.#signal.addEventListener("abort", wake);
        });
    }
}
