// @ts-check
/** @file The demonstration page of the player: the form, and the state of playback. */

// hls.js, or nothing.
import "./hls-library.js";
import { KeywayPlayer } from "./keyway-player.js";
import { ShownError } from "./shown-error.js";

/** @typedef {import("./errors.js").PlayerError} PlayerError */
/** @typedef {import("./licenses.js").KeyRequest} KeyRequest */

/** The maximum number of requests in the table. */
const SHOWN_REQUESTS = 100;

const KINDS = { certificate: "certificate", fairplay: "FairPlay license", clearkey: "Clear Key license", key: "key" };

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
function element(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no element ${id}`);
    return /** @type {T} */ (found);
}

/** @type {HTMLVideoElement} */
const video = element("video");
/** @type {HTMLInputElement} */
const urlField = element("url");
/** @type {HTMLInputElement} */
const tokenField = element("token-value");
/** @type {HTMLFormElement} */
const form = element("form");

const player = new KeywayPlayer(video, {
    // The page is served by the key server.
    server: location.origin,
    token: () => token(),
    hls: /** @type {any} */ (globalThis).Hls,
});

/** @returns {string} the selected kind of token */
function tokenKind() {
    return String(new FormData(form).get("token"));
}

/** @returns {string | null} */
function token() {
    const text = tokenField.value.trim();
    if (tokenKind() === "none" || !text) return null;
    return tokenKind() === "account" ? `dev:${text}` : text;
}

function showTokenField() {
    const kind = tokenKind();
    const label = element("token-label");
    tokenField.hidden = label.hidden = kind === "none";
    label.textContent = kind === "account" ? "Account" : "Token (JWT)";
    // A valid token grants access like a password, so it is masked.
    tokenField.type = kind === "token" ? "password" : "text";
    tokenField.required = kind !== "none";
}

/**
 * @param {string} id
 * @param {string} text
 */
function show(id, text) {
    const place = element(id);
    if (place.textContent !== text) place.textContent = text;
}

let shown = new ShownError();

/** @param {PlayerError | null} error */
function showFailure(error) {
    element("failure").hidden = !error;
    if (!error) return;
    show("failure-message", error.description);
    show("failure-code", error.code);
    show("failure-detail", error.detail);
}

/**
 * @param {[string, string][]} cells pairs of text and class
 * @returns {HTMLTableRowElement}
 */
function row(cells) {
    const line = document.createElement("tr");
    for (const [text, kind] of cells) {
        const cell = line.insertCell();
        cell.textContent = text;
        cell.className = kind;
    }
    return line;
}

/**
 * @param {string} id
 * @param {HTMLTableRowElement[]} rows
 * @param {string} empty the text to show without rows
 */
function fill(id, rows, empty) {
    const body = element(id);
    if (rows.length) {
        body.replaceChildren(...rows);
        return;
    }
    const line = row([[empty, ""]]);
    line.className = "empty";
    line.cells[0].colSpan = id === "keys" ? 2 : 4;
    body.replaceChildren(line);
}

/** @type {HTMLTableRowElement[]} */
let requests = [];

/** @param {KeyRequest} request */
function addRequest({ kind, status, problem, reason, milliseconds }) {
    const answer = problem ? [problem, reason].filter(Boolean).join(": ") : `success (${status})`;
    requests = [row([
        [new Date().toLocaleTimeString([], { hour12: false }), "time"],
        [KINDS[kind], ""],
        [answer, problem ? "bad" : "good"],
        [`${milliseconds.toFixed(0)} ms`, "number"],
    ]), ...requests].slice(0, SHOWN_REQUESTS);
    fill("requests", requests, "");
}

function showKeys() {
    const rows = [...player.keyStatuses].map(([keyID, status]) => row([
        [keyID, "mono"], [status, status === "usable" ? "good" : status === "status-pending" ? "" : "bad"],
    ]));
    fill("keys", rows, "No keys yet. Keys appear when an encrypted stream is loaded.");
}

/**
 * @param {number} seconds
 * @returns {string}
 */
function clock(seconds) {
    if (!Number.isFinite(seconds)) return "–";
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}.${Math.floor((seconds - whole) * 10)}`;
}

/** @returns {number} the end of the buffered range at the playback position */
function loadedUntil() {
    let end = video.currentTime;
    for (let index = 0; index < video.buffered.length; index += 1) {
        if (video.buffered.start(index) <= end + 0.25) end = Math.max(end, video.buffered.end(index));
    }
    return end;
}

function showPlayback() {
    const { currentTime, duration } = video;
    const isLoaded = video.readyState > 0;
    const quality = video.getVideoPlaybackQuality();
    const end = loadedUntil();
    show("fact-position", isLoaded ? `${clock(currentTime)} of ${clock(duration)}` : "–");
    show("fact-ahead", isLoaded ? `${(end - currentTime).toFixed(1)} s` : "–");
    show("fact-frames", isLoaded ? String(quality.totalVideoFrames) : "–");
    show("fact-dropped", isLoaded ? String(quality.droppedVideoFrames) : "–");
    const part = (/** @type {number} */ seconds) => (Number.isFinite(duration) && duration > 0 ? Math.min(100, (100 * seconds) / duration) : 0);
    element("bar-loaded").style.width = `${part(end)}%`;
    element("bar-played").style.width = `${part(currentTime)}%`;
    element("bar").setAttribute("aria-label", isLoaded
        ? `${part(currentTime).toFixed(0)} percent played, ${part(end).toFixed(0)} percent loaded` : "No media loaded");
}

/** @param {boolean} isPlaying */
function setButtons(isPlaying) {
    /** @type {HTMLButtonElement} */ (element("stop")).disabled = !isPlaying;
    // Only FairPlay keys can be renewed, after they were loaded.
    /** @type {HTMLButtonElement} */ (element("renew")).disabled = true;
}

/**
 * Offers a choice, if there is one.
 *
 * @param {string} id
 * @param {string[]} names
 * @param {string} [automatic] the name of the choice -1
 */
function offer(id, names, automatic) {
    /** @type {HTMLSelectElement} */
    const list = element(id);
    const options = names.map((name, index) => new Option(name, String(index)));
    list.replaceChildren(...(automatic ? [new Option(automatic, "-1")] : []), ...options);
    const isChoice = names.length > (automatic === "Off" ? 0 : 1);
    list.hidden = !isChoice;
    const label = /** @type {HTMLElement} */ (document.querySelector(`label[for=${id}]`));
    label.hidden = !isChoice;
}

function showChoices() {
    const { variants, audio, subtitles } = player.choices;
    const named = (/** @type {{name: string, language: string}} */ { name, language }) => name || language || "unnamed";
    offer("quality", variants.map(({ height, bandwidth }) => `${height ? `${height} p, ` : ""}${(bandwidth / 1e6).toFixed(2)} Mbit/s`), "Automatic");
    offer("audio", audio.map(named));
    offer("subtitles", subtitles.map(named), "Off");
    element("choices").hidden = variants.length < 2 && audio.length < 2 && !subtitles.length;
}

/** @param {{width: number, height: number, bandwidth: number} | null} variant */
function showVariant(variant) {
    const size = variant?.height ? `${variant.width} × ${variant.height}, ` : "";
    show("fact-variant", variant ? `${size}${(variant.bandwidth / 1e6).toFixed(2)} Mbit/s` : "–");
}

/** @param {string} id @returns {number} the chosen index */
function chosen(id) {
    return Number(/** @type {HTMLSelectElement} */ (element(id)).value);
}

function clear() {
    requests = [];
    element("choices").hidden = true;
    shown = new ShownError();
    showFailure(null);
    showKeys();
    fill("requests", [], "No requests yet.");
    show("fact-method", "no media loaded");
    show("fact-system", "–");
    show("fact-variant", "–");
}

player.addEventListener("error", (event) => {
    shown.add(/** @type {CustomEvent} */ (event).detail);
    showFailure(shown.error);
});
player.addEventListener("keyrequest", (event) => addRequest(/** @type {CustomEvent} */ (event).detail));
player.addEventListener("keystatus", showKeys);
player.addEventListener("mode", (event) => {
    const { way, keySystem, variant } = /** @type {CustomEvent} */ (event).detail;
    show("fact-method", way);
    show("fact-system", keySystem);
    /** @type {HTMLButtonElement} */ (element("renew")).disabled = !keySystem.startsWith("com.apple.fps");
    showVariant(variant);
});
player.addEventListener("variant", (event) => showVariant(/** @type {CustomEvent} */ (event).detail));
player.addEventListener("choices", showChoices);
element("quality").addEventListener("change", () => { void player.selectVariant(chosen("quality")); });
element("audio").addEventListener("change", () => { void player.selectAudio(chosen("audio")).catch(() => {}); });
element("subtitles").addEventListener("change", () => player.selectSubtitles(chosen("subtitles")));

form.addEventListener("change", showTokenField);
form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clear();
    setButtons(true);
    try {
        await player.load(urlField.value.trim());
        await video.play();
    } catch {
        // The player has reported its error. A browser that blocks autoplay requires the viewer to start playback.
    }
});
element("stop").addEventListener("click", async () => {
    setButtons(false);
    await player.stop();
    clear();
    urlField.focus();
});
element("renew").addEventListener("click", () => {
    shown = new ShownError();
    void player.renew();
});

const example = `<video controls playsinline></video>
<script type="module">
  import { KeywayPlayer } from "./keyway-player.js";

  const player = new KeywayPlayer(document.querySelector("video"), {
    server: "${location.origin}",
    token: async () => (await fetch("/your/playback-token")).text(),
  });
  player.addEventListener("error", ({ detail }) => console.error(detail.code, detail.description));
  await player.load("https://media.example.com/movie/main.m3u8");
</script>`;
show("code", example);
element("copy").addEventListener("click", async () => {
    try {
        await navigator.clipboard.writeText(example);
        show("copy", "Copied");
    } catch {
        // Without clipboard permission, the text is selected for copying with the keyboard.
        getSelection()?.selectAllChildren(element("code"));
        show("copy", "Selected");
    }
    setTimeout(() => show("copy", "Copy"), 2000);
});

// A link can specify what to play: /player#url=…&account=… A token must not be part of a link.
const asked = new URLSearchParams(location.hash.slice(1));
urlField.value = asked.get("url") ?? "";
if (asked.get("account")) {
    tokenField.value = asked.get("account") ?? "";
    /** @type {HTMLInputElement} */ (form.querySelector("[value=account]")).checked = true;
}
showTokenField();
show("browser", [
    "requestMediaKeySystemAccess" in navigator ? "Encrypted Media Extensions" : "no Encrypted Media Extensions",
    video.canPlayType("application/vnd.apple.mpegurl") ? "native HLS" : "no native HLS",
    "MediaSource" in globalThis ? "Media Source Extensions" : "no Media Source Extensions",
].join(" · "));
// A timer instead of the element's events, so that stalled playback is displayed, too.
setInterval(showPlayback, 250);
showPlayback();
