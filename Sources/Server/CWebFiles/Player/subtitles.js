// @ts-check
/** @file Subtitles: WebVTT segments as cues of text tracks of the video element. */

import { deadline, fetchPlaylist, parse } from "./hls.js";
import { PlaylistSource } from "./timeline.js";

/** @typedef {import("./hls.js").Rendition} Rendition */
/** @typedef {import("./hls.js").Segment} Segment */
/** @typedef {import("./timeline.js").Timeline} Timeline */

/** The seconds to load ahead of the playback position. */
const AHEAD = 60;
/** The interval of checks for new segments, in milliseconds. */
const INTERVAL = 1000;
/** The maximum length of a segment, in characters. */
const MAXIMUM_LENGTH = 1_000_000;
/** The period of MPEG-2 timestamps, 2^33 ticks of 90 kHz, in seconds. */
const PERIOD = 2 ** 33 / 90_000;

/**
 * @typedef {object} Cue
 * @property {number} start in seconds, as the text contains it
 * @property {number} end
 * @property {string} text
 * @property {string} id
 * @property {string} settings
 */

/**
 * Parses a WebVTT segment (W3C WebVTT; RFC 8216bis, 3.1.4).
 *
 * @param {string} text
 * @returns {{cues: Cue[], shift: number | null}} `shift` is the difference from the times of cues to those of the media
 * in seconds, from X-TIMESTAMP-MAP; null without it
 */
export function parseWebVTT(text) {
    /** @type {Cue[]} */
    const cues = [];
    let shift = null;
    const blocks = text.slice(0, MAXIMUM_LENGTH).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").split(/\n\n+/);
    if (!/^WEBVTT(\s|$)/.test(blocks[0] ?? "")) return { cues, shift };
    const map = /^X-TIMESTAMP-MAP=(.*)$/m.exec(blocks[0]);
    if (map) {
        const local = /LOCAL:([\d:.]+)/.exec(map[1]);
        const ticks = /MPEGTS:(\d+)/.exec(map[1]);
        shift = Number(ticks?.[1] ?? 0) / 90_000 - (seconds(local?.[1] ?? "") ?? 0);
    }
    for (const block of blocks.slice(1)) {
        const lines = block.split("\n").filter((line, index) => line || index > 0);
        const at = lines.findIndex((line) => line.includes("-->"));
        const timing = /^\s*([\d:.]+)\s+-->\s+([\d:.]+)\s*(.*)$/.exec(lines[at] ?? "");
        const [start, end] = [seconds(timing?.[1] ?? ""), seconds(timing?.[2] ?? "")];
        if (at < 0 || at > 1 || !timing || start === null || end === null || end <= start) continue;
        cues.push({ start, end, text: lines.slice(at + 1).join("\n").trimEnd(), id: at === 1 ? lines[0] : "", settings: timing[3] });
    }
    return { cues, shift };
}

/** @param {string} text such as `01:02:03.456` @returns {number | null} */
function seconds(text) {
    const parts = /^(?:(\d+):)?(\d{1,2}):(\d{1,2}\.\d{3})$/.exec(text);
    return parts ? Number(parts[1] ?? 0) * 3600 + Number(parts[2]) * 60 + Number(parts[3]) : null;
}

/** The subtitles of a presentation; each rendition is a `track` element without a file. */
export class Subtitles {
    /** @type {{rendition: Rendition, element: HTMLTrackElement, source: PlaylistSource | null, loaded: Set<number>}[]} */
    #tracks = [];
    /** @type {ReturnType<typeof setInterval> | undefined} */
    #timer;
    #isBusy = false;
    #video;
    #timeline;
    #main;
    #signal;

    /**
     * @param {HTMLVideoElement} video
     * @param {Rendition[]} renditions
     * @param {Timeline} timeline
     * @param {() => PlaylistSource | undefined} main returns the rendition that determines the timeline
     * @param {AbortSignal} signal ends the loading
     */
    constructor(video, renditions, timeline, main, signal) {
        this.#video = video;
        this.#timeline = timeline;
        this.#main = main;
        this.#signal = signal;
        for (const rendition of renditions) {
            const element = document.createElement("track");
            Object.assign(element, { kind: "subtitles", label: rendition.name, srclang: rendition.language });
            video.append(element);
            element.track.mode = "disabled";
            this.#tracks.push({ rendition, element, source: null, loaded: new Set() });
        }
        this.#timer = setInterval(() => { void this.#load(); }, INTERVAL);
        signal.addEventListener("abort", () => this.#close());
    }

    /**
     * Shows a rendition.
     *
     * @param {number} index -1 for none
     */
    select(index) {
        this.#tracks.forEach(({ element }, at) => { element.track.mode = at === index ? "showing" : "disabled"; });
        void this.#load();
    }

    /** Loads the segments of the visible rendition. The viewer may also choose it in the controls of the browser. */
    async #load() {
        if (this.#isBusy) return;
        const track = this.#tracks.find(({ element }) => element.track.mode !== "disabled");
        const main = this.#main();
        if (!track || !main) return;
        this.#isBusy = true;
        try {
            await this.#update(track, main);
        } catch {
            // Playback continues without these subtitles; they are requested again at the next check.
        } finally {
            this.#isBusy = false;
        }
    }

    /**
     * @param {{rendition: Rendition, element: HTMLTrackElement, source: PlaylistSource | null, loaded: Set<number>}} track
     * @param {PlaylistSource} main
     */
    async #update(track, main) {
        const { url } = track.rendition;
        if (!track.source) {
            const { media } = parse(await fetchPlaylist(url, this.#signal), url);
            if (!media) return;
            track.source = new PlaylistSource("text/vtt", url, media);
            track.source.align(main);
        }
        const { source } = track;
        const now = this.#video.currentTime;
        const missing = source.playlist.segments.filter((segment) => !track.loaded.has(segment.sequence)
            && source.time(segment) < now + AHEAD && source.time(segment) + segment.duration > now - 1);
        for (const segment of missing) {
            const answer = await fetch(segment.url, { credentials: "omit", signal: deadline(this.#signal) });
            if (!answer.ok) continue;
            this.#add(track.element.track, segment, source, await answer.text());
            track.loaded.add(segment.sequence);
        }
        if (source.isLive && source.end < now + AHEAD) {
            const { media } = parse(await fetchPlaylist(url, this.#signal), url);
            if (media) source.update(media);
            // What is not in the playlist anymore is not requested again.
            const first = source.playlist.segments[0]?.sequence ?? 0;
            for (const sequence of track.loaded) if (sequence < first) track.loaded.delete(sequence);
        }
    }

    /**
     * @param {TextTrack} track
     * @param {Segment} segment
     * @param {PlaylistSource} source
     * @param {string} text
     */
    #add(track, segment, source, text) {
        const { cues, shift } = parseWebVTT(text);
        const offset = this.#timeline.known(segment.discontinuity) ?? 0;
        for (const cue of cues) {
            let move = (shift ?? 0) + offset;
            // MPEG-2 timestamps restart after 26 hours.
            move += PERIOD * Math.round((source.time(segment) - cue.start - move) / PERIOD);
            const [start, end] = [cue.start + move, cue.end + move];
            // A cue that two segments share is in both.
            const isKnown = Array.from(track.cues ?? []).some((one) => Math.abs(one.startTime - start) < 0.01
                && /** @type {VTTCue} */ (one).text === cue.text);
            if (isKnown || end <= 0) continue;
            const made = new VTTCue(Math.max(start, 0), end, cue.text);
            made.id = cue.id;
            for (const [, name, value] of cue.settings.matchAll(/\b(align|line|position|size):(\S+)/g)) {
                try {
                    if (name === "align") made.align = /** @type {AlignSetting} */ (value);
                    else if (value.endsWith("%")) Object.assign(made, { snapToLines: false, [name]: Number.parseFloat(value) });
                    else if (name === "line") made.line = Number(value);
                } catch {
                    // A setting that the browser does not know has no effect.
                }
            }
            track.addCue(made);
        }
    }

    #close() {
        clearInterval(this.#timer);
        for (const { element } of this.#tracks) element.remove();
    }
}
