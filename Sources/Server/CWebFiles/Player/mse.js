// @ts-check
/** @file Feeds segments to a video element by Media Source Extensions. */

import { fetchPlaylist, parse, requirePlayable } from "./hls.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./hls.js").MediaPlaylist} MediaPlaylist */
/** @typedef {import("./hls.js").Piece} Piece */
/** @typedef {import("./hls.js").Segment} Segment */

/** How many seconds are kept loaded ahead of where it plays, and how many behind it when there is no room. */
const AHEAD = 30;
const BEHIND = 10;
/** What two ranges may lie apart, in seconds, and still be one: sound and picture do not end at the same time. */
const GAP = 0.25;
/** How long after a failure the element may still tell of its own, in milliseconds. */
const ERROR_DELAY = 500;
/** How often a segment is asked for. */
const TRIES = 3;

/**
 * A rendition to be played.
 *
 * @typedef {object} TrackSource
 * @property {string} type with codecs, such as `video/mp4; codecs="avc1.64001f"`
 * @property {string} url of its playlist
 * @property {MediaPlaylist} playlist
 */

/**
 * @typedef {object} FeedEvents
 * @property {(init: Uint8Array, segment: Segment) => void} init an init segment is about to be given to the element
 * @property {(error: PlayerError) => void} failure
 */

/** @returns {typeof MediaSource | undefined} what makes media sources here */
export function mediaSourceType() {
    // Phones of Apple have the managed one alone.
    return globalThis.MediaSource ?? /** @type {any} */ (globalThis).ManagedMediaSource;
}

/** One presentation on its way into one video element. */
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
     * Gives the element its source, and begins to load.
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
                // Where decoding has failed, buffers fail too, and sometimes first. The element's own error says more.
                await new Promise((resolve) => { setTimeout(resolve, ERROR_DELAY); });
                if (this.#abort.signal.aborted || this.#video.error) return;
                this.#events.failure(PlayerError.from(error, "media-malformed"));
            });
        }
    }

    /** Once everything has been given, the element is told that no more will come. */
    #endIfDone() {
        const isQuiet = this.#tracks.every((track) => track.isDone);
        if (isQuiet && this.#source.readyState === "open") this.#source.endOfStream();
    }

    /** Ends loading and takes the media from the element. */
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

/** One rendition: its segments, one after the other, into its buffer. */
class Track {
    /** Whether the last segment is in the buffer, and nothing is missing behind where it plays. */
    isDone = false;
    /** The segment that was given last. */
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
                await this.#give(segment);
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
     * @returns {number} the segment that is missing first from where it plays; one too many when none is; -1 when
     *     enough is there
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
        // What a playlist says of times is not exact: a little before its end, a segment is over.
        const at = segments.findIndex((segment) => end + GAP < segment.start + segment.duration);
        const index = at < 0 ? segments.length : at;
        return index === this.#last && end > now ? index + 1 : index;
    }

    /** @param {Segment} segment */
    async #give(segment) {
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

    /** @param {() => void} begin */
    async #change(begin) {
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
                begin();
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
                // Simple servers know no ranges and send the whole file.
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
     * Waits until it plays on, somebody seeks, or the time is over.
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
