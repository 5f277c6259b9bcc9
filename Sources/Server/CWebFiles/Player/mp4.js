// @ts-check
/** @file The times of fragmented MP4: the timescales of an init segment, and the start of a media segment. */

import { boxes } from "./init-data.js";

/**
 * Returns the timescale of each track of an init segment: `mdhd`, after version and flags and two times of 4 or 8 bytes;
 * the track ID is in `tkhd`, also after two times.
 *
 * @param {Uint8Array} init
 * @returns {Map<number, number>} ticks per second, by track ID
 */
export function timescales(init) {
    /** @type {Map<number, number>} */
    const found = new Map();
    for (const movie of boxes(init)) {
        if (movie.type !== "moov") continue;
        for (const track of boxes(movie.body)) {
            if (track.type !== "trak") continue;
            let id = 0;
            let timescale = 0;
            for (const { type, body } of boxes(track.body)) {
                if (type === "tkhd") id = number(body, body[0] === 1 ? 20 : 12);
                if (type !== "mdia") continue;
                for (const inner of boxes(body)) {
                    if (inner.type === "mdhd") timescale = number(inner.body, inner.body[0] === 1 ? 20 : 12);
                }
            }
            if (id && timescale) found.set(id, timescale);
        }
    }
    return found;
}

/**
 * Returns the decoding time of the first sample of a media segment: `tfdt` of the first fragment whose track has a
 * timescale.
 *
 * @param {Uint8Array} segment
 * @param {Map<number, number>} scales
 * @returns {number | null} seconds; null if the segment does not contain it
 */
export function startTime(segment, scales) {
    for (const fragment of boxes(segment)) {
        if (fragment.type !== "moof") continue;
        for (const track of boxes(fragment.body)) {
            if (track.type !== "traf") continue;
            let scale = 0;
            for (const { type, body } of boxes(track.body)) {
                if (type === "tfhd") scale = scales.get(number(body, 4)) ?? 0;
                if (type === "tfdt" && scale) {
                    const ticks = body[0] === 1 ? number(body, 4) * 2 ** 32 + number(body, 8) : number(body, 4);
                    return ticks / scale;
                }
            }
        }
        return null;
    }
    return null;
}

/** @param {Uint8Array} body @param {number} at @returns {number} a 32-bit integer; 0 beyond the end */
function number(body, at) {
    return at + 4 <= body.length ? new DataView(body.buffer, body.byteOffset).getUint32(at) : 0;
}
