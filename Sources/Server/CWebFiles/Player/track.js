// @ts-check
/** @file One kind of media of a presentation: appends the segments of a rendition to a source buffer, in order. */

import { deadline } from "./hls.js";
import { PlayerError } from "./errors.js";
import { unshared } from "./init-data.js";
import { startTime, timescales } from "./mp4.js";

/** @typedef {import("./hls.js").Piece} Piece */
/** @typedef {import("./hls.js").Segment} Segment */
/** @typedef {import("./timeline.js").PlaylistSource} PlaylistSource */
/** @typedef {import("./timeline.js").Timeline} Timeline */

/** The number of seconds to buffer ahead of the playback position, and to keep behind it. */
const AHEAD = 30;
const BEHIND = 10;
/** The seconds after the playback position that stay in the buffer when a rendition is replaced. */
const KEPT = 1;
/** The maximum gap between two buffered ranges that count as one, in seconds: audio and video do not end at the same time. */
export const GAP = 0.25;
/** The maximum difference between the end of a segment in its playlist and in its media, in seconds. */
const TOLERANCE = 1;
/** The maximum number of attempts to load a segment. */
const TRIES = 3;
/** The number of failed reloads of a live playlist, one after the other, that end playback. */
const RELOAD_TRIES = 5;

/**
 * @typedef {object} FeedEvents
 * @property {(init: Uint8Array, segment: Segment) => void} init called before an init segment is appended
 * @property {(error: PlayerError) => void} failure
 * @property {(bytes: number, milliseconds: number) => void} [loaded] called for each loaded segment
 */

/** A buffer and the rendition that is loaded into it. */
export class Track {
    /** Whether the last segment is in the buffer, without a gap after the playback position. */
    isDone = false;
    /** The sequence number of the last appended segment. */
    #last = -1;
    /** The key of the last appended init segment. */
    #map = "";
    /** The timescales of the last init segment. @type {Map<number, number>} */
    #scales = new Map();
    /** The rendition to change to at the next segment. @type {{source: PlaylistSource, isNow: boolean} | null} */
    #next = null;
    #wake = () => {};
    #buffer;
    #video;
    #timeline;
    #signal;
    #events;
    #type;

    /**
     * @param {PlaylistSource} source
     * @param {SourceBuffer} buffer
     * @param {HTMLVideoElement} video
     * @param {Timeline} timeline
     * @param {AbortSignal} signal
     * @param {FeedEvents} events
     */
    constructor(source, buffer, video, timeline, signal, events) {
        this.source = source;
        this.#type = source.type;
        this.#buffer = buffer;
        this.#video = video;
        this.#timeline = timeline;
        this.#signal = signal;
        this.#events = events;
    }

    /** The buffered ranges. @returns {TimeRanges} */
    get buffered() {
        return this.#buffer.buffered;
    }

    /**
     * Changes the rendition at the next segment.
     *
     * @param {PlaylistSource} source
     * @param {boolean} isNow true to replace what is buffered after the playback position
     */
    change(source, isNow) {
        this.#next = { source, isNow };
        this.#wake();
    }

    /** @param {() => void} onDone */
    async run(onDone) {
        while (!this.#signal.aborted) {
            await this.#takeNext();
            const { source } = this;
            const segment = this.#nextSegment();
            if (segment === "enough") {
                await this.#wait(500);
            } else if (segment) {
                this.isDone = false;
                if (!segment.isGap) await this.#appendSegment(segment);
                this.#last = segment.sequence;
            } else if (source.isLive) {
                // After an unchanged playlist, half of the target duration (RFC 8216bis, 6.3.4).
                await this.#wait(source.playlist.target * (source.unchanged ? 500 : 1000));
                await this.#reload();
            } else {
                this.isDone = true;
                onDone();
                await this.#wait(500);
            }
        }
    }

    async #takeNext() {
        if (!this.#next) return;
        const { source, isNow } = this.#next;
        this.#next = null;
        source.align(this.source);
        this.source = source;
        this.#map = "";
        this.#last = -1;
        if (source.type !== this.#type) {
            this.#buffer.changeType?.(source.type);
            this.#type = source.type;
        }
        if (isNow && this.#buffer.buffered.length > 0) {
            // What plays at this moment stays until the first segment has replaced it.
            const { currentTime } = this.#video;
            await this.#change(() => this.#buffer.remove(currentTime + KEPT, Number.POSITIVE_INFINITY));
        }
    }

    /**
     * @returns {Segment | "enough" | null} the first segment that is missing after the playback position; null if the
     * playlist has none
     */
    #nextSegment() {
        const { source } = this;
        const now = this.#video.currentTime;
        const end = bufferedEnd(this.#buffer.buffered, now);
        if (end - now >= AHEAD && end < source.end - GAP) return "enough";
        const { segments } = source.playlist;
        // The times of a playlist are not exact: a segment counts as complete slightly before its end.
        const at = segments.findIndex((segment) => end + Math.min(GAP, segment.duration / 2) < source.time(segment) + segment.duration);
        if (at < 0) return null;
        const isRepeated = segments[at].sequence === this.#last && end > now;
        return segments[isRepeated ? at + 1 : at] ?? null;
    }

    /** @param {Segment} segment */
    async #appendSegment(segment) {
        const { source } = this;
        const map = segment.map && JSON.stringify(segment.map);
        if (segment.map && map && map !== this.#map) {
            const init = await this.#load(segment.map);
            if (source !== this.source || this.#next?.isNow) return;
            this.#events.init(init, segment);
            await this.#append(init);
            this.#scales = timescales(init);
            this.#map = map;
        }
        const begin = performance.now();
        const data = await this.#load(segment);
        this.#events.loaded?.(data.length, performance.now() - begin);
        if (this.#next?.isNow) return;
        this.#place(segment, data);
        await this.#append(data);
        await this.#removeOld();
    }

    /**
     * Sets the offset of the buffer so that the segment has its place in the timeline.
     *
     * @param {Segment} segment
     * @param {Uint8Array} data
     */
    #place(segment, data) {
        const mediaTime = startTime(data, this.#scales);
        if (mediaTime === null) return;
        const { source } = this;
        const offset = this.#timeline.offset(segment.discontinuity, this.#expected(segment), mediaTime);
        source.base = mediaTime + offset - segment.start;
        if (Math.abs(this.#buffer.timestampOffset - offset) > 0.0001) this.#buffer.timestampOffset = offset;
    }

    /**
     * @param {Segment} segment
     * @returns {number} where a segment begins in playback: after what is buffered, if its playlist differs only a little
     */
    #expected(segment) {
        const { buffered } = this.#buffer;
        const time = this.source.time(segment);
        const end = buffered.length > 0 ? buffered.end(buffered.length - 1) : time;
        return Math.abs(end - time) < TOLERANCE ? end : time;
    }

    /** Removes what was played, so that the memory of a live presentation is bounded. */
    async #removeOld() {
        const { buffered } = this.#buffer;
        const behind = this.#video.currentTime - BEHIND;
        if (this.source.isLive && buffered.length > 0 && buffered.start(0) < behind - BEHIND) {
            await this.#change(() => this.#buffer.remove(0, behind));
        }
    }

    /** @param {Uint8Array} data */
    async #append(data) {
        while (!this.#signal.aborted) {
            try {
                await this.#change(() => this.#buffer.appendBuffer(unshared(data)));
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
                if (event.type === "error") reject(new PlayerError("media-malformed", this.#type));
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

    /** @param {Piece} piece */
    #load(piece) {
        return loadPiece(piece, this.#signal, (milliseconds) => this.#wait(milliseconds));
    }

    async #reload() {
        for (let attempt = 1; !this.#signal.aborted; attempt += 1) {
            try {
                await this.source.reload(this.#signal);
                return;
            } catch (error) {
                // A playlist that is replaced at this moment may be missing or truncated.
                if (this.#signal.aborted || attempt === RELOAD_TRIES) throw error;
                await this.#wait(this.source.playlist.target * 500);
            }
        }
    }

    /**
     * Waits until the viewer seeks, the rendition changes, playback stops, or the time has passed.
     *
     * @param {number} milliseconds
     */
    async #wait(milliseconds) {
        if (this.#next) return;
        await new Promise((resolve) => {
            const wake = () => {
                clearTimeout(timer);
                this.#video.removeEventListener("seeking", wake);
                this.#signal.removeEventListener("abort", wake);
                resolve(undefined);
            };
            const timer = setTimeout(wake, milliseconds);
            this.#wake = wake;
            this.#video.addEventListener("seeking", wake);
            this.#signal.addEventListener("abort", wake);
        });
    }
}

/**
 * @param {TimeRanges} buffered
 * @param {number} now
 * @returns {number} the end of what is buffered at a time without a gap
 */
export function bufferedEnd(buffered, now) {
    let end = now;
    for (let range = 0; range < buffered.length; range += 1) {
        if (buffered.start(range) <= end + GAP && buffered.end(range) > end) end = buffered.end(range);
    }
    return end;
}

/**
 * Loads a file or a byte range, with several attempts.
 *
 * @param {Piece} piece
 * @param {AbortSignal} signal
 * @param {(milliseconds: number) => Promise<void>} wait
 * @returns {Promise<Uint8Array>}
 */
export async function loadPiece({ url, range }, signal, wait) {
    const headers = range ? { Range: `bytes=${range.start}-${range.start + range.length - 1}` } : undefined;
    for (let attempt = 1; ; attempt += 1) {
        try {
            const answer = await fetch(url, { headers, credentials: "omit", signal: deadline(signal) });
            if (!answer.ok) throw new PlayerError("segment-unreachable", `${url}: status ${answer.status}`);
            const data = new Uint8Array(await answer.arrayBuffer());
            // Servers without range support send the whole file.
            return range && answer.status !== 206 ? data.subarray(range.start, range.start + range.length) : data;
        } catch (error) {
            if (signal.aborted) throw error;
            if (attempt === TRIES) {
                throw error instanceof PlayerError ? error : new PlayerError("segment-unreachable", url);
            }
            await wait(1000);
        }
    }
}
