/** @file Tests of the player module without a browser; IntegrationTests/test-player-module runs them with the module. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { PlayerError, refusal, MESSAGES } from "./errors.js";
import { attributes, parse, requirePlayable } from "./hls.js";
import {
    base64, base64url, contentID, fromHex, hex, keyIDsData, keyIDsOf, prefixedInitData, prefixedKeyURI, tracksIn,
} from "./init-data.js";
import { LicenseServer } from "./licenses.js";
import { box, join, number, utf8 } from "./mp4-boxes.js";

const KID = "000102030405060708090a0b0c0d0e0f";
const OTHER = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const BASE = "https://media.example.com/film/main.m3u8";

const sinf = (kid) => box("sinf", box("frma", utf8("avc1")), box("schm", [0, 0, 0, 0], utf8("cbcs"), number(0x10000)),
    box("schi", box("tenc", [1, 0, 0, 0, 0, 0x19, 1, 0], fromHex(kid), [16], new Array(16).fill(7))));
const init = (kid, entry = "encv", before = 78) => join(box("ftyp", utf8("cmfc")), box("moov", box("mvhd", new Array(100).fill(0)),
    box("trak", box("mdia", box("minf", box("stbl", box("stsd", number(0), number(1),
        box(entry, new Array(before).fill(0), box("avcC", [1, 2, 3]), sinf(kid)))))))));
const pssh = (...kids) => box("pssh", [1, 0, 0, 0], fromHex("1077efecc0b24d02ace33c1e52e2fb4b"), number(kids.length),
    ...kids.map(fromHex), number(0));

test("the error table in the documentation matches the module", () => {
    const rows = [...readFileSync(new URL("browser-playback.md", import.meta.url), "utf8").matchAll(/^\| `([a-z0-9-]+)` \| (.*) \|$/gm)]
        .map(([, code, words]) => [code, words]).filter(([code]) => code in MESSAGES);
    assert.deepEqual(rows, Object.entries(MESSAGES));
});

test("every code that the module uses has a message", () => {
    const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".js") && !/test|situations/.test(name));
    assert.ok(files.length > 15);
    for (const name of files) {
        const source = readFileSync(new URL(name, import.meta.url), "utf8");
        for (const [, code] of source.matchAll(/new PlayerError\("([a-z0-9-]+)"/g)) assert.ok(code in MESSAGES, `${name}: ${code}`);
    }
});

test("a refusal has the server's type and reason, and a message", () => {
    const error = refusal(403, { type: "urn:keyway:problem:refused-by-policy", reason: "client-not-protected" });
    assert.equal(error.code, "license-refused");
    assert.equal(error.reason, "client-not-protected");
    assert.match(error.message, /refuses the key.*client-not-protected/);
});

for (const [status, type, code] of [
    [401, "token-expired", "token-expired"], [401, "token-signature", "token-refused"], [401, "token-missing", "token-refused"],
    [403, "token-device", "token-refused"], [403, "streams-exceeded", "too-many-streams"], [404, "unknown-asset", "unknown-key"],
    [404, "not-found", "keys-not-offered"], [400, "unknown-certificate", "certificate-unknown"], [400, "unreadable-spc", "request-unreadable"],
    [429, "rate-limited", "too-many-requests"], [503, "overloaded", "server-busy"], [500, "internal-error", "server-failed"],
]) {
    test(`${type} is ${code}`, () => assert.equal(refusal(status, { type: `urn:keyway:problem:${type}` }).code, code));
}

test("a refusal that is not a problem document is classified by its status", () => {
    assert.equal(refusal(502, null).code, "server-failed");
    assert.equal(refusal(401, "<html>").code, "token-refused");
    assert.equal(refusal(404, { type: 5 }).code, "unknown-key");
});

test("any error is wrapped once in a player error", () => {
    const own = new PlayerError("key-expired");
    assert.equal(PlayerError.from(own, "wrong-key"), own);
    assert.equal(PlayerError.from(new Error("x"), "wrong-key").detail, "x");
});

test("attributes with commas in quotes are parsed completely", () => {
    assert.deepEqual(attributes('CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360,AUDIO="a"'),
        { CODECS: "avc1.64001e,mp4a.40.2", RESOLUTION: "640x360", AUDIO: "a" });
});

test("a Multivariant Playlist has variants, audio with a URI, and session keys", () => {
    const { multivariant } = parse(`#EXTM3U
#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="data:text/plain;base64,${base64(fromHex(KID))}",KEYFORMAT="org.w3.clearkey"
#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://${OTHER}",KEYFORMAT="com.apple.streamingkeydelivery"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="audio/media.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="muxed",NAME="Muxed with video"
#EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360,AUDIO="aac"
video/media.m3u8
`, BASE);
    assert.deepEqual(multivariant.variants, [{
        url: "https://media.example.com/film/video/media.m3u8", bandwidth: 800000, codecs: ["avc1.64001e", "mp4a.40.2"],
        width: 640, height: 360, audio: "aac", subtitles: "",
    }]);
    assert.deepEqual(multivariant.audio.map(({ url, isDefault }) => [url, isDefault]),
        [["https://media.example.com/film/audio/media.m3u8", true]]);
    assert.deepEqual(multivariant.keys.map(({ keyID }) => keyID), [KID, OTHER]);
});

const MEDIA = `#EXTM3U
#EXT-X-TARGETDURATION:2
#EXT-X-MAP:URI="all.mp4",BYTERANGE="700@0"
#EXTINF:2.0,
#EXT-X-BYTERANGE:1000@700
all.mp4
#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://movie",KEYFORMAT="com.apple.streamingkeydelivery"
#EXT-X-KEY:METHOD=SAMPLE-AES,URI="/keys/1"
#EXTINF:1.5,
#EXT-X-BYTERANGE:500
all.mp4
#EXT-X-ENDLIST
`;

test("segments have their ranges, their times, and the preceding keys", () => {
    const { media } = parse(MEDIA, BASE);
    assert.equal(media.isEnded, true);
    assert.deepEqual(media.segments.map(({ range, start, duration }) => [range, start, duration]), [
        [{ start: 700, length: 1000 }, 0, 2], [{ start: 1700, length: 500 }, 2, 1.5],
    ]);
    assert.deepEqual(media.segments[1].map, { url: "https://media.example.com/film/all.mp4", range: { start: 0, length: 700 } });
    assert.deepEqual(media.segments.map(({ keys }) => keys.map(({ format, uri }) => [format, uri])), [[], [
        ["com.apple.streamingkeydelivery", "skd://movie"], ["identity", "https://media.example.com/keys/1"],
    ]]);
    requirePlayable(media);
});

test("METHOD=NONE ends encryption, and a later key replaces the previous ones", () => {
    const { media } = parse(MEDIA.replace("#EXT-X-ENDLIST", `#EXT-X-KEY:METHOD=NONE
#EXTINF:1,
a.mp4
#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://next",KEYFORMAT="com.apple.streamingkeydelivery"
#EXTINF:1,
b.mp4`), BASE);
    assert.deepEqual(media.segments.map(({ keys }) => keys.length), [0, 2, 0, 1]);
});

for (const [what, text, code] of [
    ["not a playlist", "<html>", "playlist-malformed"],
    ["no target duration", "#EXTM3U\n#EXTINF:1,\na.mp4\n", "playlist-malformed"],
    ["a segment without a duration", "#EXTM3U\n#EXT-X-TARGETDURATION:1\na.mp4\n", "playlist-malformed"],
    ["an invalid range", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n#EXT-X-BYTERANGE:x\na.mp4\n", "playlist-malformed"],
    ["an invalid URI", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://[\n", "playlist-malformed"],
    ["only I-frames", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-I-FRAMES-ONLY\n", "playlist-unsupported"],
]) {
    test(`${what} is refused`, () => assert.throws(() => parse(text, BASE), { code }));
}

for (const [what, change, code] of [
    ["AES-128", ["METHOD=SAMPLE-AES", "METHOD=AES-128"], "aes-128-unsupported"],
    ["a transport stream", ['#EXT-X-MAP:URI="all.mp4",BYTERANGE="700@0"', ""], "playlist-unsupported"],
]) {
    test(`${what} is not for Media Source Extensions`, () => {
        const { media } = parse(MEDIA.replace(...change), BASE);
        assert.throws(() => requirePlayable(media), { code });
    });
}

test("the key ID of an init segment is found for video and audio", () => {
    assert.deepEqual(tracksIn(init(KID)), [{ scheme: "cbcs", keyID: KID }]);
    assert.deepEqual(tracksIn(init(OTHER, "enca", 28)), [{ scheme: "cbcs", keyID: OTHER }]);
});

test("an init segment that is truncated or has wrong sizes gives no key, and no error", () => {
    const whole = init(KID);
    for (let end = 0; end < whole.length; end += 1) tracksIn(whole.subarray(0, end));
    for (let at = 0; at < whole.length; at += 1) {
        const changed = whole.slice();
        changed[at] ^= 255;
        tracksIn(changed);
    }
    assert.deepEqual(tracksIn(whole.subarray(0, whole.length - 1)), []);
});

test("key IDs are parsed from each type of initialization data", () => {
    assert.deepEqual(keyIDsOf("cenc", join(pssh(KID, OTHER), pssh())), [KID, OTHER]);
    assert.deepEqual(keyIDsOf("keyids", keyIDsData([KID, OTHER])), [KID, OTHER]);
    assert.deepEqual(keyIDsOf("sinf", utf8(JSON.stringify({ sinf: [base64(sinf(KID))] }))), [KID]);
    assert.deepEqual(keyIDsOf("skd", utf8(`skd://${KID}`)), [KID]);
    assert.deepEqual(keyIDsOf("skd", utf8("skd://movie")), []);
});

test("damaged initialization data gives no key IDs", () => {
    for (const type of ["cenc", "keyids", "sinf", "skd", "other"]) {
        assert.deepEqual(keyIDsOf(type, Uint8Array.from([1, 2, 3])), []);
        assert.deepEqual(keyIDsOf(type, new Uint8Array()), []);
    }
    // A count that is larger than the box.
    const lying = pssh(KID);
    lying[28] = 255;
    assert.deepEqual(keyIDsOf("cenc", lying), [KID]);
});

test("keyids have the format that browsers accept", () => {
    assert.equal(new TextDecoder().decode(keyIDsData([KID])), `{"kids":["${base64url(fromHex(KID))}"]}`);
});

test("Safari's prefixed API gets init data, content ID and certificate, each with a length prefix", () => {
    const uri = "skd://movie";
    const event = join([2 * uri.length, 0, 0, 0], ...[...uri].map((letter) => [letter.charCodeAt(0), 0]));
    assert.equal(prefixedKeyURI(event), uri);
    assert.equal(prefixedKeyURI(event.subarray(4)), uri);
    assert.equal(contentID(uri), "movie");
    assert.equal(hex(prefixedInitData(event, "mov", Uint8Array.from([0x30, 0x82]))),
        hex(event) + "06000000" + "6d006f007600" + "02000000" + "3082");
});

/** Simulates a server with a sequence of responses; records the requests. */
function server(...answers) {
    const asked = [];
    globalThis.fetch = async (url, { headers }) => {
        asked.push([String(url), headers.get("Authorization")]);
        const [status, body] = answers.shift();
        return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: { "Retry-After": "0" } });
    };
    return asked;
}
const EXPIRED = [401, { type: "urn:keyway:problem:token-expired" }];

test("an expired token is replaced once for several concurrent requests", async () => {
    const asked = server(EXPIRED, EXPIRED, [200, "one"], [200, "two"]);
    const refreshes = [];
    const licenses = new LicenseServer("https://keys.example.com", {
        token: async ({ isRefresh }) => { refreshes.push(isRefresh); return isRefresh ? "new" : "old"; },
    });
    await Promise.all([licenses.fairPlay(new Uint8Array(1)), licenses.fairPlay(new Uint8Array(2))]);
    assert.deepEqual(refreshes, [false, true]);
    assert.deepEqual(asked.map(([, token]) => token), ["Bearer old", "Bearer old", "Bearer new", "Bearer new"]);
    assert.equal(asked[0][0], "https://keys.example.com/fps/license");
});

test("a token that is still expired after the refresh is an error, without further refreshes", async () => {
    const asked = server(EXPIRED, EXPIRED);
    const licenses = new LicenseServer("https://keys.example.com", { token: ({ isRefresh }) => (isRefresh ? "b" : "a") });
    await assert.rejects(licenses.clearKey(utf8("{}")), { code: "token-expired" });
    assert.equal(asked.length, 2);
});

test("a failure of the token function is distinguished from a refusal by the server", async () => {
    const licenses = new LicenseServer("https://keys.example.com", { token: async () => { throw new Error("signed out"); } });
    await assert.rejects(licenses.clearKey(utf8("{}")), { code: "token-unavailable", detail: "signed out" });
});

test("a token is sent to the key server only", async () => {
    const asked = server([200, "0123456789abcdef"], [200, "0123456789abcdef"], [200, "short"]);
    const licenses = new LicenseServer("https://keys.example.com", { token: () => "secret" });
    await licenses.key("https://keys.example.com/keys/1");
    await licenses.key("https://keys.example.com.evil.example/keys/1");
    assert.deepEqual(asked.map(([, token]) => token), ["Bearer secret", null]);
    await assert.rejects(licenses.key("https://other.example/keys/1"), { code: "key-rejected" });
});

test("requests to a busy server are retried, and then fail", async () => {
    const busy = [503, { type: "urn:keyway:problem:overloaded" }];
    server(busy, [200, "ckc"]);
    const licenses = new LicenseServer("https://keys.example.com");
    assert.equal(new TextDecoder().decode(await licenses.fairPlay(new Uint8Array(1))), "ckc");
    server(busy, busy, busy);
    await assert.rejects(licenses.fairPlay(new Uint8Array(1)), { code: "server-busy" });
});

test("a batch gives a separate result for each key", async () => {
    server([200, { "fairplay-streaming-response": { "create-ckc": [
        { id: 2, status: 403, problem: { type: "urn:keyway:problem:refused-by-policy", reason: "virtual-machine" } },
        { id: 1, status: 0, ckc: base64(utf8("ckc")) },
    ] } }]);
    const [one, two] = await new LicenseServer("https://keys.example.com").fairPlayBatch([new Uint8Array(1), new Uint8Array(1)]);
    assert.equal(new TextDecoder().decode(one), "ckc");
    assert.equal(two.code, "license-refused");
});

test("a certificate is fetched once, and again after a failure", async () => {
    const asked = server([404, {}], [200, "0der"]);
    const licenses = new LicenseServer("https://keys.example.com", { app: "my app" });
    await assert.rejects(licenses.certificate(), { code: "certificate-unavailable" });
    await licenses.certificate();
    await licenses.certificate();
    assert.deepEqual(asked.map(([url]) => url), Array(2).fill("https://keys.example.com/fps/certificate?app=my%20app"));
});

test("an unreachable server is distinguished from one that refuses", async () => {
    globalThis.fetch = async () => { throw new TypeError("network"); };
    await assert.rejects(new LicenseServer("https://keys.example.com").clearKey(utf8("{}")), { code: "server-unreachable" });
});

test("a request without a response ends after 30 seconds", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    globalThis.fetch = (_, { signal }) => new Promise((_, reject) => { signal.addEventListener("abort", () => reject(new Error("aborted"))); });
    let error;
    new LicenseServer("https://keys.example.com").clearKey(utf8("{}")).catch((failure) => { error = failure; });
    const settled = async () => { for (let turn = 0; turn < 50; turn += 1) await undefined; };
    await settled();
    context.mock.timers.tick(29_999);
    await settled();
    assert.equal(error, undefined);
    context.mock.timers.tick(1);
    await settled();
    assert.equal(error.code, "server-unreachable");
});
