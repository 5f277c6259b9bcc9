// Live updates from the server: one event stream for the whole dashboard. The server sends an event every second;
// without one, the dashboard says since when there is no answer. A page that is not visible has no stream, because a
// browser opens only six connections to a server over HTTP/1.1, and requests of other pages would wait for one.

const listeners = new Set();
/**
 * The time without an event after which the server counts as silent, and after which the stream is opened again; in
 * milliseconds.
 */
const silence = 5_000;
const reopening = 15_000;
let isStarted = false;
let source = null;
let watch;
let lastEvent = null;
let opened = 0;

const clock = new Intl.DateTimeFormat("en-GB",
  { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

function show(state, text) {
  const element = document.getElementById("live");
  element.dataset.state = state;
  const words = document.getElementById("live-text");
  if (words.textContent !== text) words.textContent = text;
  // Styles show values that may be old without the color for success.
  document.documentElement.dataset.live = state;
  const notice = document.getElementById("silent");
  const told = state === "lost"
    ? `No answer from the server since ${clock.format(lastEvent)}. What this page shows is from then.` : "";
  if (notice.textContent !== told) notice.textContent = told;
}

/** Starts to listen, and reconnects until `stop` is called. */
export function start() {
  stop();
  isStarted = true;
  if (document.visibilityState === "visible") resume();
}

function resume() {
  if (!isStarted || source) return;
  lastEvent = Date.now();
  show("off", "connecting");
  open();
  watch = setInterval(check, 500);
}

function pause() {
  clearInterval(watch);
  source?.close();
  source = null;
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") resume(); else pause();
});
// A browser may keep a page that was left, and show it again.
addEventListener("pagehide", pause);
addEventListener("pageshow", () => { if (document.visibilityState === "visible") resume(); });

function open() {
  source?.close();
  opened = Date.now();
  source = new EventSource("/admin/activity/stream");
  source.addEventListener("second", (event) => {
    lastEvent = Date.now();
    show("on", "live");
    const value = JSON.parse(event.data);
    for (const listener of listeners) listener(value);
  });
}

/**
 * Says that the server is silent if it is. A stream ends every few minutes, and the browser then reconnects in less
 * time.
 */
function check() {
  const now = Date.now();
  if (now - lastEvent < silence) return;
  show("lost", `no answer since ${clock.format(lastEvent)}`);
  if (now - Math.max(opened, lastEvent) > reopening || source.readyState === EventSource.CLOSED
    && now - opened > silence) open();
}

export function stop() {
  isStarted = false;
  pause();
  show("off", "not live");
}

/** Calls a function for every second's event, until the signal is aborted. */
export function listen(listener, signal) {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}
