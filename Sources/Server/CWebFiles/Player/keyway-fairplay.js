// Keyway FairPlay 1.0.0, a build of Sources/Server/CWebFiles/Player/fairplay.js; Apache License 2.0. ES module.
const $init_data = (() => {
/** @file Initialization data: the key IDs that media require, in the formats of browsers and containers. */

/** The system ID of common `pssh` boxes, which list key IDs (W3C, "cenc" initialization data format). */
const COMMON_SYSTEM = "1077efecc0b24d02ace33c1e52e2fb4b";

/** The system ID of FairPlay's `pssh` boxes, whose content is a box `fpsd` with one box `fpsk` for each key. */
const FAIRPLAY_SYSTEM = "94ce86fb07ff4f43adb893d2fa968ca2";

/** Container boxes, with the number of bytes before the first child box. */
const CONTAINERS = new Map([
    ["moov", 0], ["trak", 0], ["mdia", 0], ["minf", 0], ["stbl", 0], ["sinf", 0], ["schi", 0],
    // A full box with a count.
    ["stsd", 8],
    // VisualSampleEntry and AudioSampleEntry.
    ["encv", 78], ["enca", 28],
]);

/**
 * @param {ArrayBuffer | ArrayBufferView} source
 * @returns {Uint8Array} the bytes, without a copy
 */
function bytesOf(source) {
    return ArrayBuffer.isView(source)
        ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
        : new Uint8Array(source);
}

/**
 * @param {Uint8Array} bytes which are not shared between threads
 * @returns {Uint8Array<ArrayBuffer>} the same bytes, as APIs of the browser declare them
 */
function unshared(bytes) {
    return /** @type {Uint8Array<ArrayBuffer>} */ (bytes);
}

/**
 * @param {ArrayBuffer | ArrayBufferView} source
 * @returns {string} lowercase hexadecimal digits
 */
function hex(source) {
    return Array.from(bytesOf(source), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} digits with or without the hyphens of a UUID
 * @returns {Uint8Array | null} the bytes; null if the text is not hexadecimal
 */
function fromHex(digits) {
    const plain = digits.replace(/-/g, "");
    if (!/^([0-9a-fA-F]{2})*$/.test(plain)) return null;
    return Uint8Array.from(plain.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/**
 * @param {ArrayBuffer | ArrayBufferView} source
 * @returns {string} standard base64
 */
function base64(source) {
    return btoa(Array.from(bytesOf(source), (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * @param {ArrayBuffer | ArrayBufferView} source
 * @returns {string} base64url without padding, as in JSON Web Keys
 */
function base64url(source) {
    return base64(source).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/**
 * @param {string} text base64, standard or URL-safe
 * @returns {Uint8Array | null} the bytes; null if the text is not base64
 */
function fromBase64(text) {
    try {
        return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
    } catch {
        return null;
    }
}

/**
 * Creates initialization data of type `keyids`, which contains the key IDs.
 *
 * @param {string[]} keyIDs in hexadecimal digits
 * @returns {Uint8Array}
 */
function keyIDsData(keyIDs) {
    const kids = keyIDs.map((keyID) => base64url(fromHex(keyID) ?? new Uint8Array()));
    return new TextEncoder().encode(JSON.stringify({ kids }));
}

/**
 * Returns the key IDs in initialization data.
 *
 * `skd` is a key URI, whose key ID is known only if it is the text after `skd://`. `sinf` is JSON with boxes in base64,
 * `cenc` is one or more `pssh` boxes, `keyids` is JSON. The key IDs of other types, such as `mpts`, are not known.
 *
 * @param {string} type
 * @param {ArrayBuffer | ArrayBufferView} data
 * @returns {string[]} in hexadecimal digits; empty if the key IDs are not known
 */
function keyIDsOf(type, data) {
    const bytes = bytesOf(data);
    try {
        switch (type) {
            case "cenc": return fromPSSH(bytes);
            case "keyids": return json(bytes).kids.map((/** @type {string} */ kid) => hex(fromBase64(kid) ?? new Uint8Array()));
            case "sinf": {
                const boxes = json(bytes).sinf.map(fromBase64);
                return boxes.flatMap((/** @type {Uint8Array | null} */ box) => (box ? tracksIn(box) : [])
                    .map((/** @type {Protection} */ track) => track.keyID));
            }
            case "skd": {
                const keyID = fromHex(contentID(new TextDecoder().decode(bytes)));
                return keyID?.length === 16 ? [hex(keyID)] : [];
            }
            default: return [];
        }
    } catch {
        // The data come from the media; malformed data contain no key IDs.
        return [];
    }
}

/** @param {Uint8Array} bytes */
function json(bytes) {
    return JSON.parse(new TextDecoder().decode(bytes));
}

/**
 * Returns the content ID for the key server: the part of a key URI after `skd://`.
 *
 * @param {string} uri such as `skd://movie`
 * @returns {string}
 */
function contentID(uri) {
    return uri.replace(/^skd:\/\//i, "");
}

/**
 * Iterates over the boxes of one level, up to the first truncated one.
 *
 * @param {Uint8Array} bytes
 * @returns {Generator<{type: string, body: Uint8Array}>}
 */
function* boxes(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at + 8 <= bytes.length) {
        let size = view.getUint32(at);
        let header = 8;
        if (size === 1 && at + 16 <= bytes.length) {
            size = Number(view.getBigUint64(at + 8));
            header = 16;
        } else if (size === 0) {
            size = bytes.length - at;
        }
        if (size < header || at + size > bytes.length) return;
        yield { type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)), body: bytes.subarray(at + header, at + size) };
        at += size;
    }
}

/**
 * The encryption of a track.
 *
 * @typedef {object} Protection
 * @property {string} scheme such as `cbcs`
 * @property {string} keyID in hexadecimal digits
 */

/**
 * Returns the encrypted tracks of an init segment or a `sinf` box.
 *
 * @param {Uint8Array} bytes
 * @param {number} [depth] the maximum depth of nested boxes
 * @returns {Protection[]}
 */
function tracksIn(bytes, depth = 10) {
    /** @type {Protection[]} */
    const found = [];
    for (const box of boxes(bytes)) {
        if (box.type === "sinf") {
            const track = protection(box.body);
            if (track) found.push(track);
        } else if (CONTAINERS.has(box.type) && depth > 0) {
            found.push(...tracksIn(box.body.subarray(CONTAINERS.get(box.type)), depth - 1));
        }
    }
    return found;
}

/**
 * Parses `schm` (version and flags, then a four-character code) and, in `schi`, `tenc` (version and flags, four bytes,
 * then the key ID).
 *
 * @param {Uint8Array} sinf
 * @returns {Protection | null}
 */
function protection(sinf) {
    let scheme = "";
    let keyID = "";
    for (const box of boxes(sinf)) {
        if (box.type === "schm" && box.body.length >= 8) scheme = String.fromCharCode(...box.body.subarray(4, 8));
        if (box.type !== "schi") continue;
        for (const inner of boxes(box.body)) {
            if (inner.type === "tenc" && inner.body.length >= 24) keyID = hex(inner.body.subarray(8, 24));
        }
    }
    return keyID ? { scheme, keyID } : null;
}

/**
 * Returns the key IDs of common `pssh` boxes (version 1, system ID, a count, 16 bytes each) and of FairPlay's.
 *
 * @param {Uint8Array} bytes
 * @returns {string[]}
 */
function fromPSSH(bytes) {
    /** @type {string[]} */
    const found = [];
    for (const { type, body } of boxes(bytes)) {
        if (type !== "pssh" || body.length < 24) continue;
        const system = hex(body.subarray(4, 20));
        if (system === FAIRPLAY_SYSTEM && body[0] === 0) found.push(...fairPlayKeyIDs(body.subarray(24)));
        if (system !== COMMON_SYSTEM || body[0] === 0) continue;
        const count = new DataView(body.buffer, body.byteOffset).getUint32(20);
        for (let index = 0; index < count && 24 + 16 * (index + 1) <= body.length; index += 1) {
            found.push(hex(body.subarray(24 + 16 * index, 40 + 16 * index)));
        }
    }
    return found;
}

/**
 * Returns the key IDs of FairPlay's `fpsd` boxes: each key is a box `fpsk`, whose box `fkri` contains the key ID after
 * version and flags.
 *
 * @param {Uint8Array} bytes
 * @returns {string[]}
 */
function fairPlayKeyIDs(bytes) {
    /** @type {string[]} */
    const found = [];
    for (const data of boxes(bytes)) {
        if (data.type !== "fpsd") continue;
        for (const key of boxes(data.body)) {
            if (key.type !== "fpsk") continue;
            for (const { type, body } of boxes(key.body)) {
                if (type === "fkri" && body.length >= 20) found.push(hex(body.subarray(4, 20)));
            }
        }
    }
    return found;
}

/**
 * Creates the initialization data for the prefixed API of older Safari: the init data of its event; the length and the
 * content ID in UTF-16LE; the length and the certificate. Lengths are bytes as 32-bit little-endian integers. Apple's
 * guide specifies only "asset ID and certificate"; Safari requires this format.
 *
 * @param {ArrayBuffer | ArrayBufferView} initData
 * @param {string} identifier
 * @param {ArrayBuffer | ArrayBufferView} certificate DER
 * @returns {Uint8Array}
 */
function prefixedInitData(initData, identifier, certificate) {
    const event = bytesOf(initData);
    const der = bytesOf(certificate);
    const joined = new Uint8Array(event.length + 4 + 2 * identifier.length + 4 + der.length);
    const view = new DataView(joined.buffer);
    joined.set(event);
    let at = event.length;
    view.setUint32(at, 2 * identifier.length, true);
    at += 4;
    for (let index = 0; index < identifier.length; index += 1, at += 2) {
        view.setUint16(at, identifier.charCodeAt(index), true);
    }
    view.setUint32(at, der.length, true);
    joined.set(der, at + 4);
    return joined;
}

/**
 * Returns the key URI in the init data of the prefixed API's event: UTF-16LE, with or without a preceding length of
 * four bytes.
 *
 * @param {ArrayBuffer | ArrayBufferView} initData
 * @returns {string} such as `skd://movie`
 */
function prefixedKeyURI(initData) {
    const bytes = bytesOf(initData);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const hasLength = bytes.length >= 4 && view.getUint32(0, true) === bytes.length - 4;
    return new TextDecoder("utf-16le").decode(bytes.subarray(hasLength ? 4 : 0)).replace(/\0+$/, "");
}
return { bytesOf, unshared, hex, fromHex, base64, base64url, fromBase64, keyIDsData, keyIDsOf, contentID, boxes, tracksIn, prefixedInitData, prefixedKeyURI };
})();

const $errors = (() => {
/** @file All errors of playback, each with a stable code and a description for the viewer. */

/**
 * The description of each code, with what to do. docs/browser-playback.md contains the same table; a test compares the
 * two.
 *
 * @type {Readonly<Record<string, string>>}
 */
const MESSAGES = Object.freeze({
    "insecure-page": "Browsers provide keys only to pages loaded over HTTPS or from this machine. Open the page with https://.",
    "no-key-system": "This browser has no key system for this stream. Safari supports FairPlay; other browsers require Clear Key.",
    "certificate-unavailable":
        "The server returned no FairPlay certificate. Check the URL of the key server, and that its operator has added a certificate.",
    "certificate-rejected":
        "The browser rejects the FairPlay certificate of the server. Check that it is the certificate from Apple.",
    "certificate-unknown":
        "The server does not have the FairPlay certificate that this request was made with. Load the page again.",
    "request-unreadable":
        "The server cannot decrypt the browser's request. Check that its private key belongs to its certificate; its audit log contains the cause.",
    "token-unavailable": "The page could not get a playback token. Sign in again.",
    "token-expired": "The playback token has expired. Get a new one and try again.",
    "token-refused":
        "The server rejects the playback token. Sign in again. If that does not help, compare the token with the server's setting authorization.tokens.",
    "license-refused": "The server refuses the key for this stream. Its audit log contains the rule.",
    "too-many-streams": "This account has too many simultaneous streams. Stop one and try again.",
    "too-many-devices": "This account has too many devices. Remove one and try again.",
    "unknown-key": "The server has no key for this stream. Check that the keys of this stream were added to this server.",
    "keys-not-offered": "The server does not issue keys to players without FairPlay. The server's operator can enable this.",
    "too-many-requests": "Too many requests to the server. Wait a minute and try again.",
    "server-busy": "The server is busy. Try again in a few seconds.",
    "server-unreachable":
        "The key server cannot be reached, or it does not allow requests from this page (CORS). Check its URL, and that the server's setting cors.origins contains the origin of this page.",
    "server-failed": "The key server failed. See its log for the cause.",
    "key-rejected":
        "The browser rejects the key from the server. Load the stream again. If that does not help, check the server's credentials.",
    "key-missing":
        "The server returned keys, but not the one that this stream is encrypted with. Check that the keys of this stream were added to this server.",
    "key-expired": "The key has expired. Load the stream again.",
    "output-restricted":
        "The display or its connection does not have the output protection that this stream requires. Use another display.",
    "key-system-failed": "The browser's key system failed. Reload the page.",
    "stalled": "Playback has stopped, because the next part of the stream did not arrive. Check the network, or load the stream again.",
    "live-ended": "The live stream is not updated anymore. Load it again later.",
    "wrong-key":
        "The media cannot be decoded, probably because they were encrypted with a different key. Check the stream with keyway validate.",
    "playlist-unreachable": "The playlist cannot be loaded: it does not exist, or its server does not allow this page to read it (CORS).",
    "playlist-malformed": "The playlist is malformed. Check it with keyway validate.",
    "playlist-unsupported": "This page cannot play this type of playlist. Use a Multivariant Playlist with fragmented MP4 segments.",
    "aes-128-unsupported":
        "The stream uses AES-128 segment encryption, which requires a browser with native HLS. This browser has none.",
    "segment-unreachable": "A media segment cannot be loaded: it does not exist, or its server does not allow this page to read it (CORS).",
    "codec-unsupported": "This browser cannot decode this stream. Use another browser.",
    "media-malformed": "The media is damaged. Check the stream with keyway validate.",
    "decode-failed": "The browser could not decode the media. Check the stream with keyway validate.",
});

/**
 * An error of playback. `code` is for programs, `description` and `detail` are for the viewer; none of them contains a token
 * or a key.
 */
class PlayerError extends Error {
    /**
     * @param {string} code one of {@link MESSAGES}
     * @param {string} [detail] which item, where, or the server's description
     * @param {{problem?: string, reason?: string, status?: number}} [server] the main fields of the server's problem
     * document
     */
    constructor(code, detail = "", server = {}) {
        super(detail ? `${MESSAGES[code]} (${detail})` : MESSAGES[code]);
        this.name = "PlayerError";
        this.code = code;
        this.description = MESSAGES[code];
        this.detail = detail;
        /** The last part of the problem's type, such as `refused-by-policy`; empty if the server did not respond. */
        this.problem = server.problem ?? "";
        /** The rule that refused the request, such as `client-not-protected`. */
        this.reason = server.reason ?? "";
        this.status = server.status ?? 0;
    }

    /**
     * Converts any thrown value to an error of the player.
     *
     * @param {unknown} thrown
     * @param {string} code the code, unless the value is already a {@link PlayerError}
     * @returns {PlayerError}
     */
    static from(thrown, code) {
        if (thrown instanceof PlayerError) return thrown;
        return new PlayerError(code, thrown instanceof Error ? thrown.message : String(thrown));
    }
}

/** @type {Readonly<Record<string, string>>} codes by the server's problem type (without `urn:keyway:problem:`) */
const PROBLEMS = Object.freeze({
    "token-expired": "token-expired",
    "unknown-certificate": "certificate-unknown",
    "unreadable-spc": "request-unreadable",
    "refused-by-policy": "license-refused",
    "asset-mismatch": "license-refused",
    "replayed": "license-refused",
    "forbidden": "license-refused",
    "key-url-expired": "license-refused",
    "key-url-signature": "license-refused",
    "token-already-bound": "token-refused",
    "unauthorized": "token-refused",
    "streams-exceeded": "too-many-streams",
    "devices-exceeded": "too-many-devices",
    "unknown-asset": "unknown-key",
    "not-found": "keys-not-offered",
    "rate-limited": "too-many-requests",
    "overloaded": "server-busy",
    "unavailable": "server-busy",
});

/**
 * Creates the error for a refusal of the server.
 *
 * @param {number} status the status of the response
 * @param {any} document the problem document (RFC 9457), or other content of the response
 * @returns {PlayerError}
 */
function refusal(status, document) {
    const field = (/** @type {string} */ name) => (typeof document?.[name] === "string" ? document[name] : "");
    const problem = field("type").replace(/^urn:keyway:problem:/, "");
    const reason = field("reason");
    const byStatus = status === 404 ? "unknown-key" : status === 401 ? "token-refused" : status < 500 ? "license-refused" : "server-failed";
    const code = PROBLEMS[problem] ?? (problem.startsWith("token-") ? "token-refused" : byStatus);
    return new PlayerError(code, reason || field("detail") || field("title") || `status ${status}`, { problem, reason, status });
}
return { MESSAGES, PlayerError, refusal };
})();

const $adapters = (() => {
const { base64, bytesOf } = $init_data;
const { PlayerError } = $errors;
/** @file Configurations for players of others: hls.js, Shaka Player, dash.js, and video.js with videojs-contrib-eme. */


/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */

const KEY_SYSTEM = "com.apple.fps";

/** The KEYFORMAT of FairPlay in playlists. */
const KEY_FORMAT = "com.apple.streamingkeydelivery";

/**
 * Makes hls.js load segments whose playlist has keys in several formats. Without its own EME controller, hls.js does not
 * choose between them, and reports `keyLoadError`: so it gets playlists with one format. Call this before `loadSource`.
 *
 * @param {any} hls
 */
function chooseKeyFormat(hls) {
    const Loader = hls.config.pLoader ?? hls.config.loader;
    hls.config.pLoader = class extends Loader {
        /** @param {any} context @param {any} config @param {any} callbacks */
        load(context, config, callbacks) {
            super.load(context, config, {
                ...callbacks,
                onSuccess: (/** @type {any} */ response, /** @type {any[]} */ ...others) => {
                    if (typeof response.data === "string") response.data = withOneKeyFormat(response.data);
                    callbacks.onSuccess(response, ...others);
                },
            });
        }
    };
}

/**
 * Removes keys of other formats from a playlist, where segments have keys in several formats.
 *
 * @param {string} playlist
 * @returns {string} with FairPlay's keys, or the first ones if there are none
 */
function withOneKeyFormat(playlist) {
    const lines = playlist.split("\n");
    const format = (/** @type {string} */ line) => /KEYFORMAT="([^"]*)"/.exec(line)?.[1].toLowerCase() ?? "identity";
    /** The indexes of the keys since the last segment. @type {number[]} */
    let keys = [];
    /** @type {Set<number>} */
    const removed = new Set();
    lines.forEach((line, index) => {
        if (/^#EXT-X-KEY:.*METHOD=NONE/.test(line)) keys = [];
        else if (line.startsWith("#EXT-X-KEY:")) keys.push(index);
        if (line.trim() === "" || line.startsWith("#")) return;
        const wanted = keys.find((at) => format(lines[at]) === KEY_FORMAT) ?? keys[0];
        keys.filter((at) => format(lines[at]) !== format(lines[wanted])).forEach((at) => removed.add(at));
        keys = [];
    });
    return lines.filter((_, index) => !removed.has(index)).join("\n");
}

/**
 * Attaches to each element that hls.js plays in.
 *
 * @param {{attach(video: HTMLVideoElement): Promise<void>, detach(): Promise<void>}} fairPlay
 * @param {any} hls
 */
function hlsPlugin(fairPlay, hls) {
    chooseKeyFormat(hls);
    // The errors of `attach` are also events.
    const attach = (/** @type {HTMLVideoElement | null} */ media) => { if (media) void fairPlay.attach(media).catch(() => {}); };
    hls.on("hlsMediaAttaching", (/** @type {string} */ _, /** @type {any} */ data) => attach(data.media));
    hls.on("hlsMediaDetaching", () => { void fairPlay.detach(); });
    hls.on("hlsDestroying", () => { void fairPlay.detach(); });
    attach(hls.media);
}

/** The number of URI schemes that were registered with Shaka Player, whose registry is global. */
let schemes = 0;

/**
 * Makes Shaka Player request licenses with the client of the key server, as a URI scheme: so expired tokens are replaced,
 * a busy server is asked again, and sessions with several keys work.
 *
 * @param {LicenseServer} server
 * @param {(error: PlayerError) => void} failed
 * @param {any} shaka
 * @param {any} player
 */
async function shakaDRM(server, failed, shaka, player) {
    schemes += 1;
    const scheme = `keyway${schemes}`;
    shaka.net.NetworkingEngine.registerScheme(scheme, (/** @type {string} */ uri, /** @type {any} */ request, /** @type {number} */ type) => {
        const answer = async () => {
            try {
                const isList = bytesOf(request.body)[0] === 0x5b;
                const data = await server.fairPlayMessage(bytesOf(request.body), isList ? "cenc" : "sinf", { refused: failed });
                return { uri, originalUri: uri, data: data.slice().buffer, status: 200, headers: {} };
            } catch (error) {
                const failure = PlayerError.from(error, "key-system-failed");
                failed(failure);
                const { Severity, Category, Code } = shaka.util.Error;
                throw new shaka.util.Error(Severity.CRITICAL, Category.NETWORK, Code.BAD_HTTP_STATUS,
                    uri, failure.status, failure.message, {}, type);
            }
        };
        return shaka.util.AbortableOperation.notAbortable(answer());
    });
    player.configure({
        drm: {
            servers: { [KEY_SYSTEM]: `${scheme}:license` },
            advanced: { [KEY_SYSTEM]: { serverCertificate: await server.certificate() } },
        },
    });
}

/**
 * Configures dash.js: the license URL, the certificate, and a token for each license request.
 *
 * @param {LicenseServer} server
 * @param {any} player
 */
async function dashProtection(server, player) {
    player.setProtectionData({
        [KEY_SYSTEM]: { serverURL: server.url("fps/license"), serverCertificate: base64(await server.certificate()) },
    });
    let isFirst = true;
    player.registerLicenseRequestFilter(async (/** @type {any} */ request) => {
        // dash.js does not repeat a request that was rejected, so every request has a new token.
        const token = await server.token(!isFirst);
        isFirst = false;
        if (token) request.headers = { ...request.headers, Authorization: `Bearer ${token}` };
        request.withCredentials = false;
    });
}

/**
 * Returns the key systems for videojs-contrib-eme: the standard API, and the prefixed one of older Safari.
 *
 * @param {LicenseServer} server
 * @param {(error: PlayerError) => void} failed
 */
function videoJSKeySystems(server, failed) {
    const result = (/** @type {Promise<Uint8Array>} */ promise, /** @type {(error: unknown, data?: Uint8Array) => void} */ callback) => {
        promise.then((data) => callback(null, data), (error) => {
            const failure = PlayerError.from(error, "key-system-failed");
            failed(failure);
            callback(failure);
        });
    };
    const getCertificate = (/** @type {any} */ _, /** @type {any} */ callback) => result(server.certificate(), callback);
    const getLicense = (/** @type {any} */ _, /** @type {any} */ __, /** @type {ArrayBuffer | ArrayBufferView} */ message, /** @type {any} */ callback) =>
        result(server.fairPlay(bytesOf(message)), callback);
    // The prefixed API's data begin with a length.
    const getContentId = (/** @type {any} */ _, /** @type {string} */ uri) => uri.replace(/^[^]*?skd:\/\//i, "");
    const methods = { getCertificate, getContentId, getLicense };
    return {
        // Native HLS gives key URIs, a MediaSource the boxes of the media.
        [KEY_SYSTEM]: {
            ...methods, initDataTypes: ["skd", "sinf"], audioContentType: "audio/mp4", videoContentType: "video/mp4",
        },
        [`${KEY_SYSTEM}.1_0`]: methods,
    };
}
return { chooseKeyFormat, withOneKeyFormat, hlsPlugin, shakaDRM, dashProtection, videoJSKeySystems };
})();

const $key_system = (() => {
/** @file The choice of a key system of the browser. */

/** @typedef {"com.apple.fps" | "org.w3.clearkey"} KeySystem */

/** The types of initialization data for each key system, the most informative first. */
const INIT_DATA_TYPES = Object.freeze({
    "com.apple.fps": ["sinf", "skd", "cenc", "mpts"],
    "org.w3.clearkey": ["keyids", "cenc"],
});

/**
 * Requests a key system from the browser.
 *
 * @param {KeySystem[]} systems the systems that the stream has keys for, in order of preference
 * @param {string[]} contentTypes with codecs, such as `video/mp4; codecs="avc1.64001f"`
 * @param {string} [scheme] the encryption scheme of the media, such as `cbcs`
 * @returns {Promise<MediaKeySystemAccess | null>} null if the browser supports none of them
 */
async function findKeySystem(systems, contentTypes, scheme) {
    if (!navigator.requestMediaKeySystemAccess) return null;
    const capabilities = (/** @type {string} */ kind) => contentTypes
        .filter((type) => type.startsWith(kind + "/"))
        .map((contentType) => (scheme ? { contentType, encryptionScheme: scheme } : { contentType }));
    for (const system of systems) {
        /** @type {any} */
        const configuration = { initDataTypes: INIT_DATA_TYPES[system], sessionTypes: ["temporary"] };
        // An empty list would mean that the stream has no media of this kind.
        if (capabilities("audio").length) configuration.audioCapabilities = capabilities("audio");
        if (capabilities("video").length) configuration.videoCapabilities = capabilities("video");
        try {
            return await navigator.requestMediaKeySystemAccess(system, [configuration]);
        } catch {
            // Try the next key system.
        }
    }
    return null;
}
return { findKeySystem };
})();

const $keys = (() => {
const { base64, base64url, bytesOf, fromBase64, fromHex, hex, keyIDsData, keyIDsOf, unshared } = $init_data;
const { PlayerError } = $errors;
/** @file Keys with Encrypted Media Extensions: `com.apple.fps` and `org.w3.clearkey`. */


/** @typedef {import("./key-system.js").KeySystem} KeySystem */
/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */

/** The error codes of key statuses that are errors. */
const STATUS_ERRORS = Object.freeze(/** @type {Record<string, string>} */ ({
    "expired": "key-expired",
    "output-restricted": "output-restricted",
    "internal-error": "key-system-failed",
}));

/** The event of WebKit for the start and the end of AirPlay. */
const TARGET_CHANGED = "webkitcurrentplaybacktargetiswirelesschanged";

/** The message that makes WebKit's FairPlay create an SPC for the renewal of a key. */
const RENEW = new TextEncoder().encode("renew");

/**
 * @typedef {object} KeyEvents
 * @property {(keyID: string, status: string) => void} status a key ID in hexadecimal digits, and the key's status
 * @property {(error: PlayerError) => void} failure
 * @property {() => boolean} [unsupported] called if the browser rejects initialization data as not supported; returns
 * true if the caller requests the key in another way
 */

/** The maximum number of sessions, each of which may have several keys. */
const MAXIMUM_SESSIONS = 24;

/** Errors after which the same key can be requested again. */
const TRANSIENT = new Set(["server-unreachable", "server-busy", "too-many-requests", "token-unavailable", "token-expired"]);

/**
 * The keys of one session.
 *
 * @typedef {object} SessionKeys
 * @property {string} type the type of the initialization data
 * @property {Uint8Array} data
 * @property {string} name
 * @property {string[]} keyIDs in hexadecimal digits; empty if they are not known
 * @property {string[]} identifiers the key IDs in the browser's messages, in base64
 */

/**
 * The keys that were set last for each element, and when that is done: browsers reject a change during another one.
 *
 * @type {WeakMap<HTMLVideoElement, {mediaKeys: MediaKeys | null, done: Promise<void>}>}
 */
const changes = new WeakMap();

/**
 * Sets the keys of an element after all previous changes.
 *
 * @param {HTMLVideoElement} video
 * @param {MediaKeys | null} mediaKeys
 * @param {() => boolean} [isWanted] whether to set them, called after the previous changes
 */
async function setMediaKeys(video, mediaKeys, isWanted = () => true) {
    const previous = changes.get(video)?.done ?? Promise.resolve();
    const change = previous.then(async () => { if (isWanted()) await video.setMediaKeys(mediaKeys); });
    changes.set(video, { mediaKeys, done: change.catch(() => {}) });
    await change;
}

/** The keys of one video element. Each set of initialization data has its own session. */
class Keys {
    /** Sessions by key IDs or initialization data. @type {Map<string, MediaKeySession>} */
    #sessions = new Map();
    /** The keys of each session. @type {WeakMap<MediaKeySession, SessionKeys>} */
    #entries = new WeakMap();
    /** Key IDs that were requested. @type {Set<string>} */
    #requested = new Set();
    /** The status of each key. @type {Map<string, string>} */
    #statuses = new Map();
    /** Keys from a playlist's key URI, by key ID; they need no license request. @type {Map<string, Promise<Uint8Array>>} */
    #playlistKeys = new Map();
    /** Sessions that were replaced when the playback target changed. @type {MediaKeySession[]} */
    #replaced = [];
    /** Keys whose request failed for a reason that may pass, by name. @type {Map<string, SessionKeys>} */
    #failed = new Map();
    /** Ends the requests to the key server. */
    #abort = new AbortController();
    #video;
    #mediaKeys;
    #server;
    #events;
    #minHdcpVersion;
    /** @type {(event: any) => void} */
    #onEncrypted = (event) => { if (event.initData) void this.need(event.initDataType, event.initData); };
    #onTarget = () => this.#forget();

    /**
     * @param {HTMLVideoElement} video
     * @param {KeySystem} system
     * @param {MediaKeys} mediaKeys
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @param {string} minHdcpVersion
     */
    constructor(video, system, mediaKeys, server, events, minHdcpVersion) {
        this.#video = video;
        this.#minHdcpVersion = minHdcpVersion;
        this.system = system;
        this.#mediaKeys = mediaKeys;
        this.#server = server;
        this.#events = events;
        video.addEventListener("encrypted", this.#onEncrypted);
        video.addEventListener(TARGET_CHANGED, this.#onTarget);
    }

    /**
     * Prepares a video element for encrypted media.
     *
     * @param {HTMLVideoElement} video
     * @param {MediaKeySystemAccess} access
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @param {string} [minHdcpVersion] the HDCP version that the stream requires, such as `1.4`; empty for none
     * @param {() => boolean} [isCurrent] whether the element must still get these keys
     * @returns {Promise<Keys | null>} null if `isCurrent` returned false
     * @throws {PlayerError}
     */
    static async attach(video, access, server, events, minHdcpVersion = "", isCurrent = () => true) {
        const system = /** @type {KeySystem} */ (access.keySystem);
        const mediaKeys = await access.createMediaKeys();
        // FairPlay creates no SPC without a certificate.
        if (system === "com.apple.fps") await setCertificate(mediaKeys, await server.certificate());
        if (!isCurrent()) return null;
        await setMediaKeys(video, mediaKeys, isCurrent);
        return new Keys(video, system, mediaKeys, server, events, minHdcpVersion);
    }

    /** The status of each key, by key ID in hexadecimal digits. @returns {ReadonlyMap<string, string>} */
    get statuses() {
        return this.#statuses;
    }

    /**
     * Requests the keys of some initialization data, unless they were requested before.
     *
     * @param {string} type
     * @param {ArrayBuffer | ArrayBufferView} data
     */
    async need(type, data) {
        if (this.#isClosed) return;
        const keyIDs = keyIDsOf(type, data);
        const name = keyIDs.length ? keyIDs.join() : type + ":" + base64(data);
        if (this.#sessions.has(name) || (keyIDs.length && keyIDs.every((keyID) => this.#requested.has(keyID)))) return;
        // For Clear Key, `pssh` boxes of other systems are useless: the key IDs come from the playlist or the init
        // segment.
        if (this.system === "org.w3.clearkey" && !keyIDs.length) return;
        keyIDs.forEach((keyID) => this.#requested.add(keyID));
        // The browser may reuse the buffer of an event.
        /** @type {SessionKeys} */
        const keys = { type, data: bytesOf(data).slice(), name, keyIDs, identifiers: [] };
        this.#failed.delete(name);
        try {
            const session = this.#mediaKeys.createSession();
            this.#sessions.set(name, session);
            this.#entries.set(session, keys);
            this.#closeOldest();
            session.addEventListener("message", (event) => { void this.#answer(session, event, keys); });
            session.addEventListener("keystatuseschange", () => this.#updateStatuses(session));
            await this.#checkOutput();
            if (this.#isClosed) return;
            await session.generateRequest(type, unshared(keys.data));
        } catch (error) {
            this.#discard(keys);
            const isUnsupported = error instanceof Error && error.name === "NotSupportedError";
            if (isUnsupported && !this.#isClosed && this.#events.unsupported?.()) return;
            if (error instanceof PlayerError && error.code === "output-restricted") this.#remember(keys);
            this.#fail(error, "key-system-failed");
        }
    }

    /**
     * Stores keys whose request failed, so that `renew` requests them again: the media do not send their initialization data again.
     *
     * @param {SessionKeys} keys
     */
    #remember(keys) {
        this.#failed.set(keys.name, keys);
        const [oldest] = this.#failed.keys();
        if (this.#failed.size > MAXIMUM_SESSIONS) this.#failed.delete(oldest);
    }

    /**
     * Throws if the output does not have the required HDCP version, before a license is requested. Browsers without
     * `getStatusForPolicy` report the restriction as a key status later.
     */
    async #checkOutput() {
        /** @type {any} */
        const mediaKeys = this.#mediaKeys;
        if (!this.#minHdcpVersion || !mediaKeys.getStatusForPolicy) return;
        const status = await mediaKeys.getStatusForPolicy({ minHdcpVersion: this.#minHdcpVersion }).catch(() => "usable");
        if (status === "output-restricted") throw new PlayerError("output-restricted", `HDCP ${this.#minHdcpVersion}`);
    }

    /** Closes the oldest session if there are too many, as in a live stream that changes its keys for days. */
    #closeOldest() {
        const [oldest] = this.#sessions.values();
        const keys = this.#sessions.size > MAXIMUM_SESSIONS && this.#entries.get(oldest);
        if (!keys) return;
        this.#discard(keys);
        keys.keyIDs.forEach((keyID) => this.#statuses.delete(keyID));
        void oldest.close().catch(() => {});
    }

    /** Makes sure that keys are requested again: another playback target (AirPlay) cannot use the same licenses. */
    #forget() {
        // The previous target may still play until the next one has its keys.
        for (const session of this.#replaced) void session.close().catch(() => {});
        this.#replaced = [...this.#sessions.values()];
        this.#sessions.clear();
        this.#requested.clear();
    }

    /**
     * Requests a key by its ID. FairPlay keys are requested by the media's initialization data instead.
     *
     * @param {string} keyID in hexadecimal digits
     * @param {Promise<Uint8Array>} [key] the key, if the playlist contains its URL
     */
    async needKeyID(keyID, key) {
        if (this.system !== "org.w3.clearkey") return;
        if (key) this.#playlistKeys.set(keyID, key);
        await this.need("keyids", keyIDsData([keyID]));
    }

    /**
     * Requests every key again, before its lease expires, and keys whose request failed. Clear Key keys do not expire.
     */
    async renew() {
        const failed = [...this.#failed.values()];
        this.#failed.clear();
        for (const { type, data } of failed) void this.need(type, data);
        if (this.system !== "com.apple.fps") return;
        for (const session of this.#sessions.values()) {
            try {
                await session.update(RENEW);
            } catch (error) {
                this.#fail(error, "key-rejected");
            }
        }
    }

    /** Closes all sessions and removes the keys from the element. */
    async close() {
        this.#abort.abort();
        this.#failed.clear();
        this.#video.removeEventListener("encrypted", this.#onEncrypted);
        this.#video.removeEventListener(TARGET_CHANGED, this.#onTarget);
        // A session whose request failed rejects; keys leave the element in any case.
        await Promise.allSettled([...this.#replaced, ...this.#sessions.values()].map((session) => session.close()));
        this.#sessions.clear();
        // Another object may have set its keys in the meantime.
        if (changes.get(this.#video)?.mediaKeys === this.#mediaKeys) await setMediaKeys(this.#video, null).catch(() => {});
    }

    /**
     * Requests a license for the browser's message and passes it to the session.
     *
     * @param {MediaKeySession} session
     * @param {MediaKeyMessageEvent} event
     * @param {SessionKeys} keys
     */
    async #answer(session, event, keys) {
        // Other messages, such as "individualization-request", are not for the key server.
        if (event.messageType !== "license-request" && event.messageType !== "license-renewal") return;
        if (this.#isClosed) return;
        try {
            const license = await this.#license(new Uint8Array(event.message), keys);
            if (this.#isClosed) return;
            try {
                await session.update(unshared(license));
            } catch (error) {
                throw PlayerError.from(error, "key-rejected");
            }
            this.#updateStatuses(session);
        } catch (error) {
            if (error instanceof PlayerError && TRANSIENT.has(error.code) && event.messageType === "license-request") {
                this.#discard(keys);
                this.#remember(keys);
                void session.close().catch(() => {});
            }
            this.#fail(error, "key-system-failed");
        }
    }

    /**
     * @param {Uint8Array} message
     * @param {SessionKeys} keys
     * @returns {Promise<Uint8Array>}
     */
    async #license(message, { type, identifiers }) {
        if (this.system === "com.apple.fps") {
            const refused = (/** @type {PlayerError} */ error) => this.#fail(error, "license-refused");
            return await this.#server.fairPlayMessage(message, type, { keyIDs: identifiers, refused, signal: this.#abort.signal });
        }
        const text = new TextDecoder().decode(message);
        /** @type {string[]} */
        const asked = JSON.parse(text).kids.map((/** @type {string} */ kid) => hex(fromBase64(kid) ?? new Uint8Array()));
        if (asked.every((keyID) => this.#playlistKeys.has(keyID))) {
            const keys = await Promise.all(asked.map(async (keyID) => ({
                kty: "oct",
                kid: base64url(fromHex(keyID) ?? new Uint8Array()),
                k: base64url(await /** @type {Promise<Uint8Array>} */ (this.#playlistKeys.get(keyID))),
            })));
            return new TextEncoder().encode(JSON.stringify({ keys, type: "temporary" }));
        }
        const license = await this.#server.clearKey(message, this.#abort.signal);
        const got = JSON.parse(new TextDecoder().decode(license)).keys.map((/** @type {any} */ key) => hex(fromBase64(key.kid) ?? new Uint8Array()));
        const missing = asked.filter((keyID) => !got.includes(keyID));
        if (missing.length) throw new PlayerError("key-missing", missing.join(", "));
        return license;
    }

    /** @param {MediaKeySession} session */
    #updateStatuses(session) {
        session.keyStatuses.forEach((status, keyID) => {
            const name = readable(keyID);
            if (this.#statuses.get(name) === status) return;
            this.#statuses.set(name, status);
            this.#events.status(name, status);
            if (status in STATUS_ERRORS) this.#fail(new PlayerError(STATUS_ERRORS[status], name), "key-system-failed");
        });
    }

    get #isClosed() {
        return this.#abort.signal.aborted;
    }

    /** @param {SessionKeys} keys */
    #discard({ name, keyIDs }) {
        this.#sessions.delete(name);
        keyIDs.forEach((keyID) => this.#requested.delete(keyID));
    }

    /**
     * @param {unknown} error
     * @param {string} code
     */
    #fail(error, code) {
        if (!this.#isClosed) this.#events.failure(PlayerError.from(error, code));
    }
}

/**
 * Sets the application certificate.
 *
 * @param {MediaKeys} mediaKeys
 * @param {Uint8Array} certificate DER
 * @throws {PlayerError} if the browser does not accept it
 */
async function setCertificate(mediaKeys, certificate) {
    // Browsers reject a certificate that they cannot read, or return false.
    const isSet = await mediaKeys.setServerCertificate(unshared(certificate)).catch((error) => {
        throw PlayerError.from(error, "certificate-rejected");
    });
    if (!isSet) throw new PlayerError("certificate-rejected");
}

/**
 * Returns a readable key ID. For `skd`, WebKit's key ID is the complete URI; other key IDs have 16 bytes.
 *
 * @param {ArrayBuffer | ArrayBufferView} keyID
 * @returns {string}
 */
function readable(keyID) {
    const bytes = bytesOf(keyID);
    return bytes.length !== 16 && /^skd:/i.test(String.fromCharCode(...bytes.subarray(0, 4)))
        ? new TextDecoder().decode(bytes)
        : hex(bytes);
}
return { TARGET_CHANGED, TRANSIENT, Keys };
})();

const $licenses = (() => {
const { base64, fromBase64, unshared } = $init_data;
const { PlayerError, refusal } = $errors;
/** @file Requests to the key server: certificate, licenses, Clear Key licenses; with token refresh. */


/**
 * Returns a playback token, or null for none. `isRefresh` is true if the server has rejected the previous token.
 *
 * @typedef {(request: {isRefresh: boolean}) => Promise<string | null> | string | null} TokenSource
 */

/**
 * One request to the server, as reported to the page.
 *
 * @typedef {object} KeyRequest
 * @property {"certificate" | "fairplay" | "clearkey" | "key"} kind
 * @property {number} status the status of the response; 0 without a response
 * @property {number} milliseconds
 * @property {string} problem the problem type of a refusal; empty after success
 * @property {string} reason the rule that refused the request
 */

/** The number of retries when the server is busy, and the maximum wait before a retry, in seconds. */
const RETRIES = 2;
const MAXIMUM_WAIT = 10;

/** Visible ASCII characters: a token has no others (RFC 6750, section 2.1, and the accounts of development servers). */
const TOKEN = /^[!-~]+$/;

/** The maximum time for a response to arrive, in milliseconds. */
const DEADLINE = 30_000;

/** A client of the key server for one player. */
class LicenseServer {
    /** @type {Promise<Uint8Array> | null} */
    #certificate = null;
    /** @type {string | null | undefined} undefined before the first token */
    #token = undefined;
    /** @type {Promise<string | null> | null} */
    #pendingToken = null;
    #base;
    #app;
    #source;
    #report;

    /**
     * @param {string} server the server's URL, such as `https://keys.example.com`
     * @param {object} [options]
     * @param {TokenSource} [options.token]
     * @param {string} [options.app] the name of the certificate, if the server has several
     * @param {(request: KeyRequest) => void} [options.report]
     */
    constructor(server, options = {}) {
        this.#base = new URL(server.endsWith("/") ? server : server + "/", globalThis.location?.href);
        this.#app = options.app;
        this.#source = options.token ?? (() => null);
        this.#report = options.report ?? (() => {});
    }

    /**
     * Returns the application certificate, which is fetched once.
     *
     * @returns {Promise<Uint8Array>} DER
     */
    certificate() {
        const fetched = this.#certificate ?? this.#fetchCertificate();
        this.#certificate = fetched;
        // A failed request is repeated at the next call.
        fetched.catch(() => { this.#certificate = null; });
        return fetched;
    }

    async #fetchCertificate() {
        try {
            const certificate = await this.#send("certificate", this.certificateURL, { method: "GET" });
            // A certificate is a SEQUENCE in DER. Web servers often return a page for every URL.
            if (certificate[0] !== 0x30) throw new PlayerError("certificate-unavailable", `${this.certificateURL} is not a certificate`);
            return certificate;
        } catch (error) {
            const known = PlayerError.from(error, "certificate-unavailable");
            if (known.code === "server-unreachable" || known.code === "server-busy") throw known;
            throw new PlayerError("certificate-unavailable", known.detail, known);
        }
    }

    /**
     * Returns a playback token for a player that sends its own requests.
     *
     * @param {boolean} isRefresh true if the server has rejected the previous token
     * @returns {Promise<string | null>}
     */
    token(isRefresh) {
        return this.#getToken(isRefresh);
    }

    /**
     * @param {string} path relative to the server's URL
     * @returns {string} the URL
     */
    url(path) {
        return new URL(path, this.#base).href;
    }

    /** The URL of the application certificate. @returns {string} */
    get certificateURL() {
        return this.url("fps/certificate" + (this.#app ? `?app=${encodeURIComponent(this.#app)}` : ""));
    }

    /**
     * Answers a message of a FairPlay key session.
     *
     * For `pssh` boxes, WebKit requests several keys at once: `[{"keyID": base64, "payload": the SPC in base64}, ...]`.
     * It expects an array of CKCs, with an error instead of a payload for a key that was refused. A renewal in such a
     * session is a single SPC, for the last key, and its answer is an array too.
     *
     * @param {Uint8Array} message
     * @param {string} type the type of the initialization data
     * @param {object} [options]
     * @param {string[]} [options.keyIDs] the key IDs of the session in base64; those of the message are added
     * @param {(error: PlayerError) => void} [options.refused] called for each refused key, unless all are refused
     * @param {AbortSignal} [options.signal] ends the request
     * @returns {Promise<Uint8Array>} the argument of the session's `update`
     */
    async fairPlayMessage(message, type, { keyIDs = [], refused = () => {}, signal } = {}) {
        if (type !== "cenc") return await this.fairPlay(message, signal);
        const items = spcsIn(message);
        if (!items) {
            const payload = base64(await this.fairPlay(message, signal));
            return new TextEncoder().encode(JSON.stringify([{ keyID: keyIDs.at(-1) ?? "", payload }]));
        }
        keyIDs.push(...items.map(({ keyID }) => keyID).filter((keyID) => !keyIDs.includes(keyID)));
        const answers = await this.fairPlayBatch(items.map(({ payload }) => fromBase64(payload) ?? new Uint8Array()), signal);
        const errors = answers.filter((answer) => answer instanceof PlayerError);
        if (errors.length === answers.length) throw errors[0] ?? new PlayerError("key-system-failed", "no SPC");
        errors.forEach(refused);
        return new TextEncoder().encode(JSON.stringify(answers.map((answer, index) => (answer instanceof PlayerError
            ? { keyID: items[index].keyID, error: answer.status || 500 }
            : { keyID: items[index].keyID, payload: base64(answer) }))));
    }

    /**
     * Requests a FairPlay license.
     *
     * @param {Uint8Array} spc
     * @param {AbortSignal} [signal] ends the request
     * @returns {Promise<Uint8Array>} the CKC
     */
    async fairPlay(spc, signal) {
        const headers = { "Content-Type": "application/octet-stream" };
        return await this.#sendWithToken("fairplay", "fps/license", { method: "POST", headers, body: unshared(spc), signal });
    }

    /**
     * Requests several FairPlay licenses in one request. Refused licenses do not affect the others.
     *
     * @param {Uint8Array[]} spcs
     * @param {AbortSignal} [signal] ends the request
     * @returns {Promise<(Uint8Array | PlayerError)[]>} in the same order
     */
    async fairPlayBatch(spcs, signal) {
        const items = spcs.map((spc, index) => ({ id: index + 1, spc: base64(spc) }));
        const body = JSON.stringify({ "fairplay-streaming-request": { version: 1, "create-ckc": items } });
        const headers = { "Content-Type": "application/json" };
        const answer = await this.#sendWithToken("fairplay", "fps/licenses", { method: "POST", headers, body, signal });
        const response = json(answer)?.["fairplay-streaming-response"]?.["create-ckc"] ?? [];
        return spcs.map((_, index) => {
            const item = response.find((/** @type {any} */ one) => one.id === index + 1);
            const ckc = typeof item?.ckc === "string" ? fromBase64(item.ckc) : null;
            return item?.status === 0 && ckc ? ckc : refusal(item?.status || 500, item?.problem);
        });
    }

    /**
     * Requests a Clear Key license.
     *
     * @param {Uint8Array} message the browser's license request
     * @param {AbortSignal} [signal] ends the request
     * @returns {Promise<Uint8Array>} the license in JSON
     */
    async clearKey(message, signal) {
        const headers = { "Content-Type": "application/json" };
        return await this.#sendWithToken("clearkey", "clearkey", { method: "POST", headers, body: unshared(message), signal });
    }

    /**
     * Fetches the 16-byte key of a playlist's key URI. The token is sent only to the key server itself.
     *
     * @param {string} url
     * @returns {Promise<Uint8Array>}
     */
    async key(url) {
        const isOwn = new URL(url).href.startsWith(this.#base.href);
        const key = await (isOwn ? this.#sendWithToken("key", url, { method: "GET" }) : this.#send("key", url, { method: "GET" }));
        if (key.length !== 16) throw new PlayerError("key-rejected", `a key has 16 bytes, not ${key.length}`);
        return key;
    }

    /**
     * Sends a request with the token, and repeats it with a new token if the server rejects the first one.
     *
     * @param {KeyRequest["kind"]} kind
     * @param {string} path
     * @param {RequestInit} init
     */
    async #sendWithToken(kind, path, init) {
        const token = await this.#getToken(false);
        try {
            return await this.#send(kind, path, init, token);
        } catch (error) {
            if (!(error instanceof PlayerError) || error.status !== 401) throw error;
            // Another request may have fetched a new token in the meantime.
            const other = this.#token !== token ? this.#token ?? null : await this.#getToken(true);
            if (other === token) throw error;
            return await this.#send(kind, path, init, other);
        }
    }

    /**
     * @param {boolean} isRefresh
     * @returns {Promise<string | null>}
     */
    #getToken(isRefresh) {
        if (!isRefresh && this.#token !== undefined) return Promise.resolve(this.#token);
        // Several keys are requested at the same time: one call of the token source serves all of them.
        this.#pendingToken ??= (async () => {
            try {
                // The assignment above must come first, even if the function throws at once.
                await undefined;
                const token = (await this.#source({ isRefresh }))?.trim() || null;
                // Such as an error page of the page's own server. The text may be secret, so the error does not contain it.
                if (token && !TOKEN.test(token)) throw new PlayerError("token-unavailable", "what the page got is not a token");
                this.#token = token;
                return token;
            } catch (error) {
                throw PlayerError.from(error, "token-unavailable");
            } finally {
                this.#pendingToken = null;
            }
        })();
        return this.#pendingToken;
    }

    /**
     * @param {KeyRequest["kind"]} kind
     * @param {string} path
     * @param {RequestInit} init
     * @param {string | null} [token]
     * @returns {Promise<Uint8Array>} the body of a successful response
     */
    async #send(kind, path, init, token = null) {
        const headers = new Headers(init.headers);
        // The page may have stopped playback while it got a token.
        throwIfAborted(init.signal);
        if (token) headers.set("Authorization", `Bearer ${token}`);
        for (let attempt = 0; ; attempt += 1) {
            const start = performance.now();
            const report = (/** @type {number} */ status, problem = "", reason = "") => this.#report(
                { kind, status, milliseconds: performance.now() - start, problem, reason });
            /** @type {Response} */
            let answer;
            /** @type {Uint8Array} */
            let body;
            const { signal, end } = deadline(init.signal);
            try {
                answer = await fetch(new URL(path, this.#base), { ...init, headers, credentials: "omit", cache: "no-store", signal });
                body = new Uint8Array(await answer.arrayBuffer());
            } catch (error) {
                if (init.signal?.aborted) throw error;
                // Browsers do not reveal to a page whether the server is unreachable or CORS forbids access to the
                // response.
                report(0, "unreachable");
                throw new PlayerError("server-unreachable", this.#base.origin);
            } finally {
                end();
            }
            if (answer.ok) {
                report(answer.status);
                return body;
            }
            const error = refusal(answer.status, json(body));
            report(answer.status, error.problem || `status ${answer.status}`, error.reason);
            const seconds = Number(answer.headers.get("Retry-After"));
            const isTransient = (answer.status === 429 || answer.status === 503) && seconds <= MAXIMUM_WAIT;
            if (!isTransient || attempt >= RETRIES) throw error;
            await new Promise((resume) => { setTimeout(resume, 1000 * Math.max(seconds, 1)); });
            throwIfAborted(init.signal);
        }
    }
}

/**
 * Returns a signal that ends a request with another signal, or after the maximum time. `end` must be called after the
 * request. (Older versions of Safari do not have `AbortSignal.any`.)
 *
 * @param {AbortSignal | null} [other]
 */
function deadline(other) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const timer = setTimeout(abort, DEADLINE);
    other?.addEventListener("abort", abort);
    const end = () => {
        clearTimeout(timer);
        other?.removeEventListener("abort", abort);
    };
    return { signal: controller.signal, end };
}

/** @param {AbortSignal | null} [signal] */
function throwIfAborted(signal) {
    if (signal?.aborted) throw new DOMException("The request was ended.", "AbortError");
}

/** @param {Uint8Array} body @returns {any} null if it is not JSON */
function json(body) {
    try {
        return JSON.parse(new TextDecoder().decode(body));
    } catch {
        return null;
    }
}

/**
 * @param {Uint8Array} message
 * @returns {{keyID: string, payload: string}[] | null} null if the message is not an array of SPCs, but a single SPC
 */
function spcsIn(message) {
    // An SPC begins with its version, 1 to 3 in four bytes.
    if (message[0] !== 0x5b) return null;
    try {
        const items = JSON.parse(new TextDecoder().decode(message));
        const isComplete = Array.isArray(items) && items.every((item) => typeof item?.keyID === "string" && typeof item.payload === "string");
        return isComplete ? items : null;
    } catch {
        return null;
    }
}
return { LicenseServer };
})();

const $webkit_keys = (() => {
const { base64, contentID, prefixedInitData, prefixedKeyURI } = $init_data;
const { PlayerError } = $errors;
const { TARGET_CHANGED, TRANSIENT } = $keys;
/** @file Keys with the prefixed API of Safari (`WebKitMediaKeys`), for FairPlay with native HLS and with a MediaSource. */


/** @typedef {import("./licenses.js").LicenseServer} LicenseServer */
/** @typedef {import("./keys.js").KeyEvents} KeyEvents */

/** The key system for native HLS, whose initialization data contain the certificate. */
const KEY_SYSTEM = "com.apple.fps.1_0";
/** The key systems for a MediaSource, the preferred one first. They ask for the certificate in a message. */
const SOURCE_KEY_SYSTEMS = ["com.apple.fps.3_0", "com.apple.fps.2_0"];
/** The message that asks for the certificate. */
const CERTIFICATE_REQUEST = "certificate";

/** The names of the error codes of `webkitkeyerror`. */
const ERRORS = ["", "unknown", "client", "service", "output", "hardware change", "domain"];

/** @param {string} system @returns {boolean} whether this browser has the prefixed API with this key system */
function supports(system) {
    return Boolean(/** @type {any} */ (globalThis).WebKitMediaKeys?.isTypeSupported?.(system, "video/mp4"));
}

/** @returns {boolean} whether this browser has the prefixed API with FairPlay for native HLS */
function hasPrefixedKeys() {
    return supports(KEY_SYSTEM);
}

/** The keys of one video element. Each key URI, or with a MediaSource each initialization data, has its own session. */
class PrefixedKeys {
    /** @type {Map<string, any>} */
    #sessions = new Map();
    /** @type {Map<string, string>} */
    #statuses = new Map();
    /** Initialization data of keys whose request failed for a reason that may pass. @type {Map<string, ArrayBuffer | ArrayBufferView>} */
    #failed = new Map();
    /** Sessions that were replaced when the playback target changed. @type {any[]} */
    #replaced = [];
    /** Ends the requests to the key server. */
    #abort = new AbortController();
    #video;
    #server;
    #certificate;
    #events;
    /** @type {(event: any) => void} */
    #onNeedKey = (event) => this.need(event.initData);
    /** Makes sure that keys are requested again, because another playback target cannot use the same licenses. */
    #onTarget = () => {
        this.#replaced.forEach(close);
        this.#replaced = [...this.#sessions.values()];
        this.#sessions.clear();
    };

    /**
     * @param {HTMLVideoElement} video
     * @param {LicenseServer} server
     * @param {Uint8Array} certificate
     * @param {KeyEvents} events
     */
    constructor(video, server, certificate, events) {
        this.#video = /** @type {any} */ (video);
        this.#server = server;
        this.#certificate = certificate;
        this.#events = events;
        this.system = KEY_SYSTEM;
        video.addEventListener("webkitneedkey", this.#onNeedKey);
        video.addEventListener(TARGET_CHANGED, this.#onTarget);
    }

    /**
     * Prepares a video element for encrypted media.
     *
     * @param {HTMLVideoElement} video
     * @param {LicenseServer} server
     * @param {KeyEvents} events
     * @returns {Promise<PrefixedKeys>}
     */
    static async attach(video, server, events) {
        return new PrefixedKeys(video, server, await server.certificate(), events);
    }

    /** The status of each key, by key URI. @returns {ReadonlyMap<string, string>} */
    get statuses() {
        return this.#statuses;
    }

    /** Does nothing: with this API, the media's initialization data identify the keys. */
    async needKeyID() {}

    /** Requests every key again, before its lease expires, and keys whose request failed. */
    async renew() {
        const failed = [...this.#failed.values()];
        this.#failed.clear();
        failed.forEach((data) => this.need(data));
        for (const session of this.#sessions.values()) {
            try {
                session.update(new TextEncoder().encode("renew"));
            } catch (error) {
                this.#fail(error, "key-rejected");
            }
        }
    }

    /** Closes all sessions and removes the keys from the element. */
    async close() {
        this.#abort.abort();
        this.#video.removeEventListener("webkitneedkey", this.#onNeedKey);
        this.#video.removeEventListener(TARGET_CHANGED, this.#onTarget);
        [...this.#replaced, ...this.#sessions.values()].forEach(close);
        this.#sessions.clear();
        this.#video.webkitSetMediaKeys?.(null);
    }

    /**
     * Requests the key of some initialization data, unless it was requested before.
     *
     * @param {ArrayBuffer | ArrayBufferView} initData
     */
    need(initData) {
        const hasSource = this.#hasMediaSource();
        const name = hasSource ? base64(initData) : prefixedKeyURI(initData);
        if (this.#isClosed || this.#sessions.has(name)) return;
        this.#failed.delete(name);
        try {
            if (!this.#video.webkitKeys) {
                const system = (hasSource && SOURCE_KEY_SYSTEMS.find(supports)) || KEY_SYSTEM;
                this.#video.webkitSetMediaKeys(new /** @type {any} */ (globalThis).WebKitMediaKeys(system));
                this.system = system;
            }
            const data = hasSource ? initData : prefixedInitData(initData, contentID(name), this.#certificate);
            const session = this.#video.webkitKeys.createSession("video/mp4", data);
            if (!session) throw new PlayerError("key-system-failed", "the browser created no session");
            this.#sessions.set(name, session);
            session.addEventListener("webkitkeymessage", (/** @type {any} */ event) => { void this.#answer(session, name, event.message, initData); });
            session.addEventListener("webkitkeyadded", () => this.#setStatus(name, "usable"));
            session.addEventListener("webkitkeyerror", () => this.#keyError(session, name));
        } catch (error) {
            this.#fail(error, "key-system-failed");
        }
    }

    get #isClosed() {
        return this.#abort.signal.aborted;
    }

    /** Whether a MediaSource plays, so that the initialization data are those of the media, not a key URI. */
    #hasMediaSource() {
        return Boolean(this.#video.srcObject) || /^blob:/.test(this.#video.currentSrc || this.#video.src || "");
    }

    /**
     * @param {any} session
     * @param {string} uri
     * @param {Uint8Array} message the SPC, or a request for the certificate
     * @param {ArrayBuffer | ArrayBufferView} initData
     */
    async #answer(session, uri, message, initData) {
        if (this.#isClosed) return;
        try {
            const bytes = new Uint8Array(message);
            if (new TextDecoder().decode(bytes.subarray(0, 32)) === CERTIFICATE_REQUEST) {
                session.update(this.#certificate);
                return;
            }
            const ckc = await this.#server.fairPlay(bytes, this.#abort.signal);
            if (!this.#isClosed) session.update(ckc);
        } catch (error) {
            if (this.#isClosed) return;
            if (error instanceof PlayerError && TRANSIENT.has(error.code) && this.#statuses.get(uri) !== "usable") {
                this.#sessions.delete(uri);
                this.#failed.set(uri, initData);
                close(session);
            }
            this.#setStatus(uri, "internal-error");
            this.#fail(error, "key-rejected");
        }
    }

    /**
     * @param {any} session
     * @param {string} uri
     */
    #keyError(session, uri) {
        const { code = 1, systemCode = 0 } = session.error ?? {};
        this.#setStatus(uri, "internal-error");
        // Code 4 is an output error: the display does not have the output protection that the key requires.
        this.#fail(new PlayerError(code === 4 ? "output-restricted" : "key-rejected",
            `${ERRORS[code] ?? code}${systemCode ? `, ${systemCode}` : ""}`), "key-rejected");
    }

    /**
     * @param {string} uri
     * @param {string} status
     */
    #setStatus(uri, status) {
        if (this.#statuses.get(uri) === status) return;
        this.#statuses.set(uri, status);
        this.#events.status(uri, status);
    }

    /**
     * @param {unknown} error
     * @param {string} code
     */
    #fail(error, code) {
        if (!this.#isClosed) this.#events.failure(PlayerError.from(error, code));
    }
}

/** @param {any} session which may be closed already */
function close(session) {
    try {
        session.close?.();
    } catch {
        // A session that the browser has ended needs no further action.
    }
}
return { hasPrefixedKeys, PrefixedKeys };
})();

const $fairplay = (() => {
const { hlsPlugin, dashProtection, shakaDRM, videoJSKeySystems } = $adapters;
const { PlayerError, MESSAGES } = $errors;
const { findKeySystem } = $key_system;
const { Keys } = $keys;
const { LicenseServer } = $licenses;
const { hasPrefixedKeys, PrefixedKeys } = $webkit_keys;
/**
 * @file FairPlay for the player that a page already has: requests the keys of a video element from the key server.
 *
 *     import { FairPlay } from "https://keys.example.com/player/keyway-fairplay.js";
 *
 *     const fairPlay = new FairPlay({ server: "https://keys.example.com", token: () => getPlaybackToken() });
 *     fairPlay.addEventListener("error", ({ detail }) => show(detail.description));
 *     await fairPlay.attach(document.querySelector("video"));
 *
 * `keyway-fairplay.js` (ES module) and `keyway-fairplay.classic.js` (script) contain this file and the files that it
 * imports; scripts/fairplay-js writes them.
 */



/** The version of this library (semantic versioning). */
const VERSION = "1.0.0";

/** Content types for which FairPlay is requested, unless the page specifies those of the stream. */
const CONTENT_TYPES = Object.freeze(['video/mp4; codecs="avc1.640028"', 'audio/mp4; codecs="mp4a.40.2"']);

/** The maximum number of events that are stored until the browser's key system is ready. */
const MAXIMUM_PENDING = 64;

/** The object that provides the keys of each element: an element has one. @type {WeakMap<HTMLVideoElement, FairPlay>} */
const owners = new WeakMap();

/**
 * @typedef {object} FairPlayOptions
 * @property {string} server the key server's URL
 * @property {import("./licenses.js").TokenSource} [token] returns a playback token; called again when the server
 * rejects one
 * @property {string} [app] the name of the FairPlay certificate, if the server has several
 * @property {number} [renewEvery] the interval of key renewals in seconds, shorter than the policy's lease
 * @property {string} [minHdcpVersion] the HDCP version that the stream requires, such as `1.4`; it is checked before a
 * license is requested
 * @property {string[]} [contentTypes] the types of the media with codecs
 * @property {"auto" | "always" | "never"} [prefixed] when to use the prefixed API: `auto` (the default) if the browser has
 * only that, or if it rejects a request of the standard API, as OS 26.1 and 26.2 do with AirPlay
 * @property {LicenseServer} [licenses] the client of the key server, to share it
 */

/**
 * FairPlay for one video element at a time.
 *
 * | Event | `detail` |
 * |---|---|
 * | `error` | a {@link PlayerError}; playback may continue if only some keys were refused |
 * | `keyrequest` | a request to the key server and its outcome |
 * | `keystatus` | `{keyID, status}` |
 */
class FairPlay extends EventTarget {
    /** @type {Keys | PrefixedKeys | null} */
    #keys = null;
    /** @type {HTMLVideoElement | null} */
    #video = null;
    /** The current attachment. @type {Promise<void> | null} */
    #attached = null;
    /** The number of the current attachment, so that late results of a previous one are ignored. */
    #round = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    #renewal;
    #options;
    #licenses;

    /** @param {FairPlayOptions} options */
    constructor(options) {
        super();
        this.#options = options;
        this.#licenses = options.licenses ?? new LicenseServer(options.server, {
            token: options.token,
            app: options.app,
            report: (request) => this.#emit("keyrequest", request),
        });
    }

    /**
     * Returns whether the browser has FairPlay.
     *
     * @param {string[]} [contentTypes] the types of the media with codecs
     */
    static async isSupported(contentTypes = [...CONTENT_TYPES]) {
        return hasPrefixedKeys() || Boolean(await findKeySystem(["com.apple.fps"], contentTypes));
    }

    /** The status of each key, by key ID in hexadecimal digits or by key URI. @returns {ReadonlyMap<string, string>} */
    get keyStatuses() {
        return this.#keys?.statuses ?? new Map();
    }

    /** The key system in use; empty before `attach` is done. @returns {string} */
    get keySystem() {
        return this.#keys?.system ?? "";
    }

    /**
     * Attaches to a video element. Call this before the element gets media: events of the element are handled from the
     * moment of the call. Another call with the same element has no effect. If another object is attached to the element,
     * it is detached.
     *
     * @param {HTMLVideoElement} video
     * @throws {PlayerError} if the browser has no FairPlay, or the server no certificate
     */
    async attach(video) {
        // Setting the keys again would remove those that play.
        if (!this.#attached || video !== this.#video) this.#attached = this.#attach(video);
        await this.#attached;
    }

    /** @param {HTMLVideoElement} video */
    async #attach(video) {
        /** @type {any[]} */
        const pending = [];
        const store = (/** @type {Event} */ event) => { if (pending.length < MAXIMUM_PENDING) pending.push(event); };
        const names = ["encrypted", "webkitneedkey"];
        names.forEach((name) => video.addEventListener(name, store));
        const detached = this.detach();
        const round = this.#round;
        const previous = owners.get(video);
        owners.set(video, this);
        this.#video = video;
        try {
            await detached;
            if (previous !== this) await previous?.detach();
            if (round !== this.#round) return;
            const keys = await this.#open(video, round);
            if (round !== this.#round) return await keys?.close();
            if (!keys) return;
            this.#keys = keys;
            replay(keys, pending);
        } catch (error) {
            const failure = PlayerError.from(error, "key-system-failed");
            if (round !== this.#round) return;
            this.#video = null;
            this.#emit("error", failure);
            throw failure;
        } finally {
            names.forEach((name) => video.removeEventListener(name, store));
        }
        const { renewEvery } = this.#options;
        if (renewEvery) this.#renewal = setInterval(() => { void this.renew(); }, renewEvery * 1000);
    }

    /**
     * Requests a key before the media requires it, for example the next one of a live stream.
     *
     * @param {string} type the type of the initialization data: `skd`, `sinf`, `cenc` or `mpts`
     * @param {ArrayBuffer | ArrayBufferView} data
     */
    async request(type, data) {
        if (this.#keys instanceof Keys) await this.#keys.need(type, data);
    }

    /**
     * Requests every key again, before its lease expires. Also repeats requests that failed for a reason that may pass, such
     * as `token-unavailable` or `server-unreachable`.
     */
    async renew() {
        await this.#keys?.renew();
    }

    /** Closes all key sessions, and removes the keys from the element. */
    async detach() {
        this.#round += 1;
        clearInterval(this.#renewal);
        const keys = this.#keys;
        this.#keys = null;
        this.#video = null;
        this.#attached = null;
        await keys?.close();
    }

    /**
     * Attaches to the element of hls.js, now and at every change, until `hls.destroy()`.
     *
     * @param {any} hls an instance of hls.js, without `emeEnabled`
     */
    attachToHls(hls) {
        hlsPlugin(this, hls);
    }

    /**
     * Configures Shaka Player, which then requests the keys itself.
     *
     * @param {any} shaka the namespace of Shaka Player
     * @param {any} player an instance
     * @throws {PlayerError} if the server has no certificate
     */
    async configureShaka(shaka, player) {
        await this.#reported(shakaDRM(this.#licenses, (error) => this.#emit("error", error), shaka, player));
    }

    /**
     * Configures dash.js, which then requests the keys itself.
     *
     * @param {any} player an instance of MediaPlayer
     * @throws {PlayerError} if the server has no certificate
     */
    async configureDash(player) {
        await this.#reported(dashProtection(this.#licenses, player));
    }

    /**
     * Returns `keySystems` of a source for video.js with videojs-contrib-eme, which then requests the keys itself.
     *
     * @returns {object}
     */
    videoJSKeySystems() {
        return videoJSKeySystems(this.#licenses, (error) => this.#emit("error", error));
    }

    /** Also reports an error as an event. @param {Promise<void>} configured */
    async #reported(configured) {
        try {
            await configured;
        } catch (error) {
            const failure = PlayerError.from(error, "certificate-unavailable");
            this.#emit("error", failure);
            throw failure;
        }
    }

    /**
     * @param {HTMLVideoElement} video
     * @param {number} round
     * @returns {Promise<Keys | PrefixedKeys | null>} null if the element was detached in the meantime
     */
    async #open(video, round) {
        const { prefixed = "auto", contentTypes = [...CONTENT_TYPES], minHdcpVersion } = this.#options;
        if (globalThis.isSecureContext === false) throw new PlayerError("insecure-page");
        if (prefixed !== "always" || !hasPrefixedKeys()) {
            const access = await findKeySystem(["com.apple.fps"], contentTypes);
            if (access) return await Keys.attach(video, access, this.#licenses, this.#events(round), minHdcpVersion, () => round === this.#round);
        }
        if (prefixed === "never" || !hasPrefixedKeys()) throw new PlayerError("no-key-system", "com.apple.fps");
        return await PrefixedKeys.attach(video, this.#licenses, this.#events(round));
    }

    /**
     * Replaces the standard API by the prefixed one, and loads the media again at the same position.
     *
     * @param {number} round
     */
    async #usePrefixedKeys(round) {
        const video = this.#video;
        const standard = this.#keys;
        if (!video || round !== this.#round) return;
        try {
            this.#keys = null;
            await standard?.close();
            const keys = await PrefixedKeys.attach(video, this.#licenses, this.#events(round));
            if (round !== this.#round) return await keys.close();
            this.#keys = keys;
        } catch (error) {
            if (round === this.#round) this.#emit("error", PlayerError.from(error, "key-system-failed"));
            return;
        }
        const { currentTime, paused } = video;
        video.addEventListener("loadedmetadata", () => {
            // The start of a live stream is chosen by the browser.
            if (currentTime > 0 && Number.isFinite(video.duration)) video.currentTime = currentTime;
            // Without permission to play, the viewer starts playback.
            if (!paused) void video.play().catch(() => {});
        }, { once: true });
        video.load();
    }

    /**
     * @param {number} round
     * @returns {import("./keys.js").KeyEvents}
     */
    #events(round) {
        const isCurrent = () => round === this.#round;
        return {
            status: (keyID, status) => { if (isCurrent()) this.#emit("keystatus", { keyID, status }); },
            failure: (error) => { if (isCurrent()) this.#emit("error", error); },
            unsupported: () => {
                // A MediaSource cannot be loaded again, and cannot be used with AirPlay.
                const isNative = !this.#video?.srcObject && !/^blob:/.test(this.#video?.currentSrc || this.#video?.src || "");
                if (!isCurrent() || !isNative || this.#options.prefixed === "never" || !hasPrefixedKeys()) return false;
                // Several keys may be rejected at the same time.
                if (this.#keys instanceof Keys) void this.#usePrefixedKeys(round);
                return true;
            },
        };
    }

    /**
     * @param {string} name
     * @param {unknown} detail
     */
    #emit(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}

/**
 * Handles the events that an element sent before its keys were ready.
 *
 * @param {Keys | PrefixedKeys} keys
 * @param {any[]} events
 */
function replay(keys, events) {
    for (const { type, initDataType, initData } of events) {
        if (!initData) continue;
        if (keys instanceof Keys && type === "encrypted") void keys.need(initDataType, initData);
        if (keys instanceof PrefixedKeys && type === "webkitneedkey") keys.need(initData);
    }
}
return { VERSION, FairPlay, PlayerError, MESSAGES };
})();

export const { VERSION, FairPlay, PlayerError, MESSAGES } = $fairplay;
