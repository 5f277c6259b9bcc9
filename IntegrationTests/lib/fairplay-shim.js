/**
 * @file Simulates FairPlay in Chromium or Firefox, for tests of the player module: to be run in the page, as the body of a function
 * with one argument:
 *
 *     {bridge: URL, api: "modern" | "prefixed", way: "skd" | "sinf" | "cenc", spoils: false}
 *
 * The virtual device behind the bridge creates SPCs and decrypts CKCs; the keys go to the browser's own Clear Key, which decrypts
 * the media. `skd` simulates HLS that Safari plays natively, `sinf` and `cenc` Media Source Extensions with that initialization
 * data. The asset ID of an SPC is the one of WebKit: with the modern API the URI, or the key ID in 16 bytes; with the prefixed API
 * the content ID from the page.
 *
 * The shim uses no code of the module in the parts that the tests check. The simulation of Safari's native HLS player uses the
 * module's playlist parser and segment loader.
 */

const { bridge, api, way, spoils } = arguments[0];
const log = (window.fairPlayLog = []);
const askForAccess = navigator.requestMediaKeySystemAccess.bind(navigator);
const setKeys = HTMLMediaElement.prototype.setMediaKeys;
const source = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "src");

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const unbase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const base64url = (bytes) => base64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
const text = (bytes) => new TextDecoder().decode(bytes);
const utf8 = (string) => new TextEncoder().encode(string);

/** Sends a request to the virtual device. */
async function device(route, body) {
    log.push({ event: "device", route });
    const answer = await fetch(`${bridge}/${route}`, { method: "POST", body: JSON.stringify(body) });
    if (answer.ok) return answer.json();
    const reason = await answer.text();
    log.push({ event: "refused", route, reason });
    throw new DOMException(reason, "InvalidAccessError");
}

async function makeSPC(assetID, certificate, state) {
    const { spc } = await device("spc", { assetID: hex(assetID), certificate: base64(certificate), state });
    log.push({ event: "spc", assetID: hex(assetID), state });
    return spc;
}

/** Decrypts a CKC, and passes its key to the browser. */
async function takeCKC(clearKeys, spc, ckc, keyID) {
    const bytes = new Uint8Array(ckc);
    // Every block of the payload (after version, reserved bytes, IV and length): some blocks contain nothing that is verified.
    if (spoils) for (let at = 28; at < bytes.length; at += 16) bytes[at] ^= 1;
    const { key } = await device("ckc", { spc, ckc: base64(bytes) });
    const session = (await clearKeys).createSession();
    await session.generateRequest("keyids", utf8(JSON.stringify({ kids: [base64url(keyID)] })));
    const keys = [{ kty: "oct", kid: base64url(keyID), k: base64url(unhex(key)) }];
    await session.update(utf8(JSON.stringify({ keys, type: "temporary" })));
    log.push({ event: "key", keyID: hex(keyID) });
}

/** Returns whether a message of the page is WebKit's command to create an SPC for a renewal. */
const isRenewal = (data) => text(data) === "renew";

/** Returns the key IDs of pssh boxes of version 1: 32 bytes of header, a count, 16 bytes each. */
function fromPSSH(data) {
    const bytes = new Uint8Array(data);
    return Array.from({ length: bytes[31] }, (_, index) => bytes.slice(32 + 16 * index, 48 + 16 * index));
}

/** Returns the key ID of `tenc`, at any position in a sinf box. */
function fromSinf(data) {
    return JSON.parse(text(data)).sinf.map(unbase64).map((box) => {
        const at = String.fromCharCode(...box).indexOf("tenc");
        return box.slice(at + 12, at + 28);
    });
}

// The modern API.

class Session extends EventTarget {
    constructor(owner) {
        super();
        this.owner = owner;
        this.requests = [];
        this.keyStatuses = new Map();
    }

    async generateRequest(type, data) {
        if (!this.owner.certificate) throw new DOMException("there is no certificate", "InvalidStateError");
        if (!["skd", "sinf", "cenc"].includes(type)) throw new DOMException(type, "NotSupportedError");
        const bytes = new Uint8Array(ArrayBuffer.isView(data) ? data.slice().buffer : data.slice());
        this.type = type;
        const names = type === "skd" ? [bytes] : type === "sinf" ? fromSinf(bytes).slice(0, 1) : fromPSSH(bytes);
        this.requests = names.map((assetID) => ({
            assetID, keyID: type === "skd" ? unhex(text(assetID).replace("skd://", "")) : assetID,
        }));
        await this.ask("license-request", "ready");
    }

    async ask(messageType, state) {
        // A renewal is only for the last key of a session, and not an array.
        const isRenewal = messageType === "license-renewal";
        const requests = isRenewal ? this.requests.slice(-1) : this.requests;
        for (const request of requests) request.spc = await makeSPC(request.assetID, this.owner.certificate, state);
        const many = requests.map(({ assetID, spc }) => ({ keyID: base64(assetID), payload: spc }));
        const message = this.type === "cenc" && !isRenewal ? utf8(JSON.stringify(many)) : unbase64(requests[0].spc);
        this.dispatchEvent(Object.assign(new Event("message"), { messageType, message: message.buffer }));
    }

    async update(data) {
        if (isRenewal(data)) return this.ask("license-renewal", "lease");
        const answers = this.type === "cenc" ? JSON.parse(text(data)) : [{ keyID: base64(this.requests[0].assetID), payload: base64(data) }];
        for (const { keyID, payload } of answers) {
            const request = this.requests.find(({ assetID }) => base64(assetID) === keyID);
            if (payload) await takeCKC(this.owner.clearKeys, request.spc, unbase64(payload), request.keyID);
            this.keyStatuses.set(request.assetID, payload ? "usable" : "internal-error");
        }
        this.dispatchEvent(new Event("keystatuseschange"));
    }

    async close() {}
}

class FairPlayKeys {
    constructor(clearKeys) { this.clearKeys = clearKeys; }
    async setServerCertificate(certificate) { this.certificate = certificate.slice(); return true; }
    createSession() { return new Session(this); }
}

async function clearKeyAccess(configurations) {
    const own = configurations.map((one) => ({ ...one, initDataTypes: ["keyids"] }));
    return askForAccess("org.w3.clearkey", own);
}

if (api === "modern") {
    navigator.requestMediaKeySystemAccess = async (system, configurations) => {
        if (system !== "com.apple.fps") return askForAccess(system, configurations);
        const types = configurations[0].initDataTypes;
        if (!types.includes(way)) throw new DOMException(types.join(), "NotSupportedError");
        const access = await clearKeyAccess(configurations);
        return { keySystem: system, createMediaKeys: async () => new FairPlayKeys(await access.createMediaKeys()) };
    };
    HTMLMediaElement.prototype.setMediaKeys = function (keys) {
        return setKeys.call(this, keys instanceof FairPlayKeys ? keys.clearKeys : keys);
    };
} else {
    // A browser that has only the prefixed API.
    Object.defineProperty(navigator, "requestMediaKeySystemAccess", { value: undefined });
}

// The prefixed API.

class PrefixedSession extends EventTarget {
    constructor(owner, initData) {
        super();
        this.owner = owner;
        const view = new DataView(initData.buffer, initData.byteOffset, initData.byteLength);
        // The event's data is itself a text with a length prefix.
        let at = 4 + view.getUint32(0, true);
        const uri = new TextDecoder("utf-16le").decode(initData.subarray(4, at));
        const size = view.getUint32(at, true);
        this.assetID = utf8(new TextDecoder("utf-16le").decode(initData.subarray(at + 4, at + 4 + size)));
        at += 4 + size;
        this.certificate = initData.slice(at + 4, at + 4 + view.getUint32(at, true));
        if (at + 4 + this.certificate.length !== initData.length) throw new Error("the initialization data has trailing bytes");
        this.keyID = unhex(uri.replace("skd://", ""));
        setTimeout(() => this.ask("ready"));
    }

    async ask(state) {
        this.spc = await makeSPC(this.assetID, this.certificate, state);
        this.dispatchEvent(Object.assign(new Event("webkitkeymessage"), { message: unbase64(this.spc) }));
    }

    update(data) {
        if (isRenewal(data)) return void this.ask("lease");
        takeCKC(this.owner.clearKeys(), this.spc, data, this.keyID).then(
            () => this.dispatchEvent(new Event("webkitkeyadded")),
            () => {
                this.error = { code: 1, systemCode: -42668 };
                this.dispatchEvent(new Event("webkitkeyerror"));
            });
    }

    close() {}
}

if (api === "prefixed") {
    window.WebKitMediaKeys = class {
        static isTypeSupported(system, type) { return system === "com.apple.fps.1_0" && type === "video/mp4"; }
        createSession(type, initData) { return new PrefixedSession(this, initData); }
        clearKeys() {
            this.own ??= (async () => {
                const types = [{ contentType: 'video/mp4; codecs="avc1.640028"', encryptionScheme: "cbcs" }];
                const keys = await (await clearKeyAccess([{ videoCapabilities: types }])).createMediaKeys();
                await setKeys.call(this.video, keys);
                return keys;
            })();
            return this.own;
        }
    };
    HTMLMediaElement.prototype.webkitSetMediaKeys = function (keys) {
        this.webkitKeys = keys;
        if (keys) keys.video = this;
    };
}

// Media: events as Safari's replace those of this browser.

const emit = (video, type, data) => video.dispatchEvent(Object.assign(new Event("encrypted"), { initDataType: type, initData: data.buffer }));
window.addEventListener("encrypted", (event) => { if (event.isTrusted) event.stopImmediatePropagation(); }, true);
const playsHLS = HTMLMediaElement.prototype.canPlayType;
HTMLMediaElement.prototype.canPlayType = function (type) {
    return type.includes("mpegurl") ? (way === "skd" ? "maybe" : "") : playsHLS.call(this, type);
};

if (way === "skd") {
    Object.defineProperty(HTMLMediaElement.prototype, "src", {
        ...source,
        set(url) {
            if (!url.endsWith(".m3u8")) source.set.call(this, url);
            else void playAsSafari(this, url);
        },
    });
}

async function playAsSafari(video, url) {
    const { fetchPlaylist, parse } = await import("/player/hls.js");
    const { MediaFeed } = await import("/player/mse.js");
    const { PlaylistSource } = await import("/player/timeline.js");
    const { multivariant } = parse(await fetchPlaylist(url), url);
    const variant = multivariant.variants[0];
    const sources = await Promise.all([
        PlaylistSource.load(`video/mp4; codecs="${variant.codecs[0]}"`, variant.url),
        PlaylistSource.load(`audio/mp4; codecs="${variant.codecs[1]}"`, multivariant.audio[0].url),
    ]);
    const feed = new MediaFeed(video, { init() {}, failure(error) { throw error; } });
    const uris = sources.map(({ playlist }) => playlist.segments[0].keys.find((key) => key.uri.startsWith("skd:")).uri);
    for (const uri of uris) {
        if (api === "modern") emit(video, "skd", utf8(uri));
        else {
            const data = new Uint8Array(4 + 2 * uri.length);
            new DataView(data.buffer).setUint32(0, 2 * uri.length, true);
            for (let index = 0; index < uri.length; index += 1) data[4 + 2 * index] = uri.charCodeAt(index);
            video.dispatchEvent(Object.assign(new Event("webkitneedkey"), { initData: data }));
        }
    }
    // Clear Key must be attached to the element before it receives encrypted media.
    if (api === "prefixed") await video.webkitKeys.clearKeys();
    await feed.open(sources);
}

if (way !== "skd") {
    const append = SourceBuffer.prototype.appendBuffer;
    const seen = [];
    SourceBuffer.prototype.appendBuffer = function (data) {
        const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
        const letters = String.fromCharCode(...bytes.subarray(0, Math.min(bytes.length, 8192)));
        const at = letters.indexOf("sinf");
        if (letters.indexOf("moov") === 4 || letters.includes("moov")) {
            if (at > 0) {
                const size = new DataView(bytes.buffer, bytes.byteOffset + at - 4).getUint32(0);
                const body = bytes.slice(at + 4, at - 4 + size);
                const video = document.getElementById("video");
                if (way === "sinf") emit(video, "sinf", utf8(JSON.stringify({ sinf: [base64(body)] })));
                seen.push(fromSinf(utf8(JSON.stringify({ sinf: [base64(body)] })))[0]);
                // Both tracks' keys in one box, after both are known.
                if (way === "cenc" && seen.length === 2) emit(video, "cenc", psshOf(seen));
            }
        }
        return append.call(this, data);
    };
}

function psshOf(keyIDs) {
    const box = new Uint8Array(32 + 16 * keyIDs.length + 4);
    const view = new DataView(box.buffer);
    view.setUint32(0, box.length);
    box.set(utf8("pssh"), 4);
    box[8] = 1;
    box.set(unhex("1077efecc0b24d02ace33c1e52e2fb4b"), 12);
    view.setUint32(28, keyIDs.length);
    keyIDs.forEach((keyID, index) => box.set(keyID, 32 + 16 * index));
    return box;
}
