/** @file Tests of the errors that the player reports, with a key server and a browser that this file imitates. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { base64url, fromBase64, fromHex, hex } from "./init-data.js";
import { PlayerError } from "./errors.js";
import { KeywayPlayer } from "./keyway-player.js";
import { ShownError } from "./shown-error.js";
import { box, number, utf8 } from "./mp4-boxes.js";

const [KID, OTHER] = ["000102030405060708090a0b0c0d0e0f", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"];
const SITE = "https://media.example.com/film/";
const PLAYLISTS = {
    "main.m3u8": '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000,CODECS="avc1.64001f"\nvideo.m3u8\n',
    "video.m3u8": `#EXTM3U
#EXT-X-TARGETDURATION:2
#EXT-X-MAP:URI="init.mp4"
#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://film",KEYFORMAT="com.apple.streamingkeydelivery"
#EXTINF:2,
1.m4s
#EXT-X-ENDLIST
`,
};

const init = (kid) => box("moov", box("trak", box("mdia", box("minf", box("stbl", box("stsd", number(0), number(1),
    box("encv", new Array(78).fill(0), box("sinf", box("frma", utf8("avc1")), box("schm", [0, 0, 0, 0], utf8("cbcs"), number(0x10000)),
        box("schi", box("tenc", [1, 0, 0, 0, 0, 0x19, 1, 0], fromHex(kid), [16], new Array(16).fill(7)))))))))));

/** The browser's class hls.js, of which the test sends the events. */
class Hls {
    static isSupported() { return true; }
    static last;
    config = { loader: class {} };
    levels = [];
    #handlers = new Map();
    constructor() { Hls.last = this; }
    on(name, handler) { this.#handlers.set(name, handler); }
    send(name, data) { this.#handlers.get(name)(name, data); }
    loadSource() {}
    attachMedia() {}
    destroy() {}
}

/** A key session of Clear Key. */
class Session extends EventTarget {
    keyStatuses = new Map();
    async generateRequest(_, data) {
        this.dispatchEvent(Object.assign(new Event("message"), { messageType: "license-request", message: data }));
    }
    async update() {}
    async close() {}
}

/** @param {(kid: string) => Response} answer returns the response to the request for a key */
function player(answer) {
    const keys = { createSession: () => new Session() };
    const access = { keySystem: "org.w3.clearkey", createMediaKeys: async () => keys };
    const requestMediaKeySystemAccess = async (system) => {
        if (system !== access.keySystem) throw new Error("not supported");
        return access;
    };
    Object.defineProperty(globalThis, "navigator", { value: { requestMediaKeySystemAccess }, configurable: true });
    Object.assign(globalThis, {
        isSecureContext: true,
        MediaSource: class { static isTypeSupported() { return true; } },
        fetch: async (url, options) => {
            const name = String(url).replace(SITE, "");
            if (name in PLAYLISTS) return Object.defineProperty(new Response(PLAYLISTS[name]), "url", { value: String(url) });
            return answer(hex(fromBase64(JSON.parse(new TextDecoder().decode(options.body)).kids[0])));
        },
    });
    const video = Object.assign(new EventTarget(), {
        canPlayType: () => "", setMediaKeys: async () => {}, getAttribute: () => null, removeAttribute() {}, load() {}, error: null,
        paused: true, ended: false, currentTime: 0, clientWidth: 0, clientHeight: 0,
    });
    const result = new KeywayPlayer(video, { server: "https://keys.example.com", hls: Hls });
    const codes = [];
    result.addEventListener("error", ({ detail }) => codes.push(detail.code));
    return { player: result, codes };
}

const problem = (status, type) => new Response(JSON.stringify({ type: `urn:keyway:problem:${type}` }), { status });
const granted = (kid) => new Response(JSON.stringify({ keys: [{ kty: "oct", kid: base64url(fromHex(kid)), k: base64url(fromHex(OTHER)) }] }));
const settled = () => new Promise((resolve) => { setTimeout(resolve, 20); });

/** Plays init segments with these key IDs, and then stops as hls.js does if no media can be decoded. */
async function play({ player, codes }, ...kids) {
    await player.load(`${SITE}main.m3u8`);
    for (const kid of kids) Hls.last.send("hlsBufferAppending", { data: init(kid) });
    await settled();
    Hls.last.send("hlsError", { fatal: true, details: "bufferStalledError" });
    const found = [...codes];
    await player.stop();
    return found;
}

test("a stall is not reported after a license was refused", async () => {
    assert.deepEqual(await play(player(() => problem(403, "refused-by-policy")), KID), ["license-refused"]);
    assert.deepEqual(await play(player(() => problem(404, "unknown-asset")), KID), ["unknown-key"]);
});

test("a stall is not reported if one of two keys was refused", async () => {
    const answer = (kid) => (kid === KID ? granted(kid) : problem(404, "unknown-asset"));
    assert.deepEqual(await play(player(answer), KID, OTHER), ["unknown-key"]);
    assert.deepEqual(await play(player(answer), OTHER, KID), ["unknown-key"]);
});

test("a stall is reported without an error about a key, also of the next presentation", async () => {
    const made = player(granted);
    assert.deepEqual(await play(made, KID), ["stalled"]);
    const refusing = player(() => problem(403, "refused-by-policy"));
    await play(refusing, KID);
    assert.deepEqual(await play(refusing), ["license-refused", "stalled"]);
});

test("the first error about a key remains the one to show", () => {
    const shown = new ShownError();
    const [stall, refused, unknown] = ["stalled", "license-refused", "unknown-key"].map((code) => new PlayerError(code));
    assert.equal(shown.add(stall), true);
    assert.equal(shown.error, stall);
    assert.equal(shown.add(refused) && shown.add(unknown), true);
    assert.equal(shown.add(stall), false);
    assert.equal(shown.error, refused);
});
