// @ts-check
/** @file What the key server is asked for: certificate, licenses, Clear Key licenses; with tokens that are refreshed. */

import { base64, fromBase64 } from "./init-data.js";
import { PlayerError, refusal } from "./errors.js";

/**
 * Gives a playback token, or null for none. `isRefresh` says that the server has refused the last one.
 *
 * @typedef {(asked: {isRefresh: boolean}) => Promise<string | null> | string | null} TokenSource
 */

/**
 * One request to the server, for whoever watches.
 *
 * @typedef {object} KeyRequest
 * @property {"certificate" | "fairplay" | "clearkey" | "key"} kind
 * @property {number} status of the answer; 0 without one
 * @property {number} milliseconds
 * @property {string} problem what the server refused it for; empty when it did not
 * @property {string} reason which rule
 */

/** How often a request is repeated when the server is busy, and for how many seconds at most it is waited for. */
const RETRIES = 2;
const LONGEST_WAIT = 10;

/** A key server, as one player sees it. */
export class LicenseServer {
    /** @type {Promise<Uint8Array> | null} */
    #certificate = null;
    /** @type {string | null | undefined} undefined before the first */
    #token = undefined;
    /** @type {Promise<string | null> | null} */
    #asking = null;
    #base;
    #app;
    #source;
    #report;

    /**
     * @param {string} server the server's URL, such as `https://keys.example.com`
     * @param {object} [options]
     * @param {TokenSource} [options.token]
     * @param {string} [options.app] which certificate, where the server has several
     * @param {(request: KeyRequest) => void} [options.report]
     */
    constructor(server, options = {}) {
        this.#base = new URL(server.endsWith("/") ? server : server + "/", globalThis.location?.href);
        this.#app = options.app;
        this.#source = options.token ?? (() => null);
        this.#report = options.report ?? (() => {});
    }

    /**
     * The application certificate, asked for once.
     *
     * @returns {Promise<Uint8Array>} DER
     */
    certificate() {
        const fetched = this.#certificate ?? this.#fetchCertificate();
        this.#certificate = fetched;
        // One that failed is asked for again.
        fetched.catch(() => { this.#certificate = null; });
        return fetched;
    }

    async #fetchCertificate() {
        const query = this.#app ? `?app=${encodeURIComponent(this.#app)}` : "";
        try {
            const answer = await this.#send("certificate", "fps/certificate" + query, { method: "GET" });
            return new Uint8Array(await answer.arrayBuffer());
        } catch (error) {
            const known = PlayerError.from(error, "certificate-unavailable");
            if (known.code === "server-unreachable" || known.code === "server-busy") throw known;
            throw new PlayerError("certificate-unavailable", known.detail, known);
        }
    }

    /**
     * A FairPlay license.
     *
     * @param {Uint8Array} spc
     * @returns {Promise<Uint8Array>} the CKC
     */
    async fairPlay(spc) {
        const headers = { "Content-Type": "application/octet-stream" };
        const answer = await this.#sendWithToken("fairplay", "fps/license", { method: "POST", headers, body: spc });
        return new Uint8Array(await answer.arrayBuffer());
    }

    /**
     * Several FairPlay licenses in one request. One that is refused does not spoil the others.
     *
     * @param {Uint8Array[]} spcs
     * @returns {Promise<(Uint8Array | PlayerError)[]>} in the same order
     */
    async fairPlayBatch(spcs) {
        const items = spcs.map((spc, index) => ({ id: index + 1, spc: base64(spc) }));
        const body = JSON.stringify({ "fairplay-streaming-request": { version: 1, "create-ckc": items } });
        const headers = { "Content-Type": "application/json" };
        const answer = await this.#sendWithToken("fairplay", "fps/licenses", { method: "POST", headers, body });
        const response = (await answer.json())["fairplay-streaming-response"]?.["create-ckc"] ?? [];
        return spcs.map((_, index) => {
            const item = response.find((/** @type {any} */ one) => one.id === index + 1);
            const ckc = typeof item?.ckc === "string" ? fromBase64(item.ckc) : null;
            return item?.status === 0 && ckc ? ckc : refusal(item?.status || 500, item?.problem);
        });
    }

    /**
     * A Clear Key license.
     *
     * @param {Uint8Array} message what the browser wrote
     * @returns {Promise<Uint8Array>} JSON, as the browser takes it
     */
    async clearKey(message) {
        const headers = { "Content-Type": "application/json" };
        const answer = await this.#sendWithToken("clearkey", "clearkey", { method: "POST", headers, body: message });
        return new Uint8Array(await answer.arrayBuffer());
    }

    /**
     * The 16 bytes of a key that a playlist names. The token goes along only to the key server itself.
     *
     * @param {string} url
     * @returns {Promise<Uint8Array>}
     */
    async key(url) {
        const isOwn = new URL(url).href.startsWith(this.#base.href);
        const answer = await (isOwn ? this.#sendWithToken("key", url, { method: "GET" }) : this.#send("key", url, { method: "GET" }));
        const key = new Uint8Array(await answer.arrayBuffer());
        if (key.length !== 16) throw new PlayerError("key-rejected", `a key has 16 bytes, not ${key.length}`);
        return key;
    }

    /**
     * Sends the token along; where it is refused, once more with another.
     *
     * @param {KeyRequest["kind"]} kind
     * @param {string} path
     * @param {RequestInit} init
     */
    async #sendWithToken(kind, path, init) {
        const token = await this.#ask(false);
        try {
            return await this.#send(kind, path, init, token);
        } catch (error) {
            if (!(error instanceof PlayerError) || error.status !== 401) throw error;
            // Another request may have asked for a new one meanwhile.
            const other = this.#token !== token ? this.#token ?? null : await this.#ask(true);
            if (other === token) throw error;
            return await this.#send(kind, path, init, other);
        }
    }

    /**
     * @param {boolean} isRefresh
     * @returns {Promise<string | null>}
     */
    #ask(isRefresh) {
        if (!isRefresh && this.#token !== undefined) return Promise.resolve(this.#token);
        // Several keys are asked for at once: one question serves them all.
        this.#asking ??= (async () => {
            try {
                this.#token = (await this.#source({ isRefresh })) || null;
                return this.#token;
            } catch (error) {
                throw PlayerError.from(error, "token-unavailable");
            } finally {
                this.#asking = null;
            }
        })();
        return this.#asking;
    }

    /**
     * @param {KeyRequest["kind"]} kind
     * @param {string} path
     * @param {RequestInit} init
     * @param {string | null} [token]
     * @returns {Promise<Response>} of a status that is a success
     */
    async #send(kind, path, init, token = null) {
        const headers = new Headers(init.headers);
        if (token) headers.set("Authorization", `Bearer ${token}`);
        for (let attempt = 0; ; attempt += 1) {
            const start = performance.now();
            const report = (/** @type {number} */ status, problem = "", reason = "") => this.#report(
                { kind, status, milliseconds: performance.now() - start, problem, reason });
            /** @type {Response} */
            let answer;
            try {
                answer = await fetch(new URL(path, this.#base), { ...init, headers, credentials: "omit", cache: "no-store" });
            } catch {
                // Browsers do not tell a page whether nobody answered or CORS forbids the answer.
                report(0, "unreachable");
                throw new PlayerError("server-unreachable", this.#base.origin);
            }
            if (answer.ok) {
                report(answer.status);
                return answer;
            }
            const error = refusal(answer.status, await answer.json().catch(() => null));
            report(answer.status, error.problem || `status ${answer.status}`, error.reason);
            const seconds = Number(answer.headers.get("Retry-After"));
            const isPassing = (answer.status === 429 || answer.status === 503) && seconds <= LONGEST_WAIT;
            if (!isPassing || attempt >= RETRIES) throw error;
            await new Promise((resume) => { setTimeout(resume, 1000 * Math.max(seconds, 1)); });
        }
    }
}
