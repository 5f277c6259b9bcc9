// @ts-check
/** @file A presentation that is played with Media Source Extensions: its renditions, and the choice of them. */

import { fetchPlaylist, parse, requirePlayable } from "./hls.js";
import { PlayerError } from "./errors.js";
import { MediaFeed, mediaSourceType } from "./mse.js";
import { Quality } from "./quality.js";
import { Subtitles } from "./subtitles.js";
import { PlaylistSource } from "./timeline.js";

/** @typedef {import("./hls.js").Multivariant} Multivariant */
/** @typedef {import("./hls.js").Variant} Variant */
/** @typedef {import("./track.js").FeedEvents} FeedEvents */

const VIDEO_CODEC = /^(avc[13]|hvc1|hev1|dvh1|dvhe|av01|vp09)\b/;
const AUDIO_CODEC = /^(mp4a|ac-3|ec-3|alac|fLaC|Opus)\b/i;

/**
 * The renditions that the viewer can choose.
 *
 * @typedef {object} Choices
 * @property {{width: number, height: number, bandwidth: number}[]} variants in the order of their bandwidth
 * @property {{name: string, language: string}[]} audio
 * @property {{name: string, language: string}[]} subtitles
 */

/** The variants that this browser can play and change between, and the renditions of their groups. */
export class Renditions {
    /** @param {Multivariant} multivariant */
    constructor(multivariant) {
        const type = mediaSourceType();
        const playable = multivariant.variants.filter(({ codecs }) => !type || type.isTypeSupported(mime(codecs)));
        const [first] = playable.length ? playable : multivariant.variants;
        if (!first) throw new PlayerError("playlist-malformed", "it has no variants");
        // Without a new source buffer, a browser changes between variants of the same kind of video and audio.
        const same = (/** @type {Variant} */ variant) => variant.audio === first.audio && family(variant) === family(first);
        this.variants = (playable.length ? playable : [first]).filter(same);
        this.audio = multivariant.audio.filter(({ group }) => group === first.audio);
        this.subtitles = multivariant.subtitles.filter(({ group }) => group === first.subtitles);
        this.keys = multivariant.keys;
        /** The index of the audio rendition to play at first; -1 if the variants contain the audio. */
        this.defaultAudio = this.audio.length ? Math.max(0, this.audio.findIndex(({ isDefault }) => isDefault)) : -1;
    }

    /** @param {Variant} variant @returns {string} the media type of the variant's own segments */
    videoType({ codecs }) {
        const video = codecs.filter((codec) => VIDEO_CODEC.test(codec));
        return mime(this.audio.length && video.length ? video : codecs);
    }

    /** @param {Variant} variant @returns {string} the media type of its audio renditions */
    audioType({ codecs }) {
        return mime(codecs.filter((codec) => AUDIO_CODEC.test(codec)));
    }

    /**
     * Loads the playlists of a variant: its own, and that of an audio rendition.
     *
     * @param {Variant} variant
     * @returns {Promise<PlaylistSource[]>}
     */
    async load(variant) {
        const audio = this.audio[this.defaultAudio];
        const hasVideo = variant.codecs.some((codec) => VIDEO_CODEC.test(codec));
        const own = audio && !hasVideo ? [] : [PlaylistSource.load(this.videoType(variant), variant.url)];
        const separate = audio ? [PlaylistSource.load(this.audioType(variant), audio.url)] : [];
        return await Promise.all([...own, ...separate]);
    }
}

/** @param {Variant} variant @returns {string} the kind of its video and audio, such as `avc1,mp4a` */
function family({ codecs }) {
    return codecs.map((codec) => codec.split(".")[0]).sort().join();
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

/** Plays the renditions of one presentation in a video element. */
export class Presentation {
    #feed;
    #quality;
    /** The index of the variant that is loaded. */
    #current;
    #isChanging = false;
    /** @type {Subtitles | null} */
    #subtitles = null;
    #video;
    #renditions;
    #changed;

    /**
     * @param {HTMLVideoElement} video
     * @param {Renditions} renditions
     * @param {Variant} variant the first variant
     * @param {FeedEvents} events
     * @param {(variant: Variant) => void} changed called when another variant is loaded
     */
    constructor(video, renditions, variant, events, changed) {
        this.#video = video;
        this.#renditions = renditions;
        this.#changed = changed;
        this.#quality = new Quality(renditions.variants);
        this.#current = this.#quality.variants.indexOf(variant);
        this.#feed = new MediaFeed(video, {
            ...events,
            loaded: (bytes, milliseconds) => {
                this.#quality.measure(bytes, milliseconds);
                void this.#choose();
            },
        });
    }

    /** @returns {Choices} */
    get choices() {
        const { audio, subtitles } = this.#renditions;
        return { variants: this.#quality.variants, audio, subtitles };
    }

    /** @param {PlaylistSource[]} sources of the first variant */
    async open(sources) {
        const { subtitles } = this.#renditions;
        const feed = this.#feed;
        await feed.open(sources);
        if (subtitles.length) {
            const main = () => feed.current("video") ?? feed.current("audio");
            this.#subtitles = new Subtitles(this.#video, subtitles, feed.timeline, main, feed.signal);
        }
    }

    /** @param {number} index of the variants; -1 for the automatic choice */
    async selectVariant(index) {
        this.#quality.chosen = index < this.#quality.variants.length ? index : -1;
        // The choice of the viewer replaces what is loaded.
        await this.#choose(index >= 0);
    }

    /** @param {number} index of the audio renditions */
    async selectAudio(index) {
        const rendition = this.#renditions.audio[index];
        if (!rendition) return;
        const type = this.#renditions.audioType(this.#quality.variants[this.#current]);
        const source = await PlaylistSource.load(type, rendition.url, this.#feed.signal);
        requirePlayable(source.playlist);
        this.#feed.change("audio", source, true);
    }

    /** @param {number} index of the subtitles; -1 for none */
    selectSubtitles(index) {
        this.#subtitles?.select(index);
    }

    /**
     * Changes the variant if another one is suitable.
     *
     * @param {boolean} isNow true to replace what is loaded
     */
    async #choose(isNow = false) {
        const height = this.#video.clientHeight * (globalThis.devicePixelRatio || 1);
        const index = this.#quality.choose(height, this.#current, this.#feed.ahead);
        if (index === this.#current || this.#isChanging || !this.#feed.current("video")) return;
        this.#isChanging = true;
        const { chosen } = this.#quality;
        try {
            const variant = this.#quality.variants[index];
            const source = await PlaylistSource.load(this.#renditions.videoType(variant), variant.url, this.#feed.signal);
            requirePlayable(source.playlist);
            this.#feed.change("video", source, isNow);
            this.#current = index;
            this.#changed(variant);
        } catch {
            // The current variant goes on; the next segment is another occasion.
        } finally {
            this.#isChanging = false;
        }
        // The viewer may have chosen in the meantime, also during an automatic change.
        if (this.#quality.chosen >= 0 && this.#quality.chosen !== this.#current && (isNow || chosen !== this.#quality.chosen)) {
            await this.#choose(true);
        }
    }

    close() {
        this.#feed.close();
    }
}

/**
 * Returns the variant to begin with.
 *
 * @param {Renditions} renditions
 * @param {HTMLVideoElement} video
 * @returns {Variant}
 */
export function firstVariant({ variants }, video) {
    const quality = new Quality(variants);
    return quality.variants[quality.choose(video.clientHeight * (globalThis.devicePixelRatio || 1))];
}

/**
 * @param {string} url
 * @returns {Promise<{multivariant: Multivariant, media: null} | {multivariant: null, media: import("./hls.js").MediaPlaylist}>}
 */
export async function loadPlaylist(url) {
    return parse(await fetchPlaylist(url), url);
}
