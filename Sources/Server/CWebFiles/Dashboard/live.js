// Live updates from the server: one event stream for the whole dashboard. The server sends an event every second;
// without one, the dashboard says since when there is no answer.

const listeners = new Set();
/**
 * The time without an event after which the server counts as silent, and after which the stream is opened again; in
 * milliseconds.
 */
const silence = 5_000;
const reopening = 15_000;
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
  lastEvent = Date.now();
  show("off", "connecting");
  open();
  watch = setInterval(check, 500);
}

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
  clearInterval(watch);
  source?.close();
  source = null;
  show("off", "not live");
}

/** Calls a function for every second's event, until the signal is aborted. */
export function listen(listener, signal) {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}
