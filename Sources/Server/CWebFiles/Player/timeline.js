// @ts-check
/** @file The timeline of playback: where the segments of a playlist are, over reloads, discontinuities and renditions. */

import { fetchPlaylist, parse, requirePlayable } from "./hls.js";
import { PlayerError } from "./errors.js";

/** @typedef {import("./hls.js").MediaPlaylist} MediaPlaylist */
/** @typedef {import("./hls.js").Segment} Segment */

/** The maximum difference between the times of media and playlist that needs no offset, in seconds. */
const TOLERANCE = 1;

/** The offset from the times of the media to those of playback, for each discontinuity; all renditions share it. */
export class Timeline {
    /** Seconds, by Discontinuity Sequence Number. @type {Map<number, number>} */
    #offsets = new Map();

    /**
     * Returns the offset of a discontinuity. The first call determines it.
     *
     * @param {number} discontinuity
     * @param {number} expected the time of the segment in playback, by its playlist
     * @param {number} mediaTime the time in the segment
     * @returns {number} seconds
     */
    offset(discontinuity, expected, mediaTime) {
        let offset = this.#offsets.get(discontinuity);
        if (offset === undefined) {
            const isFirst = this.#offsets.size === 0;
            offset = isFirst && Math.abs(expected - mediaTime) < TOLERANCE ? 0 : expected - mediaTime;
            this.#offsets.set(discontinuity, offset);
        }
        return offset;
    }

    /** @param {number} discontinuity @returns {number | undefined} the offset, if it is known */
    known(discontinuity) {
        return this.#offsets.get(discontinuity);
    }
}

/** A playlist with segments of one rendition, which may be live. */
export class PlaylistSource {
    /** The time of playback at which `start` of segments is 0, in seconds. */
    base = 0;
    /** The number of reloads without a change. */
    unchanged = 0;

    /**
     * @param {string} type with codecs, such as `video/mp4; codecs="avc1.64001f"`
     * @param {string} url
     * @param {MediaPlaylist} playlist
     */
    constructor(type, url, playlist) {
        this.type = type;
        this.url = url;
        this.playlist = playlist;
    }

    /**
     * @param {string} type
     * @param {string} url
     * @param {AbortSignal} [signal]
     * @returns {Promise<PlaylistSource>}
     */
    static async load(type, url, signal) {
        return new PlaylistSource(type, url, await loadMedia(url, signal));
    }

    /** Whether the presentation has a sliding window or still grows. */
    get isLive() {
        return !this.playlist.isEnded;
    }

    /** The end of the last segment, in seconds of playback. */
    get end() {
        const last = this.playlist.segments.at(-1);
        return last ? this.time(last) + last.duration : this.base;
    }

    /** The start of the first segment, in seconds of playback. */
    get start() {
        const [first] = this.playlist.segments;
        return first ? this.time(first) : this.base;
    }

    /** The time at which playback starts or continues: near the end of a live presentation. */
    get startPosition() {
        const { segments, holdBack } = this.playlist;
        const isWindow = this.isLive && segments.length > 0 && segments[0].sequence + segments[0].discontinuity > 0;
        // A presentation that only grows starts at its beginning.
        if (!isWindow) return this.start;
        const last = segments.findLast((segment) => this.time(segment) <= this.end - holdBack + TOLERANCE / 2);
        return last ? this.time(last) : this.start;
    }

    /** @param {Segment} segment @returns {number} its start, in seconds of playback */
    time(segment) {
        return this.base + segment.start;
    }

    /**
     * Places this playlist on the timeline of another rendition: by dates, or by Media Sequence Numbers without them.
     *
     * @param {PlaylistSource} other
     */
    align(other) {
        const [first] = this.playlist.segments;
        if (!first) return;
        const dated = other.playlist.segments.find((segment) => segment.date !== null);
        if (first.date !== null && dated?.date != null) {
            this.base = other.time(dated) + (first.date - dated.date) / 1000 - first.start;
            return;
        }
        const same = other.playlist.segments.find((segment) => segment.sequence === first.sequence);
        this.base = (same ? other.time(same) : other.start) - first.start;
    }

    /** @param {AbortSignal} [signal] */
    async reload(signal) {
        const next = await loadMedia(this.url, signal);
        requirePlayable(next);
        this.update(next);
    }

    /**
     * Replaces the playlist by a later version of it.
     *
     * @param {MediaPlaylist} next
     */
    update(next) {
        const previous = this.playlist;
        const [first] = next.segments;
        const last = previous.segments.at(-1);
        if (first && last) {
            const same = previous.segments.find((segment) => segment.sequence === first.sequence);
            // After an interruption, no segment may be in both: the missing ones have about the target duration.
            const missing = first.sequence - last.sequence - 1;
            const start = same ? same.start : last.start + last.duration
                + (first.date !== null && last.date !== null
                    ? (first.date - last.date) / 1000 - last.duration
                    : Math.max(missing, 0) * next.target);
            for (const segment of next.segments) segment.start += start;
        }
        const isChanged = next.isEnded !== previous.isEnded || next.segments.length !== previous.segments.length
            || first?.sequence !== previous.segments[0]?.sequence;
        this.unchanged = isChanged ? 0 : this.unchanged + 1;
        this.playlist = next;
    }
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<MediaPlaylist>}
 */
async function loadMedia(url, signal) {
    const { media } = parse(await fetchPlaylist(url, signal), url);
    if (!media) throw new PlayerError("playlist-malformed", url);
    return media;
}
