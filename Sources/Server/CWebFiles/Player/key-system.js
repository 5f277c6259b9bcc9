// @ts-check
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
export async function findKeySystem(systems, contentTypes, scheme) {
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
