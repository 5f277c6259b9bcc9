/** @file Uses the FairPlay library's declarations as a TypeScript project does; IntegrationTests/test-player-module compiles it. */

import { FairPlay, MESSAGES, PlayerError, VERSION } from "./keyway-fairplay.js";
import type { FairPlayOptions, KeyRequest, TokenSource } from "./keyway-fairplay.js";

const token: TokenSource = async ({ isRefresh }) => (isRefresh ? "new" : null);
const options: FairPlayOptions = {
    server: "https://keys.example.com", token, app: "app", renewEvery: 300, minHdcpVersion: "1.4",
    contentTypes: ['video/mp4; codecs="avc1.640028"'], prefixed: "auto",
};

export async function play(video: HTMLVideoElement, data: Uint8Array): Promise<string> {
    if (!(await FairPlay.isSupported(options.contentTypes))) return MESSAGES["no-key-system"];
    const fairPlay = new FairPlay(options);
    fairPlay.addEventListener("error", ({ detail }) => console.error(detail.code, detail.description, detail.status.toFixed()));
    fairPlay.addEventListener("keyrequest", ({ detail }) => { const request: KeyRequest = detail; console.log(request.kind, request.milliseconds); });
    fairPlay.addEventListener("keystatus", ({ detail }) => console.log(detail.keyID, detail.status));
    try {
        await fairPlay.attach(video);
        await fairPlay.request("skd", data);
        await fairPlay.request("skd", data.slice().buffer);
        await fairPlay.renew();
    } catch (error) {
        if (error instanceof PlayerError) return error.problem + error.reason + error.detail;
        throw error;
    }
    fairPlay.attachToHls({});
    await fairPlay.configureShaka({}, {});
    await fairPlay.configureDash({});
    const systems: object = fairPlay.videoJSKeySystems();
    await fairPlay.detach();
    return [VERSION, fairPlay.keySystem, ...fairPlay.keyStatuses.values(), Object.keys(systems)].join();
}

/** The classic build defines a global variable. */
export const classic: FairPlay = new KeywayFairPlay.FairPlay({ server: "https://keys.example.com", token: () => "token" });

// What the declarations must refuse.
// @ts-expect-error The server is required.
new FairPlay({});
// @ts-expect-error The values of `prefixed` are fixed.
new FairPlay({ server: "https://keys.example.com", prefixed: "sometimes" });
// @ts-expect-error Only media elements have keys.
void classic.attach("video");
// @ts-expect-error Statuses are not changed by the page.
classic.keyStatuses.set("1", "usable");
