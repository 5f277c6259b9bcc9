// @ts-check
/** @file Configurations for players of others: hls.js, Shaka Player, dash.js, and video.js with videojs-contrib-eme. */

import { base64, bytesOf } from "./init-data.js";
import { PlayerError } from "./errors.js";

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
export function chooseKeyFormat(hls) {
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
export function withOneKeyFormat(playlist) {
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
export function hlsPlugin(fairPlay, hls) {
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
export async function shakaDRM(server, failed, shaka, player) {
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
export async function dashProtection(server, player) {
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
export function videoJSKeySystems(server, failed) {
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
