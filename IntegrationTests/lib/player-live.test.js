/** @file Live playlists, the timeline, quality and subtitles of the player module, in node; IntegrationTests/test-player-module runs it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { parse } from "./hls.js";
import { startTime, timescales } from "./mp4.js";
import { Quality } from "./quality.js";
import { parseWebVTT } from "./subtitles.js";
import { PlaylistSource, Timeline } from "./timeline.js";

const URL_ = "https://media.example.com/live/media.m3u8";

/** Returns a playlist of two-second segments. */
function playlist(sequence, count, { discontinuity = 0, breaks = [], date = null, isEnded = false } = {}) {
    const lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:2", `#EXT-X-MEDIA-SEQUENCE:${sequence}`, `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuity}`,
        '#EXT-X-MAP:URI="init.mp4"'];
    for (let number = sequence; number < sequence + count; number += 1) {
        if (breaks.includes(number)) lines.push("#EXT-X-DISCONTINUITY");
        if (date !== null) lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(date + 2000 * (number - sequence)).toISOString()}`);
        lines.push("#EXTINF:2,", `${number}.m4s`);
    }
    return parse([...lines, ...(isEnded ? ["#EXT-X-ENDLIST"] : [])].join("\n"), URL_).media;
}
const source = (...options) => new PlaylistSource("video/mp4", URL_, playlist(...options));

test("segments have sequence numbers, discontinuity numbers and dates", () => {
    const { segments, holdBack } = playlist(7, 3, { discontinuity: 4, breaks: [8], date: 1_000_000 });
    assert.deepEqual(segments.map(({ sequence }) => sequence), [7, 8, 9]);
    assert.deepEqual(segments.map(({ discontinuity }) => discontinuity), [4, 5, 5]);
    assert.deepEqual(segments.map(({ date }) => date), [1_000_000, 1_002_000, 1_004_000]);
    assert.equal(holdBack, 6);
});

for (const line of ["#EXT-X-MEDIA-SEQUENCE:-1", "#EXT-X-MEDIA-SEQUENCE:x", "#EXT-X-DISCONTINUITY-SEQUENCE:1e99"]) {
    test(`${line} is refused`, () => {
        assert.throws(() => parse(`#EXTM3U\n#EXT-X-TARGETDURATION:2\n${line}\n`, URL_), { code: "playlist-malformed" });
    });
}

test("a segment keeps its time while the window slides", () => {
    const live = source(10, 5);
    live.base = 100;
    live.update(playlist(12, 5));
    assert.deepEqual(live.playlist.segments.map((segment) => live.time(segment)), [104, 106, 108, 110, 112]);
    assert.deepEqual([live.start, live.end, live.unchanged], [104, 114, 0]);
    live.update(playlist(12, 5));
    live.update(playlist(12, 5));
    assert.equal(live.unchanged, 2);
    live.update(playlist(12, 5, { isEnded: true }));
    assert.deepEqual([live.unchanged, live.isLive], [0, false]);
});

test("after an interruption without a common segment, the times continue by dates or by the target duration", () => {
    const live = source(10, 3);
    live.update(playlist(20, 3));
    assert.equal(live.start, 20);
    const dated = source(10, 3, { date: 0 + 1_000_000 });
    dated.update(playlist(20, 3, { date: 1_000_000 + 25_000 }));
    assert.equal(dated.start, 25);
});

test("a channel starts near its end; an event and a film start at their beginning", () => {
    assert.equal(source(10, 6).startPosition, 6);
    assert.equal(source(0, 6).startPosition, 0);
    assert.equal(source(10, 6, { isEnded: true }).startPosition, 0);
    assert.equal(source(10, 2).startPosition, 0);
});

test("another rendition is placed by dates, or by sequence numbers without them", () => {
    const video = source(10, 5, { date: 1_000_000 });
    video.base = 50;
    const audio = source(3, 5, { date: 1_004_000 });
    audio.align(video);
    assert.equal(audio.start, 54);
    const undated = source(12, 5);
    undated.align(Object.assign(source(10, 5), { base: 50 }));
    assert.equal(undated.start, 54);
});

test("all renditions share the offset of a discontinuity; small differences need none at the beginning", () => {
    const timeline = new Timeline();
    assert.equal(timeline.offset(0, 0, 0.04), 0);
    assert.equal(timeline.offset(1, 20, 1.4), 20 - 1.4);
    assert.equal(timeline.offset(1, 20.02, 1.38), 20 - 1.4);
    assert.equal(timeline.known(1), 20 - 1.4);
    assert.equal(new Timeline().offset(7, 6, 90_000), 6 - 90_000);
});

const utf8 = (text) => new TextEncoder().encode(text);
const number = (value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const box = (type, ...content) => {
    const body = content.flatMap((part) => [...part]);
    return Uint8Array.from([...number(body.length + 8), ...utf8(type), ...body]);
};

for (const version of [0, 1]) {
    test(`timescales and start times are parsed, version ${version}`, () => {
        const times = new Array(version ? 16 : 8).fill(0);
        const init = box("moov", box("trak", box("tkhd", [version, 0, 0, 0], times, number(2)),
            box("mdia", box("mdhd", [version, 0, 0, 0], times, number(48_000)))));
        const scales = timescales(init);
        assert.deepEqual([...scales], [[2, 48_000]]);
        const time = version ? [...number(2), ...number(96_000)] : number(96_000);
        const segment = box("moof", box("mfhd", number(0), number(1)), box("traf", box("tfhd", number(0), number(2)), box("tfdt", [version, 0, 0, 0], time)));
        assert.equal(startTime(segment, scales), version ? (2 * 2 ** 32 + 96_000) / 48_000 : 2);
        for (let end = 0; end < segment.length; end += 1) startTime(segment.subarray(0, end), scales);
        for (let end = 0; end < init.length; end += 1) timescales(init.subarray(0, end));
        assert.equal(startTime(segment, new Map()), null);
    });
}

const VARIANTS = [[4_000_000, 1080], [800_000, 360], [2_000_000, 720]].map(([bandwidth, height]) => ({ bandwidth, height }));

test("the quality follows throughput, size and the viewer", () => {
    const quality = new Quality(VARIANTS);
    const height = (...options) => quality.variants[quality.choose(...options)].height;
    assert.equal(height(0), 360, "the first one is not the largest");
    for (let count = 0; count < 20; count += 1) quality.measure(1_000_000, 1000);
    assert.equal(height(0), 1080);
    assert.equal(height(700), 720, "the size of the video limits it");
    assert.equal(height(0, 0, 2), 360, "with little in the buffer it does not rise");
    for (let count = 0; count < 6; count += 1) quality.measure(100_000, 1000);
    assert.equal(height(0, 2, 2), 360, "it falls at once");
    quality.chosen = 2;
    assert.equal(height(100), 1080);
});

test("WebVTT has cues with identifiers, settings and several lines, and a shift of its times", () => {
    const { cues, shift } = parseWebVTT(`\uFEFFWEBVTT\r
X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:01.000\r
\r
NOTE a comment\r
\r
one\r
00:00:01.500 --> 00:00:02.000 align:start line:90%\r
first\r
second\r
\r
01:00:00.000 --> 01:00:01.000
later
`);
    assert.deepEqual(cues, [
        { start: 1.5, end: 2, text: "first\nsecond", id: "one", settings: "align:start line:90%" },
        { start: 3600, end: 3601, text: "later", id: "", settings: "" },
    ]);
    assert.equal(shift, 9);
});

for (const [what, text] of [
    ["another file", "<html>"], ["no end", "WEBVTT\n\n00:01.000 --> \na"], ["an end before the start", "WEBVTT\n\n00:02.000 --> 00:01.000\na"],
    ["no text", "WEBVTT"], ["a wrong time", "WEBVTT\n\n0:1 --> 0:2\na"],
]) {
    test(`WebVTT with ${what} has no cues`, () => assert.deepEqual(parseWebVTT(text).cues, []));
}
