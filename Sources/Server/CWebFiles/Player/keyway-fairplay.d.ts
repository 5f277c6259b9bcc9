/** FairPlay for the player that a page already has. */

/** The version of this library (semantic versioning). */
export declare const VERSION: string;

/** The description of each error code, with what to do. */
export declare const MESSAGES: Readonly<Record<string, string>>;

/** An error of playback. `code` is for programs, `description` and `detail` are for the viewer. */
export declare class PlayerError extends Error {
    /** One of the keys of {@link MESSAGES}. */
    readonly code: string;
    /** What happened, and what to do. */
    readonly description: string;
    /** Which key, where, or the server's description. */
    readonly detail: string;
    /** The last part of the server's problem type, such as `refused-by-policy`; empty without a response. */
    readonly problem: string;
    /** The rule that refused the request, such as `client-not-protected`. */
    readonly reason: string;
    /** The HTTP status of the response; 0 without one. */
    readonly status: number;
}

/** Returns a playback token, or null for none. `isRefresh` is true if the server has rejected the previous token. */
export type TokenSource = (request: { isRefresh: boolean }) => Promise<string | null> | string | null;

export interface FairPlayOptions {
    /** The key server's URL. */
    server: string;
    /** Returns a playback token; called again when the server rejects one. */
    token?: TokenSource;
    /** The name of the FairPlay certificate, if the server has several. */
    app?: string;
    /** The interval of key renewals in seconds, shorter than the policy's lease. */
    renewEvery?: number;
    /** The HDCP version that the stream requires, such as `1.4`; it is checked before a license is requested. */
    minHdcpVersion?: string;
    /** The types of the media with codecs. */
    contentTypes?: string[];
    /** When to use the prefixed API of WebKit; the default is `auto`. */
    prefixed?: "auto" | "always" | "never";
}

/** A request to the key server and its outcome. */
export interface KeyRequest {
    kind: "certificate" | "fairplay" | "clearkey" | "key";
    /** The status of the response; 0 without a response. */
    status: number;
    milliseconds: number;
    /** The problem type of a refusal; empty after success. */
    problem: string;
    /** The rule that refused the request. */
    reason: string;
}

/** FairPlay for one video element at a time. */
export declare class FairPlay extends EventTarget {
    constructor(options: FairPlayOptions);
    /** Whether the browser has FairPlay. */
    static isSupported(contentTypes?: string[]): Promise<boolean>;
    /** The status of each key, by key ID in hexadecimal digits or by key URI. */
    get keyStatuses(): ReadonlyMap<string, string>;
    /** The key system in use; empty before `attach` is done. */
    get keySystem(): string;
    /**
     * Attaches to a video element; call it before the element gets media. Another call with the same element has no effect.
     * Rejects with a {@link PlayerError}.
     */
    attach(video: HTMLVideoElement): Promise<void>;
    /** Requests a key before the media requires it; `type` is `skd`, `sinf`, `cenc` or `mpts`. */
    request(type: string, data: ArrayBuffer | ArrayBufferView): Promise<void>;
    /** Requests every key again, before its lease expires, and keys whose request failed for a reason that may pass. */
    renew(): Promise<void>;
    /** Closes all key sessions, and removes the keys from the element. */
    detach(): Promise<void>;
    /** Attaches to the element of hls.js, now and at every change, until `hls.destroy()`. */
    attachToHls(hls: object): void;
    /** Configures Shaka Player, which then requests the keys itself. */
    configureShaka(shaka: object, player: object): Promise<void>;
    /** Configures dash.js, which then requests the keys itself. */
    configureDash(player: object): Promise<void>;
    /** Returns `keySystems` of a source for video.js with videojs-contrib-eme. */
    videoJSKeySystems(): object;
    addEventListener(type: "error", listener: (event: CustomEvent<PlayerError>) => void): void;
    addEventListener(type: "keyrequest", listener: (event: CustomEvent<KeyRequest>) => void): void;
    addEventListener(type: "keystatus", listener: (event: CustomEvent<{ keyID: string; status: string }>) => void): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject): void;
}

declare global {
    /** Defined by `keyway-fairplay.classic.js`. */
    var KeywayFairPlay: {
        readonly VERSION: string;
        readonly MESSAGES: Readonly<Record<string, string>>;
        readonly FairPlay: typeof FairPlay;
        readonly PlayerError: typeof PlayerError;
    };
}
