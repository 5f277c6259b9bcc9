/**
 * @file The situations of WebKit's FairPlay tests (LayoutTests/http/tests/media/fairplay), as far as a page can tell them apart, and
 * those of AirPlay, for the FairPlay library. Runs in node and in browsers, with a simulation of WebKit's key system and of the key
 * server. docs/fairplay-in-web-players.md contains the list; a test compares the two.
 *
 * The simulation follows WebKit's CDMInstanceFairPlayStreamingAVFObjC: a session of type `cenc` sends and expects an array, but a
 * renewal is a single SPC, for the last key of the session; `update` rejects what it cannot read.
 */

const utf8 = (text) => new TextEncoder().encode(text);
const text = (data) => new TextDecoder().decode(data);
const bytes = (data) => new Uint8Array(ArrayBuffer.isView(data) ? data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) : data);
const base64 = (data) => btoa(String.fromCharCode(...bytes(data)));
const unbase64 = (string) => Uint8Array.from(atob(string), (character) => character.charCodeAt(0));
const number = (value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const box = (type, ...content) => {
    const body = content.flatMap((part) => [...part]);
    return Uint8Array.from([...number(body.length + 8), ...utf8(type), ...body]);
};
const KEY_IDS = [1, 2, 3, 4].map((last) => Uint8Array.from([...new Array(15).fill(0), last]));
const sinf = (keyID) => utf8(JSON.stringify({ sinf: [base64(box("sinf", box("schm", [0, 0, 0, 0], utf8("cbcs"), number(0x10000)),
    box("schi", box("tenc", [1, 0, 0, 0, 0, 0x19, 1, 0], keyID, [16], new Array(16).fill(7)))))] }));
/** FairPlay's `pssh` box, with several keys. */
const pssh = (...keyIDs) => box("pssh", [0, 0, 0, 0], [0x94, 0xce, 0x86, 0xfb, 0x07, 0xff, 0x4f, 0x43, 0xad, 0xb8, 0x93, 0xd2, 0xfa, 0x96, 0x8c, 0xa2],
    number(8 + keyIDs.length * 36 + 16), box("fpsd", box("fpsi", [0, 0, 0, 0], utf8("cenc")),
        ...keyIDs.map((keyID) => box("fpsk", box("fkri", [0, 0, 0, 0], keyID)))));
const skd = (name) => utf8(`skd://${name}`);

/** Waits until a condition is true; the test runner ends a test that waits too long. */
async function until(condition, what) {
    for (let turn = 0; turn < 2000; turn += 1) {
        if (condition()) return;
        await new Promise((resume) => { setTimeout(resume, turn < 50 ? 0 : 5); });
    }
    throw new Error(`waited for ${what}`);
}

function equal(found, expected, what) {
    const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
    if (one !== other) throw new Error(`${what}: expected ${other}, found ${one}`);
}

/** Lets all promises and timers that are due run. */
const settle = async () => { for (let turn = 0; turn < 20; turn += 1) await new Promise((resume) => { setTimeout(resume, 0); }); };

/** A simulated browser, key server and video element for one situation. */
class Environment {
    /** The SPCs that the server received. */
    requests = [];
    /** The tokens of license requests. */
    tokens = [];
    errors = [];
    statuses = [];
    sessions = [];
    prefixedSessions = [];
    isCasting = false;
    hdcp = "usable";
    /** Responses of the server to the next license requests, instead of a CKC. */
    refusals = [];
    /** Damages the CKCs. */
    spoils = false;
    certificateIsReady = Promise.resolve();
    /** The response to the request of the certificate: DER begins with the byte 0x30. */
    certificate = "0certificate-der";
    /** Whether the browser accepts the certificate, and has `getStatusForPolicy`. */
    acceptsCertificate = true;
    hasStatusForPolicy = true;
    /** Whether no response arrives, as without CORS. */
    isUnreachable = false;

    constructor(library, { standard = true, prefixed = [] } = {}) {
        this.library = library;
        const environment = this;
        globalThis.fetch = (url, init) => environment.respond(String(url), init);
        if (!globalThis.navigator) Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true, writable: true });
        Object.defineProperty(globalThis.navigator, "requestMediaKeySystemAccess", {
            configurable: true,
            value: standard ? async (system, [configuration]) => environment.access(system, configuration) : undefined,
        });
        globalThis.WebKitMediaKeys = prefixed.length === 0 ? undefined : class {
            static isTypeSupported(system, type) { return prefixed.includes(system) && type === "video/mp4"; }
            constructor(system) { this.system = system; }
            createSession(type, data) {
                const session = new PrefixedSession(environment, this.system, bytes(data));
                environment.prefixedSessions.push(session);
                return session;
            }
        };
        this.video = environment.makeVideo();
    }

    makeVideo() {
        const video = globalThis.document ? document.createElement("video") : new EventTarget();
        const define = (name, value) => Object.defineProperty(video, name, { value, configurable: true, writable: true });
        define("mediaKeys", null);
        define("webkitKeys", null);
        define("src", "https://media.example.com/main.m3u8");
        define("currentSrc", "https://media.example.com/main.m3u8");
        define("paused", true);
        define("duration", 100);
        define("currentTime", 0);
        define("loads", 0);
        define("plays", 0);
        let isChanging = false;
        define("setMediaKeys", async (keys) => {
            // As in browsers.
            if (isChanging) throw new DOMException("another change is under way", "InvalidStateError");
            isChanging = true;
            await settle();
            isChanging = false;
            video.mediaKeys = keys;
        });
        define("webkitSetMediaKeys", (keys) => { video.webkitKeys = keys; });
        define("load", () => { video.loads += 1; video.currentTime = 0; });
        define("play", async () => { video.plays += 1; });
        return video;
    }

    fairPlay(options = {}) {
        const fairPlay = new this.library.FairPlay({ server: "https://keys.example.com", ...options });
        fairPlay.addEventListener("error", ({ detail }) => this.errors.push(detail.code));
        fairPlay.addEventListener("keystatus", ({ detail }) => this.statuses.push(`${detail.keyID} ${detail.status}`));
        return fairPlay;
    }

    access(system, { initDataTypes }) {
        if (system !== "com.apple.fps") throw new DOMException(system, "NotSupportedError");
        for (const type of ["sinf", "skd", "cenc", "mpts"]) {
            if (!initDataTypes.includes(type)) throw new Error(`${type} is not requested`);
        }
        const environment = this;
        return {
            keySystem: system,
            createMediaKeys: async () => ({
                async setServerCertificate(certificate) {
                    this.certificate = text(certificate);
                    return environment.acceptsCertificate;
                },
                createSession() {
                    const session = new Session(environment, this);
                    environment.sessions.push(session);
                    return session;
                },
                getStatusForPolicy: environment.hasStatusForPolicy ? async ({ minHdcpVersion }) => {
                    environment.asked = minHdcpVersion;
                    await environment.statusIsReady;
                    return environment.hdcp;
                } : undefined,
            }),
        };
    }

    async respond(url, { headers, body, signal } = {}) {
        if (signal?.aborted) throw new DOMException("aborted", "AbortError");
        if (this.isUnreachable) throw new TypeError("Failed to fetch");
        if (url.startsWith("https://keys.example.com/fps/certificate")) {
            await this.certificateIsReady;
            return new Response(this.certificate);
        }
        this.tokens.push(headers.get("Authorization"));
        const refusal = this.refusals.shift();
        if (refusal) return new Response(JSON.stringify(refusal[1]), { status: refusal[0], headers: { "Retry-After": String(refusal[2] ?? 0) } });
        if (url === "https://keys.example.com/fps/license") {
            this.requests.push(text(body));
            return new Response(this.spoils ? "damaged" : text(body).replace("spc", "ckc"));
        }
        const asked = JSON.parse(body)["fairplay-streaming-request"]["create-ckc"];
        this.requests.push(...asked.map(({ spc }) => text(unbase64(spc))));
        const answers = asked.map(({ id, spc }) => ({ id, status: 0, ckc: btoa(atob(spc).replace("spc", "ckc")) }));
        return new Response(JSON.stringify({ "fairplay-streaming-response": { "create-ckc": answers } }));
    }

    /** Sends the event of media with initialization data. */
    encrypted(type, data, video = this.video) {
        video.dispatchEvent(Object.assign(new Event("encrypted"), { initDataType: type, initData: bytes(data).buffer }));
    }

    needKey(data) {
        this.video.dispatchEvent(Object.assign(new Event("webkitneedkey"), { initData: bytes(data) }));
    }

    /** Waits until the server has received a number of requests and the browser its keys. */
    async keys(count) {
        await until(() => this.usable.length === count && this.requests.length >= count,
            `${count} keys: ${this.usable}, requests ${this.requests}, errors ${this.errors}`);
    }

    get usable() {
        return [...this.sessions.flatMap((session) => [...session.statuses]), ...this.prefixedSessions.flatMap(({ status }) => [["", status]])]
            .filter(([, status]) => status === "usable");
    }
}

/** A session of the standard API. */
class Session extends EventTarget {
    statuses = new Map();
    names = [];
    pending = [];
    isClosed = false;

    constructor(environment, owner) {
        super();
        Object.assign(this, { environment, owner });
    }

    get keyStatuses() {
        return { forEach: (body) => this.statuses.forEach((status, name) => body(status, unbase64(name))) };
    }

    async generateRequest(type, data) {
        if (this.isClosed) throw new DOMException("closed", "InvalidStateError");
        if (this.environment.isCasting) throw new DOMException("casting", "NotSupportedError");
        if (this.owner.certificate !== this.environment.certificate) throw new DOMException("no certificate", "InvalidStateError");
        this.type = type;
        this.names = this.namesIn(type, bytes(data));
        if (this.names.length === 0) throw new TypeError(`no key in ${type}`);
        this.ask("license-request", this.names);
    }

    /** The identifiers of the requested keys, as the browser forms them. */
    namesIn(type, data) {
        if (type === "skd" || type === "mpts") return [base64(data)];
        const letters = String.fromCharCode(...(type === "sinf" ? unbase64(this.parse(data)?.sinf?.[0] ?? "") : data));
        const [marker, distance] = type === "sinf" ? ["tenc", 12] : ["fkri", 8];
        return letters.split(marker).slice(1).map((part) => btoa(part.slice(distance - 4, distance + 12)))
            .filter((name) => unbase64(name).length === 16);
    }

    parse(data) {
        try {
            return JSON.parse(text(data));
        } catch {
            return null;
        }
    }

    ask(messageType, names, isRenewal = false) {
        this.pending = names;
        const spc = (name) => utf8(`\0\0\0\x01 spc ${isRenewal ? "renewal " : ""}${name}`);
        const isList = this.type === "cenc" && !isRenewal;
        const message = isList ? utf8(JSON.stringify(names.map((name) => ({ keyID: name, payload: base64(spc(name)) })))) : spc(names[0]);
        setTimeout(() => this.dispatchEvent(Object.assign(new Event("message"), { messageType, message: bytes(message).buffer })));
    }

    async update(data) {
        if (text(data) === "renew") return this.ask("license-renewal", this.names.slice(-1), true);
        const answers = this.type === "cenc" ? this.parse(data) : [{ keyID: this.pending[0], payload: base64(data) }];
        if (!Array.isArray(answers)) throw new TypeError("not an array");
        for (const { keyID, payload, error } of answers) {
            if (!this.pending.includes(keyID) || (payload === undefined) === (error === undefined)) throw new TypeError("not for a request");
            const isKey = payload !== undefined && text(unbase64(payload)).includes("ckc");
            if (payload !== undefined && !isKey) throw new TypeError("not a CKC");
            this.statuses.set(keyID, isKey ? "usable" : "internal-error");
        }
        this.dispatchEvent(new Event("keystatuseschange"));
    }

    async close() {
        this.isClosed = true;
    }
}

/** A session of the prefixed API: 1_0 for native HLS, 2_0 and 3_0 for a MediaSource. */
class PrefixedSession extends EventTarget {
    constructor(environment, system, data) {
        super();
        Object.assign(this, { environment, system, data, isClosed: false });
        const isNative = system === "com.apple.fps.1_0";
        setTimeout(() => this.ask(isNative ? "\0\0\0\x01 spc prefixed" : "certificate"));
    }

    ask(message) {
        this.dispatchEvent(Object.assign(new Event("webkitkeymessage"), { message: utf8(message) }));
    }

    update(data) {
        if (text(data) === "renew") return void setTimeout(() => this.ask("\0\0\0\x01 spc renewal"));
        if (text(data).endsWith("certificate-der")) return void setTimeout(() => this.ask("\0\0\0\x01 spc source"));
        const isKey = text(data).includes("ckc");
        this.status = isKey ? "usable" : "failed";
        if (!isKey) this.error = { code: 1, systemCode: 4294924628 };
        this.dispatchEvent(new Event(isKey ? "webkitkeyadded" : "webkitkeyerror"));
    }

    close() {
        this.isClosed = true;
    }
}

/** The data of `webkitneedkey`: the key URI in UTF-16LE after its length. */
function prefixedData(uri) {
    const data = new Uint8Array(4 + 2 * uri.length);
    const view = new DataView(data.buffer);
    view.setUint32(0, 2 * uri.length, true);
    [...uri].forEach((letter, index) => view.setUint16(4 + 2 * index, letter.charCodeAt(0), true));
    return data;
}

const PREFIXED = { standard: false, prefixed: ["com.apple.fps.1_0", "com.apple.fps.2_0", "com.apple.fps.3_0"] };

/** Starts a situation: attaches the library to a video element. */
async function start(library, options, browser) {
    const environment = new Environment(library, browser);
    const fairPlay = environment.fairPlay(options);
    await fairPlay.attach(environment.video);
    return { environment, fairPlay };
}

/** Each situation: its name in the documentation, and its test. */
export const situations = [
    ["fps-hls, fps-init-data-skd", async (library) => {
        const { environment, fairPlay } = await start(library);
        environment.encrypted("skd", skd("movie"));
        await environment.keys(1);
        equal([...fairPlay.keyStatuses], [["skd://movie", "usable"]], "statuses");
        equal(environment.errors, [], "errors");
    }],
    ["fps-init-data-sinf", async (library) => {
        const { environment, fairPlay } = await start(library);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
        equal([...fairPlay.keyStatuses], [["00000000000000000000000000000001", "usable"]], "statuses");
    }],
    ["fps-init-data-cenc", async (library) => {
        const { environment } = await start(library);
        environment.encrypted("cenc", pssh(...KEY_IDS));
        await environment.keys(4);
        equal(environment.sessions.length, 1, "sessions");
    }],
    ["fps-mse-unmuxed-mpts", async (library) => {
        const { environment } = await start(library);
        environment.encrypted("mpts", Uint8Array.from([0x47, 1, 2, 3]));
        environment.encrypted("mpts", Uint8Array.from([0x47, 1, 2, 3]));
        await environment.keys(1);
        equal(environment.sessions.length, 1, "sessions");
    }],
    ["fps-init-data-cenc-oob-crash, fps-init-data-sinf-oob-crash", async (library) => {
        const { environment } = await start(library);
        environment.encrypted("cenc", pssh(KEY_IDS[0]).slice(0, 60));
        environment.encrypted("sinf", utf8('{"sinf":["AAAA"]}'));
        environment.encrypted("sinf", utf8("{"));
        await until(() => environment.errors.length === 3, "three errors");
        equal(environment.errors, Array(3).fill("key-system-failed"), "errors");
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
    }],
    ["fps-hls-key-rotation", async (library) => {
        const { environment } = await start(library);
        for (let period = 0; period < 30; period += 1) {
            environment.encrypted("skd", skd(`period-${period}`));
            await until(() => environment.requests.length === period + 1, `the key of period ${period}`);
            await settle();
        }
        equal(environment.errors, [], "errors");
        // A live stream must not collect sessions.
        equal(environment.sessions.filter(({ isClosed }) => isClosed).length, 6, "closed sessions");
        equal(environment.sessions.slice(0, 6).every(({ isClosed }) => isClosed), true, "the oldest are closed");
    }],
    ["fps-hls-update-reject", async (library) => {
        const { environment } = await start(library);
        environment.spoils = true;
        environment.encrypted("skd", skd("movie"));
        await until(() => environment.errors.length === 1, "an error");
        equal(environment.errors, ["key-rejected"], "errors");
    }],
    ["fps-mse-attach-cdm-after-key-exchange", async (library) => {
        const environment = new Environment(library);
        let ready;
        environment.certificateIsReady = new Promise((resolve) => { ready = resolve; });
        const fairPlay = environment.fairPlay();
        const attached = fairPlay.attach(environment.video);
        await settle();
        // The media arrive before the key system is ready.
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        environment.encrypted("sinf", sinf(KEY_IDS[1]));
        await settle();
        equal(environment.requests, [], "requests before the certificate");
        ready();
        await attached;
        await environment.keys(2);
    }],
    ["fps-mse-clear-then-encrypted-known-key", async (library) => {
        const { environment, fairPlay } = await start(library);
        await fairPlay.request("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await settle();
        equal(environment.requests.length, 1, "requests");
    }],
    ["fps-mse-multi-key-renewal", async (library) => {
        const { environment, fairPlay } = await start(library);
        environment.encrypted("cenc", pssh(...KEY_IDS));
        await environment.keys(4);
        await fairPlay.renew();
        await until(() => environment.requests.length === 5, "a renewal");
        await settle();
        equal(environment.requests[4], `\0\0\0\x01 spc renewal ${base64(KEY_IDS[3])}`, "the renewal");
        equal([environment.usable.length, environment.errors], [4, []], "keys after the renewal");
    }],
    ["fps-mse-unmuxed-key-renewal", async (library) => {
        const { environment, fairPlay } = await start(library);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        environment.encrypted("sinf", sinf(KEY_IDS[1]));
        await environment.keys(2);
        await fairPlay.renew();
        await until(() => environment.requests.length === 4, "two renewals");
        equal(environment.requests.slice(2).every((one) => one.includes("renewal")), true, "renewals");
    }],
    ["fps-mse-unmuxed-key-rotation", async (library) => {
        const { environment } = await start(library);
        environment.encrypted("sinf", sinf(KEY_IDS[1]));
        await environment.keys(1);
        environment.encrypted("sinf", sinf(KEY_IDS[3]));
        await environment.keys(2);
    }],
    ["fps-mse-unmuxed-multiple-keys", async (library) => {
        const { environment } = await start(library);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        environment.encrypted("sinf", sinf(KEY_IDS[1]));
        await environment.keys(2);
        equal(environment.sessions.length, 2, "sessions");
    }],
    ["fps-mse-unmuxed-same-key", async (library) => {
        const { environment } = await start(library);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
        await settle();
        equal(environment.requests.length, 1, "requests");
    }],
    ["fps-mse-unmuxed-audio-only, fps-mse-unmuxed-audio-only-seek", async (library) => {
        const { environment } = await start(library);
        environment.encrypted("sinf", sinf(KEY_IDS[2]));
        await environment.keys(1);
        // After a seek, the player appends the init segment again.
        environment.encrypted("sinf", sinf(KEY_IDS[2]));
        await settle();
        equal(environment.requests.length, 1, "requests");
    }],
    ["fps-mse-play-while-not-in-dom", async (library) => {
        const { environment } = await start(library);
        equal(Boolean(environment.video.isConnected), false, "the element is in the document");
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
    }],
    ["legacy-fairplay-hls", async (library) => {
        const { environment, fairPlay } = await start(library, {}, PREFIXED);
        environment.needKey(prefixedData("skd://movie"));
        environment.needKey(prefixedData("skd://movie"));
        await environment.keys(1);
        equal([fairPlay.keySystem, environment.prefixedSessions.length], ["com.apple.fps.1_0", 1], "key system and sessions");
        await fairPlay.renew();
        await until(() => environment.requests.length === 2, "a renewal");
    }],
    ["legacy-fairplay-error", async (library) => {
        const { environment } = await start(library, {}, PREFIXED);
        environment.spoils = true;
        environment.needKey(prefixedData("skd://movie"));
        await until(() => environment.errors.length === 1, "an error");
        equal(environment.errors, ["key-rejected"], "errors");
    }],
    ...["2_0", "3_0"].map((version) => [`legacy-fairplay-mse-v${version[0]}`, async (library) => {
        const browser = { standard: false, prefixed: ["com.apple.fps.1_0", `com.apple.fps.${version}`] };
        const { environment, fairPlay } = await start(library, {}, browser);
        environment.video.currentSrc = "blob:https://example.com/1";
        environment.needKey(sinf(KEY_IDS[0]));
        await environment.keys(1);
        equal(fairPlay.keySystem, `com.apple.fps.${version}`, "key system");
        equal(text(environment.prefixedSessions[0].data), text(sinf(KEY_IDS[0])), "initialization data");
    }]),
    ["legacy-fairplay-mse-muxed-nowait, legacy-fairplay-mse-muxed-av-nowait", async (library) => {
        const { environment } = await start(library, {}, PREFIXED);
        environment.video.currentSrc = "blob:https://example.com/1";
        environment.needKey(sinf(KEY_IDS[0]));
        environment.needKey(sinf(KEY_IDS[1]));
        await environment.keys(2);
    }],
    ["AirPlay on OS 26.1 and 26.2: generateRequest is rejected", async (library) => {
        const { environment, fairPlay } = await start(library, {}, { prefixed: PREFIXED.prefixed });
        const { video } = environment;
        environment.encrypted("skd", skd("movie"));
        await environment.keys(1);
        environment.isCasting = true;
        Object.assign(video, { currentTime: 42, paused: false });
        video.dispatchEvent(new Event("webkitcurrentplaybacktargetiswirelesschanged"));
        environment.encrypted("skd", skd("movie"));
        environment.encrypted("skd", skd("movie-audio"));
        await until(() => video.loads === 1, "the media to be loaded again");
        video.dispatchEvent(new Event("loadedmetadata"));
        equal([video.currentTime, video.plays, video.mediaKeys], [42, 1, null], "position, play, keys of the standard API");
        environment.needKey(prefixedData("skd://movie"));
        await until(() => environment.prefixedSessions[0]?.status === "usable", "the key by the prefixed API");
        equal([fairPlay.keySystem, environment.errors, video.loads], ["com.apple.fps.1_0", [], 1], "key system, errors, loads");
    }],
    ["AirPlay without the prefixed API", async (library) => {
        const { environment } = await start(library);
        environment.isCasting = true;
        environment.encrypted("skd", skd("movie"));
        await until(() => environment.errors.length === 1, "an error");
        equal(environment.errors, ["key-system-failed"], "errors");
    }],
    ["AirPlay starts and ends: each target requires its own license", async (library) => {
        const { environment } = await start(library);
        for (let count = 1; count <= 3; count += 1) {
            environment.encrypted("skd", skd("movie"));
            await until(() => environment.requests.length === count, `request ${count}`);
            environment.video.dispatchEvent(new Event("webkitcurrentplaybacktargetiswirelesschanged"));
        }
        equal(environment.sessions[0].isClosed, true, "the first session is closed");
    }],
    ["teardown", async (library) => {
        const { environment, fairPlay } = await start(library);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
        await fairPlay.detach();
        equal([environment.sessions[0].isClosed, environment.video.mediaKeys], [true, null], "session and keys");
        environment.encrypted("sinf", sinf(KEY_IDS[1]));
        await settle();
        equal(environment.requests.length, 1, "requests after the teardown");
        await fairPlay.attach(environment.video);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await until(() => environment.requests.length === 2, "a request after the element was attached again");
    }],
    ["teardown while a license is under way: no request afterwards", async (library) => {
        let giveToken;
        const { environment, fairPlay } = await start(library, {
            minHdcpVersion: "1.4", token: () => new Promise((resolve) => { giveToken = resolve; }),
        });
        // While the page gets a token.
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await until(() => giveToken, "a request for a token");
        await fairPlay.detach();
        giveToken("token");
        await settle();
        // While the output is checked.
        let giveStatus;
        environment.statusIsReady = new Promise((resolve) => { giveStatus = resolve; });
        await fairPlay.attach(environment.video);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await settle();
        await fairPlay.detach();
        giveStatus();
        await settle();
        // After the browser has created an SPC.
        await fairPlay.attach(environment.video);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await fairPlay.detach();
        environment.sessions.at(-1).ask("license-request", environment.sessions.at(-1).names);
        await settle();
        // While the library waits to ask a busy server again.
        environment.refusals = [[503, { type: "urn:keyway:problem:overloaded" }, 1]];
        await fairPlay.attach(environment.video);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await until(() => environment.tokens.length === 1, "the request that is refused");
        await fairPlay.detach();
        await new Promise((resume) => { setTimeout(resume, 1100); });
        equal([environment.requests, environment.tokens.length, environment.errors], [[], 1, []], "after the teardown");
    }],
    ["teardown of the prefixed API while a license is under way", async (library) => {
        let giveToken;
        const token = () => new Promise((resolve) => { giveToken = resolve; });
        const { environment, fairPlay } = await start(library, { token }, PREFIXED);
        environment.needKey(prefixedData("skd://movie"));
        await until(() => giveToken, "a request for a token");
        // WebKit throws for a session that it has ended.
        environment.prefixedSessions[0].close = () => { throw new DOMException("closed", "InvalidStateError"); };
        await fairPlay.detach();
        giveToken("token");
        environment.prefixedSessions[0].ask("late");
        await settle();
        equal([environment.requests, environment.errors, environment.video.webkitKeys], [[], [], null], "after the teardown");
    }],
    ["two elements on a page", async (library) => {
        const { environment } = await start(library);
        const other = environment.makeVideo();
        const otherFairPlay = environment.fairPlay();
        await otherFairPlay.attach(other);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        environment.encrypted("sinf", sinf(KEY_IDS[0]), other);
        await environment.keys(2);
        await otherFairPlay.detach();
        equal([other.mediaKeys, Boolean(environment.video.mediaKeys)], [null, true], "keys of the elements");
        equal(environment.sessions.map(({ isClosed }) => isClosed), [false, true], "closed sessions");
    }],
    ["the same element is attached twice", async (library) => {
        const environment = new Environment(library);
        const fairPlay = environment.fairPlay();
        await Promise.all([fairPlay.attach(environment.video), fairPlay.attach(environment.video)]);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
        const keys = environment.video.mediaKeys;
        await fairPlay.attach(environment.video);
        equal([environment.video.mediaKeys === keys, environment.sessions[0].isClosed], [true, false], "the keys stay");
        // Another object replaces the first one, also while that one attaches.
        const second = environment.fairPlay();
        const third = environment.fairPlay();
        await Promise.all([second.attach(environment.video), third.attach(environment.video)]);
        environment.encrypted("sinf", sinf(KEY_IDS[1]));
        await until(() => environment.requests.length === 2, "one more request");
        await settle();
        await fairPlay.detach();
        await second.detach();
        equal([environment.requests.length, Boolean(environment.video.mediaKeys), environment.errors], [2, true, []], "requests, keys, errors");
        await third.detach();
        equal(environment.video.mediaKeys, null, "keys after the teardown");
    }],
    ["an element changes to another one while it is attached", async (library) => {
        const environment = new Environment(library);
        const fairPlay = environment.fairPlay();
        const other = environment.makeVideo();
        await Promise.all([fairPlay.attach(environment.video), fairPlay.attach(other)]);
        await settle();
        equal([environment.video.mediaKeys, Boolean(other.mediaKeys)], [null, true], "keys of the elements");
    }],
    ["teardown while attaching and while a license is requested", async (library) => {
        const environment = new Environment(library);
        const fairPlay = environment.fairPlay();
        const attached = fairPlay.attach(environment.video);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await fairPlay.detach();
        await attached;
        await settle();
        equal([environment.requests, environment.video.mediaKeys, environment.errors], [[], null, []], "after a teardown while attaching");
        await fairPlay.attach(environment.video);
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await fairPlay.detach();
        await settle();
        equal([environment.usable, environment.errors], [[], []], "after a teardown while a license is requested");
    }],
    ["output without the required HDCP version: no license is requested", async (library) => {
        const { environment } = await start(library, { minHdcpVersion: "2.2" });
        environment.hdcp = "output-restricted";
        environment.encrypted("skd", skd("movie"));
        await until(() => environment.errors.length === 1, "an error");
        equal([environment.errors, environment.asked, environment.requests], [["output-restricted"], "2.2", []], "before the request");
        // Another display is connected, and the player requests the key again.
        environment.hdcp = "usable";
        environment.encrypted("skd", skd("movie"));
        await environment.keys(1);
    }],
    ["a browser without getStatusForPolicy", async (library) => {
        const environment = new Environment(library);
        environment.hasStatusForPolicy = false;
        await environment.fairPlay({ minHdcpVersion: "2.2" }).attach(environment.video);
        environment.encrypted("skd", skd("movie"));
        await environment.keys(1);
        equal([environment.asked, environment.errors], [undefined, []], "the request");
    }],
    ["an expired token is replaced", async (library) => {
        const { environment } = await start(library, { token: ({ isRefresh }) => (isRefresh ? "new" : "old") });
        environment.refusals = [[401, { type: "urn:keyway:problem:token-expired" }]];
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await environment.keys(1);
        equal(environment.tokens, ["Bearer old", "Bearer new"], "tokens");
    }],
    ["a refused license is an error in words, and is not requested again", async (library) => {
        const { environment } = await start(library);
        environment.refusals = [[403, { type: "urn:keyway:problem:refused-by-policy", reason: "region" }]];
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await until(() => environment.errors.length === 1, "an error");
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await settle();
        equal([environment.errors, environment.tokens.length], [["license-refused"], 1], "errors and requests");
    }],
    ["a key is requested again after the token was missing", async (library) => {
        let isSignedIn = false;
        const token = () => { if (isSignedIn) return "token"; throw new Error("signed out"); };
        const { environment, fairPlay } = await start(library, { token });
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await until(() => environment.errors.length === 1, "an error");
        isSignedIn = true;
        // The media do not send their initialization data again.
        await fairPlay.renew();
        await environment.keys(1);
        equal(environment.errors, ["token-unavailable"], "errors");
    }],
    ["the page gets something other than a token", async (library) => {
        const { environment } = await start(library, { token: async () => "<html>\nNot Found" });
        environment.encrypted("sinf", sinf(KEY_IDS[0]));
        await until(() => environment.errors.length === 1, "an error");
        equal([environment.errors, environment.tokens], [["token-unavailable"], []], "errors and requests");
    }],
    ["a key is requested again by the prefixed API after the server was unreachable", async (library) => {
        const { environment, fairPlay } = await start(library, {}, PREFIXED);
        environment.isUnreachable = true;
        environment.needKey(prefixedData("skd://movie"));
        await until(() => environment.errors.length === 1, "an error");
        environment.isUnreachable = false;
        await fairPlay.renew();
        await environment.keys(1);
        equal(environment.errors, ["server-unreachable"], "errors");
    }],
    ["the server returns something other than a certificate", async (library) => {
        const environment = new Environment(library);
        environment.certificate = "<!doctype html>";
        const failed = await environment.fairPlay().attach(environment.video).then(() => "", (error) => `${error.code}: ${error.detail}`);
        equal(failed, "certificate-unavailable: https://keys.example.com/fps/certificate is not a certificate", "error");
        equal(environment.errors, ["certificate-unavailable"], "errors");
    }],
    ["the browser rejects the certificate", async (library) => {
        const environment = new Environment(library);
        environment.acceptsCertificate = false;
        const failed = await environment.fairPlay().attach(environment.video).then(() => "", (error) => error.code);
        equal([failed, environment.errors, environment.video.mediaKeys], ["certificate-rejected", ["certificate-rejected"], null], "errors");
    }],
    ["a browser without FairPlay", async (library) => {
        const environment = new Environment(library, { standard: false });
        equal(await library.FairPlay.isSupported(), false, "isSupported");
        const failed = await environment.fairPlay().attach(environment.video).then(() => "", (error) => error.code);
        equal([failed, environment.errors], ["no-key-system", ["no-key-system"]], "errors");
    }],
];

/** Runs all situations in a browser. Returns their names and errors; rejections that no code handles are errors, too. */
export async function run(library) {
    const results = [];
    let unhandled = "";
    globalThis.addEventListener("unhandledrejection", ({ reason }) => { unhandled = `unhandled: ${reason?.stack ?? reason}`; });
    for (const [name, test] of situations) {
        unhandled = "";
        const error = await test(library).then(() => "", (error) => String(error?.stack ?? error));
        results.push([name, error || unhandled]);
    }
    return results;
}
