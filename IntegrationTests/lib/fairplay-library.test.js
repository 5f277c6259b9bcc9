/** @file The FairPlay library in all situations, in node; IntegrationTests/test-player-module runs this with both builds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { withOneKeyFormat } from "./adapters.js";
import { situations } from "./fairplay-situations.js";
import * as modules from "./fairplay.js";
import * as library from "./keyway-fairplay.js";

(0, eval)(readFileSync(new URL("keyway-fairplay.classic.js", import.meta.url), "utf8"));

for (const [name, situation] of situations) {
    test(`ES module: ${name}`, { timeout: 60_000 }, () => situation(library));
}

test("the classic build and the modules have the same interface, and handle a situation", { timeout: 60_000 }, async () => {
    assert.deepEqual(Object.keys(globalThis.KeywayFairPlay).sort(), Object.keys(library).sort());
    assert.deepEqual(Object.keys(modules).sort(), Object.keys(library).sort());
    assert.equal(globalThis.KeywayFairPlay.VERSION, library.VERSION);
    await situations[0][1](globalThis.KeywayFairPlay);
});

test("the documentation lists all situations", () => {
    const page = readFileSync(new URL("fairplay-in-web-players.md", import.meta.url), "utf8");
    const listed = [...page.matchAll(/^- (.*)$/gm)].map(([, name]) => name);
    assert.deepEqual(listed, situations.map(([name]) => name));
});

test("the declarations name every public method", () => {
    const declared = readFileSync(new URL("keyway-fairplay.d.ts", import.meta.url), "utf8");
    const methods = Object.getOwnPropertyNames(library.FairPlay.prototype).filter((name) => name !== "constructor");
    assert.ok(methods.length > 5);
    for (const name of methods) assert.match(declared, new RegExp(`\\b(get )?${name}\\(`), name);
});

/** The options that Shaka Player, dash.js and videojs-contrib-eme get, with the requests that they send. */
test("Shaka Player requests licenses by a scheme of its own, with a new token after 401", async () => {
    let plugin;
    let configuration;
    const shaka = {
        net: { NetworkingEngine: { registerScheme: (scheme, handler) => { plugin = [scheme, handler]; } } },
        util: {
            AbortableOperation: { notAbortable: (promise) => ({ promise }) },
            Error: class { static Severity = { CRITICAL: 2 }; static Category = { NETWORK: 1 }; static Code = { BAD_HTTP_STATUS: 1001 };
                constructor(...parts) { this.data = parts.slice(3); this.code = parts[2]; } },
        },
    };
    const tokens = [];
    answers([200, "0der"], [401, { type: "urn:keyway:problem:token-expired" }], [200, "ckc"], [403, { type: "urn:keyway:problem:refused-by-policy" }]);
    const fairPlay = new library.FairPlay({
        server: "https://keys.example.com", token: ({ isRefresh }) => { tokens.push(isRefresh); return isRefresh ? "new" : "old"; },
    });
    const errors = [];
    fairPlay.addEventListener("error", ({ detail }) => errors.push(detail.code));
    await fairPlay.configureShaka(shaka, { configure: (value) => { configuration = value; } });
    const uri = configuration.drm.servers["com.apple.fps"];
    assert.equal(uri, `${plugin[0]}:license`);
    assert.deepEqual([...configuration.drm.advanced["com.apple.fps"].serverCertificate], [...new TextEncoder().encode("0der")]);
    const request = { uris: [uri], method: "POST", body: new TextEncoder().encode("spc").buffer };
    const response = await plugin[1](uri, request, 2).promise;
    assert.equal(new TextDecoder().decode(response.data), "ckc");
    assert.ok(response.data instanceof ArrayBuffer);
    assert.deepEqual(tokens, [false, true]);
    await assert.rejects(plugin[1](uri, request, 2).promise, (error) => error.code === 1001 && error.data[1] === 403);
    assert.deepEqual(errors, ["license-refused"]);
});

test("dash.js gets the license URL, the certificate in base64, and a token in each request", async () => {
    let data;
    let filter;
    answers([200, "0der"]);
    const fairPlay = new library.FairPlay({ server: "https://keys.example.com", token: ({ isRefresh }) => (isRefresh ? "second" : "first") });
    await fairPlay.configureDash({
        setProtectionData: (value) => { data = value; }, registerLicenseRequestFilter: (value) => { filter = value; },
    });
    assert.deepEqual(data, { "com.apple.fps": { serverURL: "https://keys.example.com/fps/license", serverCertificate: btoa("0der") } });
    const request = { headers: { "Content-Type": "application/octet-stream" }, withCredentials: true };
    await filter(request);
    assert.deepEqual(request, { headers: { "Content-Type": "application/octet-stream", Authorization: "Bearer first" }, withCredentials: false });
    await filter(request);
    assert.equal(request.headers.Authorization, "Bearer second");
});

for (const [name, configure] of Object.entries({
    "Shaka Player": (fairPlay) => fairPlay.configureShaka({ net: { NetworkingEngine: { registerScheme() {} } } }, {}),
    "dash.js": (fairPlay) => fairPlay.configureDash({}),
})) {
    test(`${name} is not configured without a certificate, and the error is also an event`, async () => {
        answers([404, {}]);
        const fairPlay = new library.FairPlay({ server: "https://keys.example.com" });
        const errors = [];
        fairPlay.addEventListener("error", ({ detail }) => errors.push(detail.code));
        await assert.rejects(configure(fairPlay), { code: "certificate-unavailable" });
        assert.deepEqual(errors, ["certificate-unavailable"]);
    });
}

test("videojs-contrib-eme gets the functions of both key systems", async () => {
    const fairPlay = new library.FairPlay({ server: "https://keys.example.com", token: () => "token" });
    const systems = fairPlay.videoJSKeySystems();
    assert.deepEqual(Object.keys(systems), ["com.apple.fps", "com.apple.fps.1_0"]);
    assert.deepEqual(systems["com.apple.fps"].initDataTypes, ["skd", "sinf"]);
    answers([200, "0der"], [200, "ckc"], [404, { type: "urn:keyway:problem:unknown-asset" }]);
    for (const { getCertificate, getContentId, getLicense } of [systems["com.apple.fps.1_0"]]) {
        const certificate = await new Promise((resolve) => { getCertificate({}, (error, value) => resolve(value)); });
        assert.equal(new TextDecoder().decode(certificate), "0der");
        assert.equal(getContentId({}, "\u0016\u0000skd://movie"), "movie");
        const ckc = await new Promise((resolve) => { getLicense({}, "movie", new Uint8Array([1]), (error, value) => resolve(value)); });
        assert.equal(new TextDecoder().decode(ckc), "ckc");
        const error = await new Promise((resolve) => { getLicense({}, "movie", new Uint8Array([1]), resolve); });
        assert.equal(error.code, "unknown-key");
    }
});

test("hls.js: the library follows the media element until hls.js is destroyed", async () => {
    const listeners = {};
    const calls = [];
    const fairPlay = new library.FairPlay({ server: "https://keys.example.com" });
    fairPlay.attach = async (media) => { calls.push(media); };
    fairPlay.detach = async () => { calls.push("detached"); };
    fairPlay.attachToHls({ media: null, config: { loader: class {} }, on: (name, listener) => { listeners[name] = listener; } });
    listeners.hlsMediaAttaching("", { media: "one" });
    listeners.hlsMediaDetaching("", {});
    listeners.hlsMediaAttaching("", { media: "other" });
    listeners.hlsDestroying("", {});
    assert.deepEqual(calls, ["one", "detached", "other", "detached"]);
});

test("hls.js gets playlists with one key format, FairPlay's if there is one", () => {
    const key = (format) => `#EXT-X-KEY:METHOD=SAMPLE-AES,URI="x"${format ? `,KEYFORMAT="${format}"` : ""}`;
    const [fairPlay, clearKey, none] = [key("com.apple.streamingkeydelivery"), key("org.w3.clearkey"), "#EXT-X-KEY:METHOD=NONE"];
    const list = (...lines) => ["#EXTM3U", ...lines].join("\n");
    const segment = ["#EXTINF:2,", "1.m4s"];
    assert.equal(withOneKeyFormat(list(clearKey, fairPlay, "#EXT-X-MAP:URI=\"i\"", ...segment, fairPlay, clearKey, ...segment)),
        list(fairPlay, "#EXT-X-MAP:URI=\"i\"", ...segment, fairPlay, ...segment));
    for (const same of [list(clearKey, ...segment), list(fairPlay, ...segment, none, ...segment), list(key(""), ...segment), list()]) {
        assert.equal(withOneKeyFormat(same), same);
    }
    class Loader { load(context, config, callbacks) { callbacks.onSuccess({ data: list(clearKey, fairPlay, ...segment) }, "stats"); } }
    const config = { loader: Loader };
    const fairPlayLibrary = new library.FairPlay({ server: "https://keys.example.com" });
    fairPlayLibrary.attachToHls({ media: null, on() {}, config });
    const received = [];
    new config.pLoader().load({}, {}, { onSuccess: (...all) => received.push(all) });
    assert.deepEqual(received, [[{ data: list(fairPlay, ...segment) }, "stats"]]);
});

/** Simulates a server with a sequence of responses. */
function answers(...list) {
    globalThis.fetch = async () => {
        const [status, body] = list.shift();
        return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: { "Retry-After": "0" } });
    };
}
