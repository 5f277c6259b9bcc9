// Helpers for elements and for formatting values.

/**
 * Creates an element. Text is inserted as text, never as markup, because the server's data comes from clients.
 * @param {string} tag  a name, with classes after dots: "p.note"
 * @param {Object<string, any>|null} [properties]  attributes; "on…" adds a listener, true is an empty
 *   attribute, null and false are omitted
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 */
export function h(tag, properties, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" && name !== "button" && name !== "input") continue;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  // A select element has its options only now.
  if (properties?.value !== undefined && "value" in element) element.value = properties.value;
  return element;
}

/** Appends the children that are not null, undefined or false. */
export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

let identifiers = 0;
/** Returns a unique ID for an element. */
export function identifier(prefix = "x") { return `${prefix}-${++identifiers}`; }

/** A form field with its label and an optional hint. */
export function field(label, control, hint) {
  control.id ||= identifier("field");
  const hintID = hint ? `${control.id}-hint` : null;
  if (hintID) control.setAttribute("aria-describedby", hintID);
  return h("div", null, h("label", { for: control.id }, label), control, hint && h("p.hint", { id: hintID }, hint));
}

/** A choice between a few options, as a row of buttons. */
export function segments(label, name, options, chosen, onchange) {
  return h("div.segments", { role: "radiogroup", "aria-label": label }, options.map(([value, text]) => {
    const input = h("input",
      { type: "radio", name, value, checked: value === chosen, onchange: () => onchange(value) });
    return h("label", null, input, h("span", null, text));
  }));
}

/**
 * A table.
 * @param {string} caption the description for screen readers
 * @param {Array<{title: string, hidden?: boolean, class?: string, sort?: string, cell: function(any): any}>} columns
 * @param {{wide?: boolean, isRegion?: boolean, sort?: string, isDescending?: boolean, onsort?: function(string,
 *   boolean): void}} [options] wide: a table also on a phone; isRegion: the table scrolls in its own region; onsort is
 *   called with a column's `sort`, and whether the order is descending
 */
export function table(caption, columns, rows, options = {}) {
  const kind = columns.map((column) => ({ class: column.class ?? null }));
  const head = columns.map((column, index) => {
    if (column.hidden) return h("th", { scope: "col", ...kind[index] }, h("span.visually-hidden", null, column.title));
    if (!column.sort || !options.onsort) return h("th", { scope: "col", ...kind[index] }, column.title);
    const isSorted = options.sort === column.sort;
    return h("th", { scope: "col", ...kind[index], "aria-sort": isSorted
        ? (options.isDescending ? "descending" : "ascending") : "none" },
      h("button.sort", { type: "button", "data-sort": column.sort,
          onclick: () => options.onsort(column.sort, isSorted && !options.isDescending) },
        column.title, h("span", { "aria-hidden": "true" }, isSorted ? (options.isDescending ? " ↓" : " ↑") : " ↕")));
  });
  const body = h("tbody", null, rows.map((row) => h("tr", null, columns.map((column, index) => {
    const content = column.cell(row);
    const isEmpty = content === null || content === undefined || content === "" || content === false;
    return h("td", { ...kind[index], "data-label": column.hidden ? "" : column.title }, isEmpty ? null
      : h("div", null, content));
  }))));
  const element = h("table" + (options.wide ? "" : ".cards-on-phone"), null,
    h("caption.visually-hidden", null, caption), h("thead", null, h("tr", null, head)), body);
  // A scrollable region must be reachable by keyboard.
  return h("div.scroll", options.wide || options.isRegion || options.onsort
    ? { tabindex: 0, role: "region", "aria-label": caption } : null, element);
}

/** The placeholder of an empty page: what is missing, and what to do first. */
export function empty(title, ...words) {
  return h("div.empty", null, h("strong", null, title),
    words.map((word) => (typeof word === "string" ? h("p", null, word) : word)));
}

export function badge(text, kind) { return h("span.badge" + (kind ? `.${kind}` : ""), null, text); }
export function code(text) { return h("code", null, text); }
/**
 * A command to type. Tests hold its name and its options against the executable's help.
 * @param {string} text the command, in which each option is followed by a placeholder
 * @param {Object<string, string|null>} [values] the values of placeholders, quoted for a shell: null omits the option,
 *   and an empty value leaves the placeholder
 */
export function command(text, values = {}) {
  const words = text.split(" ");
  const isOmitted = (word) => values[word] === null && word !== "FOLDER";
  const shown = words.filter((word, index) => !isOmitted(word)
    && !(word.startsWith("--") && isOmitted(words[index + 1])));
  // A line is broken between words, and not after the hyphens of an option.
  return h("code.command", null, shown.map((word, index) =>
    [index > 0 && " ", h("span", null, values[word] ? quoted(values[word]) : word)]));
}

/** A word for a shell, in quotation marks if it contains other characters than those of names and paths. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** An ID with a button that copies it. The content is the ID itself, or a link. */
export function copyable(text, content = code(text)) {
  return h("span.copyable", null, content,
    h("button.copy", { type: "button", title: "Copy", "aria-label": `Copy ${text}`, onclick: () => copy(text) }));
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without TLS, a page of another machine has no clipboard.
    const area = h("textarea", { class: "visually-hidden", "aria-hidden": "true", value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast("Copied.");
}

/** A button that opens a small panel. It closes on Escape, and on a click outside. */
export function menu(title, ...content) {
  const panel = h("div.panel", null, content);
  const element = h("details.menu-button", {
    onkeydown(event) {
      if (event.key !== "Escape" || !element.open) return;
      element.open = false;
      element.firstChild.focus();
    },
    ontoggle() {
      const close = (event) => { if (!element.contains(event.target)) element.open = false; };
      if (element.open) document.addEventListener("click", close,
        { signal: (element.closing = new AbortController()).signal });
      else element.closing?.abort();
    },
  }, h("summary", null, title), panel);
  return element;
}
export function message(text,
  kind) { return h("p.message" + (kind ? `.${kind}` : ""), { role: kind === "bad" ? "alert" : null }, text); }

/** The header of a page. Its heading gets the focus when the page opens. */
export function head(title, lead, ...tools) {
  return h("div.head", null, h("h1", { tabindex: -1 }, title), tools, lead && h("p.lead", null, lead));
}

/** A description list; pairs without a value are omitted. */
export function facts(pairs) {
  return h("dl.facts", null, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

/** Shows a short message, which screen readers announce. */
let toastTimer;
export function toast(text) {
  const element = document.getElementById("toast");
  element.textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { element.textContent = ""; }, 5000);
}

/** Asks the user to confirm an action that cannot be undone. */
export function confirm(title, text, verb) {
  return new Promise((resolve) => {
    const heading = identifier("dialog");
    const dialog = h("dialog",
      { "aria-labelledby": heading, onclose: () => { dialog.remove(); resolve(dialog.returnValue === "yes"); } },
      h("form", { method: "dialog" }, h("h2", { id: heading }, title), h("p", null, text),
        h("div.actions", null, h("button", { value: "no", autofocus: true }, "Cancel"),
          h("button.danger", { value: "yes" }, verb))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

// Numbers and times.

const whole = new Intl.NumberFormat("en");
export const number = (value) => (value === null || value === undefined ? "–" : whole.format(value));

/** Formats microseconds in a suitable unit. */
export function latency(microseconds) {
  if (microseconds === null || microseconds === undefined) return "–";
  if (microseconds < 1000) return `${microseconds} µs`;
  const milliseconds = microseconds / 1000;
  if (milliseconds < 1000) return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Formats seconds with the two largest units: 3 d 4 h. */
export function duration(seconds) {
  let rest = Math.max(Math.round(seconds), 0);
  const parts = [];
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    if (rest >= length || (unit === "s" && !parts.length)) parts.push(`${Math.floor(rest / length)} ${unit}`);
    rest %= length;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

const dayAndTime = new Intl.DateTimeFormat("en-GB",
  { year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
    hour12: false });
const timeOnly = new Intl.DateTimeFormat("en-GB",
  { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

/** Formats Unix seconds; `short` omits the day if it is today. */
export function time(seconds, short = false) {
  if (seconds === null || seconds === undefined) return "–";
  const date = new Date(seconds * 1000);
  const isToday = date.toDateString() === new Date().toDateString();
  return h("time", { datetime: date.toISOString(), title: dayAndTime.format(date) },
    (short && isToday ? timeOnly : dayAndTime).format(date));
}

/** Formats Unix milliseconds as text, with the day. */
export const dateText = (milliseconds) => dayAndTime.format(new Date(milliseconds));

/** The name of the time zone of all times on the pages, with its offset. */
export function timeZone() {
  const part = (style) => new Intl.DateTimeFormat("en-GB", { timeZoneName: style }).formatToParts(new Date())
    .find((one) => one.type === "timeZoneName")?.value;
  const offset = part("longOffset");
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name === "UTC" || !name ? "UTC" : `${name} (${offset === "GMT" ? "UTC" : offset?.replace("GMT", "UTC")})`;
}

/** Returns the time left until a time in Unix seconds. */
export function left(seconds) {
  const rest = seconds - Date.now() / 1000;
  return rest > 0 ? duration(rest) : "expired";
}

/** A countdown, which is updated as long as the element is on the page. */
export function countdown(seconds) {
  const element = h("span", { title: new Date(seconds * 1000).toLocaleString("en-GB") }, left(seconds));
  const timer = setInterval(() => {
    if (!element.isConnected) return clearInterval(timer);
    element.textContent = left(seconds);
  }, 1000);
  return element;
}

