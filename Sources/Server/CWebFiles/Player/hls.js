// @ts-check
/** @file A parser of the HLS playlists that the packager writes: fragmented MP4; VOD, EVENT or live. */

import { fromBase64, fromHex, hex } from "./init-data.js";
import { PlayerError } from "./errors.js";

/** The maximum length of a playlist. The packager's playlists are much shorter. */
const MAXIMUM_LENGTH = 8 * 1024 * 1024;

/**
 * The encryption of segments: one EXT-X-KEY.
 *
 * @typedef {object} KeyTag
 * @property {string} method
 * @property {string} uri resolved, unless it is `skd:` or `data:`
 * @property {string} format `identity` if the tag has no KEYFORMAT
 * @property {string} keyID in hexadecimal digits; empty if the tag does not contain it
 */

/**
 * A file or a byte range of a file.
 *
 * @typedef {object} Piece
 * @property {string} url
 * @property {{start: number, length: number} | null} range null for the whole file
 */

/**
 * A segment. `start` is the sum of the durations before it, in seconds; `sequence` its Media Sequence Number;
 * `discontinuity` its Discontinuity Sequence Number; `date` its EXT-X-PROGRAM-DATE-TIME in milliseconds since 1970.
 *
 * @typedef {Piece & {duration: number, start: number, map: Piece | null, keys: KeyTag[], isDiscontinuity: boolean,
 *     sequence: number, discontinuity: number, date: number | null, isGap: boolean}} Segment
 */

/**
 * A Media Playlist. `target` is the target duration and `holdBack` the distance from the end of a live stream at which
 * playback starts, both in seconds.
 *
 * @typedef {{segments: Segment[], target: number, isEnded: boolean, holdBack: number}} MediaPlaylist
 */

/**
 * @typedef {{url: string, bandwidth: number, codecs: string[], width: number, height: number, audio: string,
 *     subtitles: string}} Variant
 */

/** @typedef {{group: string, url: string, name: string, language: string, isDefault: boolean}} Rendition */
/** @typedef {{variants: Variant[], audio: Rendition[], subtitles: Rendition[], keys: KeyTag[]}} Multivariant */

/**
 * Parses the attributes of a tag.
 *
 * @param {string} text the text after the colon
 * @returns {Record<string, string>} the values without quotes
 */
export function attributes(text) {
    /** @type {Record<string, string>} */
    const found = {};
    for (const [, name, value] of text.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^",]*)(?:,|$)/g)) {
        found[name] = value.replace(/^"|"$/g, "");
    }
    return found;
}

/**
 * @param {string} text
 * @returns {string[]} the lines, after checking the first one
 */
function lines(text) {
    const all = text.replace(/^\uFEFF/, "").split(/\r?\n/).map((line) => line.trim());
    if (text.length > MAXIMUM_LENGTH) throw new PlayerError("playlist-malformed", "it is too large");
    if (all[0] !== "#EXTM3U") throw new PlayerError("playlist-malformed", "it does not start with #EXTM3U");
    return all;
}

/**
 * @param {string} line
 * @param {string} name
 * @returns {string | null} the text after the tag; null for another tag
 */
function value(line, name) {
    return line === name ? "" : line.startsWith(name + ":") ? line.slice(name.length + 1) : null;
}

/**
 * @param {string} uri
 * @param {string} base
 */
function resolve(uri, base) {
    try {
        return new URL(uri, base).href;
    } catch {
        throw new PlayerError("playlist-malformed", `not a valid URL: ${uri.slice(0, 100)}`);
    }
}

/**
 * @param {string} text the attributes of the tag
 * @param {string} base
 * @returns {KeyTag}
 */
function keyTag(text, base) {
    const { METHOD: method = "", URI: uri = "", KEYFORMAT: format = "identity", KEYID: id = "" } = attributes(text);
    let keyID = /^0x[0-9a-f]{32}$/i.test(id) ? id.slice(2).toLowerCase() : "";
    // Clear Key as written by the packager and read by hls.js: the key ID in a data: URI.
    const data = /^data:[^,]*;base64,(.*)$/.exec(uri);
    if (data && format === "org.w3.clearkey") {
        const bytes = fromBase64(data[1]);
        if (bytes && bytes.length >= 16) keyID = hex(bytes.subarray(0, 16));
    }
    const named = /^skd:\/\/([0-9a-f-]{32,36})$/i.exec(uri);
    if (!keyID && named && fromHex(named[1])?.length === 16) keyID = named[1].replace(/-/g, "").toLowerCase();
    const isOpaque = method === "NONE" || /^(skd|data):/i.test(uri);
    return { method, uri: isOpaque ? uri : resolve(uri, base), format: format.toLowerCase(), keyID };
}

/**
 * @param {string} text
 * @param {string} url the playlist's URL
 * @returns {{multivariant: Multivariant, media: null} | {multivariant: null, media: MediaPlaylist}}
 */
export function parse(text, url) {
    const all = lines(text);
    return all.some((line) => line.startsWith("#EXT-X-STREAM-INF:"))
        ? { multivariant: multivariant(all, url), media: null }
        : { multivariant: null, media: media(all, url) };
}

/**
 * @param {string[]} all
 * @param {string} base
 * @returns {Multivariant}
 */
function multivariant(all, base) {
    /** @type {Multivariant} */
    const playlist = { variants: [], audio: [], subtitles: [], keys: [] };
    for (let index = 0; index < all.length; index += 1) {
        const stream = value(all[index], "#EXT-X-STREAM-INF");
        const rendition = value(all[index], "#EXT-X-MEDIA");
        const key = value(all[index], "#EXT-X-SESSION-KEY");
        if (stream !== null) {
            const { BANDWIDTH = "0", CODECS = "", RESOLUTION = "0x0", AUDIO = "", SUBTITLES = "" } = attributes(stream);
            const uri = all.slice(index + 1).find((line) => line && !line.startsWith("#"));
            if (!uri) throw new PlayerError("playlist-malformed", "a variant has no URI");
            const [width, height] = RESOLUTION.split("x").map(Number);
            const codecs = CODECS.split(",").map((codec) => codec.trim()).filter(Boolean);
            playlist.variants.push({
                url: resolve(uri, base), bandwidth: Number(BANDWIDTH), codecs, width, height, audio: AUDIO, subtitles: SUBTITLES,
            });
        } else if (rendition !== null) {
            const { TYPE, URI, "GROUP-ID": group = "", NAME = "", LANGUAGE = "", DEFAULT = "NO" } = attributes(rendition);
            // An audio rendition without a URI is in the variant itself.
            const list = TYPE === "AUDIO" ? playlist.audio : TYPE === "SUBTITLES" ? playlist.subtitles : null;
            if (list && URI) {
                list.push({ group, url: resolve(URI, base), name: NAME, language: LANGUAGE, isDefault: DEFAULT === "YES" });
            }
        } else if (key !== null) {
            playlist.keys.push(keyTag(key, base));
        }
    }
    return playlist;
}

/**
 * @param {string[]} all
 * @param {string} base
 * @returns {MediaPlaylist}
 */
function media(all, base) {
    /** @type {MediaPlaylist} */
    const playlist = { segments: [], target: 0, isEnded: false, holdBack: 0 };
    /** @type {KeyTag[]} */
    let keys = [];
    /** Whether a segment follows the last key. */
    let areUsed = true;
    /** @type {Piece | null} */
    let map = null;
    /** @type {number | null} */
    let duration = null;
    let start = 0;
    let sequence = 0;
    let discontinuity = 0;
    let isDiscontinuity = false;
    let isGap = false;
    /** @type {number | null} */
    let date = null;
    /** @type {{start: number, length: number} | null} */
    let range = null;
    /** The end of the last range of each file. @type {Map<string, number>} */
    const ends = new Map();
    const piece = (/** @type {string} */ uri, /** @type {string} */ text) => {
        const resolved = resolve(uri, base);
        const [length, from = ends.get(resolved) ?? 0] = text.split("@").map(Number);
        if (!Number.isSafeInteger(length) || !Number.isSafeInteger(from) || length <= 0 || from < 0) {
            throw new PlayerError("playlist-malformed", `not a valid byte range: ${text.slice(0, 50)}`);
        }
        ends.set(resolved, from + length);
        return { start: from, length };
    };
    let rangeText = "";
    for (const line of all) {
        const info = value(line, "#EXTINF");
        const key = value(line, "#EXT-X-KEY");
        const init = value(line, "#EXT-X-MAP");
        const target = value(line, "#EXT-X-TARGETDURATION");
        const control = value(line, "#EXT-X-SERVER-CONTROL");
        if (info !== null) {
            duration = Number.parseFloat(info);
        } else if (key !== null) {
            const tag = keyTag(key, base);
            // Consecutive tags are one key in several formats.
            if (areUsed || tag.method === "NONE") keys = [];
            if (tag.method !== "NONE") keys.push(tag);
            areUsed = false;
        } else if (init !== null) {
            const { URI = "", BYTERANGE = "" } = attributes(init);
            map = { url: resolve(URI, base), range: BYTERANGE ? piece(URI, BYTERANGE) : null };
        } else if (target !== null) {
            playlist.target = Number(target);
        } else if (control !== null) {
            playlist.holdBack = Number(attributes(control)["HOLD-BACK"] ?? 0) || 0;
        } else if (line.startsWith("#EXT-X-MEDIA-SEQUENCE:")) {
            sequence = count(line);
        } else if (line.startsWith("#EXT-X-DISCONTINUITY-SEQUENCE:")) {
            discontinuity = count(line);
        } else if (line.startsWith("#EXT-X-PROGRAM-DATE-TIME:")) {
            date = Date.parse(line.slice("#EXT-X-PROGRAM-DATE-TIME:".length)) || null;
        } else if (line === "#EXT-X-GAP") {
            isGap = true;
        } else if (line.startsWith("#EXT-X-BYTERANGE:")) {
            rangeText = line.slice("#EXT-X-BYTERANGE:".length);
        } else if (line === "#EXT-X-DISCONTINUITY") {
            isDiscontinuity = true;
            discontinuity += 1;
        } else if (line === "#EXT-X-ENDLIST") {
            playlist.isEnded = true;
        } else if (line === "#EXT-X-I-FRAMES-ONLY") {
            throw new PlayerError("playlist-unsupported", "it is an I-frame playlist");
        } else if (line && !line.startsWith("#")) {
            if (duration === null || !(duration >= 0)) throw new PlayerError("playlist-malformed", "a segment has no EXTINF");
            range = rangeText ? piece(line, rangeText) : null;
            playlist.segments.push({
                url: resolve(line, base), range, duration, start, map, keys, isDiscontinuity, sequence, discontinuity, date, isGap,
            });
            start += duration;
            sequence += 1;
            date = date === null ? null : date + 1000 * duration;
            isGap = false;
            areUsed = true;
            duration = null;
            isDiscontinuity = false;
            rangeText = "";
        }
    }
    if (!(playlist.target > 0)) throw new PlayerError("playlist-malformed", "it has no EXT-X-TARGETDURATION");
    // Without the attribute, three target durations (RFC 8216bis, 4.4.3.8).
    playlist.holdBack = Math.max(playlist.holdBack, 3 * playlist.target);
    return playlist;
}

/** @param {string} line @returns {number} the integer after the colon */
function count(line) {
    const number = Number(line.slice(line.indexOf(":") + 1));
    if (!Number.isSafeInteger(number) || number < 0) throw new PlayerError("playlist-malformed", line.slice(0, 100));
    return number;
}

/** The maximum time for a playlist or a segment to arrive, in milliseconds. */
const DEADLINE = 20_000;

/**
 * Returns a signal that also ends a request that takes too long.
 *
 * @param {AbortSignal} [signal]
 * @returns {AbortSignal}
 */
export function deadline(signal) {
    const limit = AbortSignal.timeout(DEADLINE);
    return signal ? AbortSignal.any([signal, limit]) : limit;
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>} the text of a playlist
 */
export async function fetchPlaylist(url, signal) {
    /** @type {Response} */
    let answer;
    try {
        answer = await fetch(url, { credentials: "omit", signal: deadline(signal) });
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new PlayerError("playlist-unreachable", url);
    }
    if (!answer.ok) throw new PlayerError("playlist-unreachable", `${url}: status ${answer.status}`);
    return await answer.text();
}

/**
 * Throws if MSE cannot play the playlist, before media are loaded.
 *
 * @param {MediaPlaylist} playlist
 */
export function requirePlayable(playlist) {
    const { segments, isEnded } = playlist;
    if (!segments.length && isEnded) throw new PlayerError("playlist-malformed", "it has no segments");
    if (segments.some((segment) => segment.keys.some((key) => key.method === "AES-128"))) {
        throw new PlayerError("aes-128-unsupported");
    }
    if (segments.some((segment) => !segment.map)) {
        throw new PlayerError("playlist-unsupported", "it has no EXT-X-MAP, so its segments are not fragmented MP4");
    }
}
