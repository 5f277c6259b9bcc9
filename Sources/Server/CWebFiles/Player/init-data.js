// @ts-check
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
export function bytesOf(source) {
    return ArrayBuffer.isView(source)
        ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
        : new Uint8Array(source);
}

/**
 * @param {Uint8Array} bytes which are not shared between threads
 * @returns {Uint8Array<ArrayBuffer>} the same bytes, as APIs of the browser declare them
 */
export function unshared(bytes) {
    return /** @type {Uint8Array<ArrayBuffer>} */ (bytes);
}

/**
 * @param {ArrayBuffer | ArrayBufferView} source
 * @returns {string} lowercase hexadecimal digits
 */
export function hex(source) {
    return Array.from(bytesOf(source), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} digits with or without the hyphens of a UUID
 * @returns {Uint8Array | null} the bytes; null if the text is not hexadecimal
 */
export function fromHex(digits) {
    const plain = digits.replace(/-/g, "");
    if (!/^([0-9a-fA-F]{2})*$/.test(plain)) return null;
    return Uint8Array.from(plain.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/**
 * @param {ArrayBuffer | ArrayBufferView} source
 * @returns {string} standard base64
 */
export function base64(source) {
    return btoa(Array.from(bytesOf(source), (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * @param {ArrayBuffer | ArrayBufferView} source
 * @returns {string} base64url without padding, as in JSON Web Keys
 */
export function base64url(source) {
    return base64(source).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/**
 * @param {string} text base64, standard or URL-safe
 * @returns {Uint8Array | null} the bytes; null if the text is not base64
 */
export function fromBase64(text) {
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
export function keyIDsData(keyIDs) {
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
export function keyIDsOf(type, data) {
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
export function contentID(uri) {
    return uri.replace(/^skd:\/\//i, "");
}

/**
 * Iterates over the boxes of one level, up to the first truncated one.
 *
 * @param {Uint8Array} bytes
 * @returns {Generator<{type: string, body: Uint8Array}>}
 */
export function* boxes(bytes) {
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
export function tracksIn(bytes, depth = 10) {
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
export function prefixedInitData(initData, identifier, certificate) {
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
export function prefixedKeyURI(initData) {
    const bytes = bytesOf(initData);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const hasLength = bytes.length >= 4 && view.getUint32(0, true) === bytes.length - 4;
    return new TextDecoder("utf-16le").decode(bytes.subarray(hasLength ? 4 : 0)).replace(/\0+$/, "");
}
