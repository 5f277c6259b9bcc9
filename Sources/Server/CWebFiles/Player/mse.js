// @ts-check
/** @file Plays renditions in a video element with Media Source Extensions. */

import { PlayerError } from "./errors.js";
import { Timeline } from "./timeline.js";
import { bufferedEnd, Track } from "./track.js";

/** @typedef {import("./timeline.js").PlaylistSource} PlaylistSource */
/** @typedef {import("./track.js").FeedEvents} FeedEvents */

/** The interval of checks whether playback continues, in milliseconds. */
const CHECK = 500;
/** The time without progress after which playback has stalled, in milliseconds. */
const STALL = 10_000;
/** The maximum gap in the media that is skipped, in seconds; a longer one after this time without progress, in milliseconds. */
const SMALL_GAP = 1;
const GAP_PATIENCE = 3000;
/** What must be buffered for playback to continue, in seconds. */
const MINIMUM_AHEAD = 0.2;
/** The time to wait for the element's own error after a failure, in milliseconds. */
const ERROR_DELAY = 500;

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
    timeline = new Timeline();
    /** @type {ReturnType<typeof setInterval> | undefined} */
    #watch;
    #progress = { position: -1, since: 0, isReported: false, isWaitingForKey: false };
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

    /** A signal that ends with this presentation. */
    get signal() {
        return this.#abort.signal;
    }

    /**
     * Attaches the media source and starts to load.
     *
     * @param {PlaylistSource[]} sources the first one determines the timeline
     */
    async open(sources) {
        const opened = new Promise((resolve) => { this.#source.addEventListener("sourceopen", resolve, { once: true }); });
        this.#video.disableRemotePlayback = true;
        this.#video.src = this.#address;
        await opened;
        if (this.#abort.signal.aborted) return;
        const [first, ...others] = sources;
        others.forEach((source) => source.align(first));
        this.#tracks = sources.map((source) => {
            try {
                const buffer = this.#source.addSourceBuffer(source.type);
                return new Track(source, buffer, this.#video, this.timeline, this.#abort.signal, this.#events);
            } catch {
                throw new PlayerError("codec-unsupported", source.type);
            }
        });
        this.#source.duration = sources.some(({ isLive }) => isLive)
            ? Number.POSITIVE_INFINITY
            : Math.max(...sources.map(({ end }) => end));
        const position = first.startPosition;
        if (position > 0) this.#video.currentTime = position;
        this.#video.addEventListener("waitingforkey", this.#onWaitingForKey);
        this.#watch = setInterval(() => this.#check(), CHECK);
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

    /**
     * Changes a rendition.
     *
     * @param {"video" | "audio"} kind
     * @param {PlaylistSource} source
     * @param {boolean} isNow true to replace what is buffered
     */
    change(kind, source, isNow) {
        const track = this.#tracks.find((one) => one.source.type.startsWith(`${kind}/`));
        track?.change(source, isNow);
    }

    /** The rendition that plays, of a kind. @param {"video" | "audio"} kind */
    current(kind) {
        return this.#tracks.find((one) => one.source.type.startsWith(`${kind}/`))?.source;
    }

    /** The seconds that are loaded after the playback position in all renditions. */
    get ahead() {
        const now = this.#video.currentTime;
        return Math.min(...this.#tracks.map(({ buffered }) => bufferedEnd(buffered, now) - now));
    }

    /** Signals the end of the stream once all segments are appended. */
    #endIfDone() {
        const isQuiet = this.#tracks.every((track) => track.isDone);
        if (isQuiet && this.#source.readyState === "open") this.#source.endOfStream();
    }

    #onWaitingForKey = () => { this.#progress.isWaitingForKey = true; };

    /** Skips gaps, returns to the window of a live presentation, and reports playback that has stalled. */
    #check() {
        const { currentTime, paused, ended, seeking, error } = this.#video;
        const progress = this.#progress;
        const now = performance.now();
        if (paused || ended || error || currentTime !== progress.position) {
            Object.assign(progress, { position: currentTime, since: now });
            if (!paused && !ended) Object.assign(progress, { isReported: false, isWaitingForKey: false });
            return;
        }
        const idle = now - progress.since;
        const [first] = this.#tracks;
        if (first?.source.isLive && this.ahead < MINIMUM_AHEAD && currentTime < first.source.start - SMALL_GAP) {
            // The segments at this position were removed from the playlist, for example during a pause.
            this.#video.currentTime = first.source.startPosition;
            return;
        }
        const next = this.#nextRange(currentTime);
        const isShort = next !== null && next - currentTime < SMALL_GAP;
        if (next !== null && !progress.isWaitingForKey && (isShort ? idle >= CHECK : idle > GAP_PATIENCE && !seeking)) {
            this.#video.currentTime = next + 0.01;
        } else if (idle >= STALL && !progress.isReported) {
            progress.isReported = true;
            this.#events.failure(this.#reason());
        }
    }

    /**
     * @param {number} now
     * @returns {number | null} the time after a gap, at which all renditions are buffered; null without a gap
     */
    #nextRange(now) {
        const { buffered } = this.#video;
        for (let range = 0; range < buffered.length; range += 1) {
            if (buffered.start(range) > now) return buffered.start(range);
            // At the end of a range, browsers stop before the last frame has passed.
            if (buffered.end(range) > now + MINIMUM_AHEAD) return null;
        }
        return null;
    }

    /** @returns {PlayerError} why playback does not continue */
    #reason() {
        if (this.#progress.isWaitingForKey) return new PlayerError("stalled", "the browser waits for a key");
        const ended = this.#tracks.find(({ source }) => source.isLive && source.unchanged * source.playlist.target * 500 >= STALL / 2);
        if (ended) return new PlayerError("live-ended", ended.source.url);
        return new PlayerError("stalled", this.ahead > MINIMUM_AHEAD ? "the browser does not decode what is loaded" : "the next segment is missing");
    }

    /** Stops loading and removes the media from the element. */
    close() {
        this.#abort.abort();
        clearInterval(this.#watch);
        this.#video.removeEventListener("waitingforkey", this.#onWaitingForKey);
        URL.revokeObjectURL(this.#address);
        this.#video.removeAttribute("src");
        this.#video.load();
    }
}
