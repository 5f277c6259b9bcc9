// Live updates from the server: one event stream for the whole dashboard.

const listeners = new Set();
let source = null;
let timer;

function show(state, text) {
  const element = document.getElementById("live");
  element.dataset.state = state;
  const words = document.getElementById("live-text");
  if (words.textContent !== text) words.textContent = text;
}

/** Starts to listen, and reconnects until `stop` is called. */
export function start() {
  stop();
  show("off", "connecting");
  source = new EventSource("/admin/activity/stream");
  source.addEventListener("second", (event) => {
    show("on", "live");
    const value = JSON.parse(event.data);
    for (const listener of listeners) listener(value);
  });
  source.addEventListener("error", () => {
    // A stream ends every few minutes, and the browser then reconnects.
    if (source?.readyState === EventSource.CONNECTING) return show("off", "connecting");
    show("lost", "not live");
    clearTimeout(timer);
    timer = setTimeout(start, 10000);
  });
}

export function stop() {
  clearTimeout(timer);
  source?.close();
  source = null;
  show("off", "not live");
}

/** Calls a function for every second's event, until the signal is aborted. */
export function listen(listener, signal) {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}
