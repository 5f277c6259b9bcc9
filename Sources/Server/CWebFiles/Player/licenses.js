// @ts-check
/** @file Requests to the key server: certificate, licenses, Clear Key licenses; with token refresh. */

import { base64, fromBase64, unshared } from "./init-data.js";
import { PlayerError, refusal } from "./errors.js";

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
export class LicenseServer {
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
