// Line charts over time, in SVG.

import { h } from "./dom.js";

const ns = "http://www.w3.org/2000/svg";
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(ns, tag);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Returns at most five round numbers, from 0 to at least the largest value. */
export function ticks(largest, least = 1) {
  const top = Math.max(largest, least);
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  const count = Math.ceil(top / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

const format = (options) => new Intl.DateTimeFormat("en-GB", { hour12: false, ...options });
const clock = format({ hour: "2-digit", minute: "2-digit" });
const clockWithSeconds = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = format({ day: "2-digit", month: "short" });
const dayAndClock = format({ weekday: "short", day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit",
    second: "2-digit" });

/**
 * A chart of several series over the same times. The arrow keys, or the pointer, select a time, whose values are shown;
 * Enter, or a click, opens it.
 * @param {{title: string, series: Array<{name: string, key: string, area?: boolean}>, format: function(number): string,
 *   least?: number, open?: function(number, number): void}} options least: the minimum of the largest value on the
 *   scale; open: called with the begin and the end of a slot, in Unix seconds
 * @returns {{element: HTMLElement, draw: function(Array<Object>=, number=): void}} draw: receives slots with `time`,
 *   and their duration in seconds
 */
export function chart({ title, series, format, least = 1, open }) {
  const picture = svg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
  const legend = h("ul.legend");
  const tip = h("div.tip", { hidden: true, "aria-hidden": "true" });
  const plot = h("div.plot",
    { role: "slider", tabindex: 0, "aria-label": title, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0,
      "aria-valuetext": "no data yet" }, picture, tip);
  const element = h("figure.chart", null, plot, legend);
  let slots = [];
  let step = 1;
  /** The time of the selected slot: slots move while the chart is shown. */
  let selected = null;
  let scale = { x: () => 0, indexAt: () => 0 };

  const values = series.map((one, index) => {
    const value = h("b");
    const sample = svg("svg", { viewBox: "0 0 14 8", "aria-hidden": "true" },
      svg("line", { x1: 0, x2: 14, y1: 4, y2: 4, class: `s${index + 1}` }));
    legend.append(h("li", null, sample, one.name, " ", value));
    return value;
  });
  const valueOf = (slot, one) => (slot?.[one.key] === undefined ? "–" : format(slot[one.key]));

  function draw(newSlots = slots, newStep = step) {
    slots = newSlots;
    step = newStep;
    const width = Math.max(element.clientWidth, 260);
    const height = 190;
    const largest = Math.max(0, ...slots.flatMap((slot) => series.map((one) => slot[one.key] ?? 0)));
    const marks = ticks(largest, least);
    const edge = 8 + Math.max(...marks.map((mark) => format(mark).length)) * 6.2;
    const [top, right, bottom] = [8, 2, 22];
    const x = (index) => edge + (width - edge - right) * (slots.length > 1 ? index / (slots.length - 1) : 0);
    const y = (value) => top + (height - top - bottom) * (1 - value / marks.at(-1));
    scale = { x, width,
      indexAt: (place) =>
      Math.min(Math.max(Math.round((place - edge) / (width - edge - right) * (slots.length - 1)), 0),
        slots.length - 1) };
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren();
    for (const mark of marks) {
      picture.append(svg("line", { class: "rule", x1: edge, x2: width - right, y1: y(mark), y2: y(mark) }),
        svg("text", { x: edge - 6, y: y(mark) + 4, "text-anchor": "end" }, format(mark)));
    }
    drawTimes(width - edge,
      (index, text, anchor) =>
      picture.append(svg("text", { x: x(index), y: height - 5, "text-anchor": anchor }, text)));
    series.forEach((one, number) => {
      for (const run of runs(slots, one.key)) {
        const points = run.map((index) => `${x(index).toFixed(1)},${y(slots[index][one.key]).toFixed(1)}`);
        // An isolated value is drawn as a dot.
        if (points.length === 1) points.push(`${(x(run[0]) + 1).toFixed(1)},${points[0].split(",")[1]}`);
        if (one.area) picture.append(svg("path",
            { class: `area a${number + 1}`,
              d: `M${x(run[0])},${y(0)}L${points.join("L")}L${x(run.at(-1))},${y(0)}Z` }));
        picture.append(svg("path", { class: `line s${number + 1}`, d: `M${points.join("L")}` }));
      }
    });
    const index = slots.findIndex((slot) => slot.time === selected);
    if (index >= 0) picture.append(svg("line",
        { class: "rule cursor", x1: x(index), x2: x(index), y1: top, y2: height - bottom }));
    showValues(index);
  }

  /** Draws the times of the axis: dates if it is longer than two days, and also where a day begins. */
  function drawTimes(width, add) {
    const count = Math.max(Math.floor(width / 110), 2);
    const span = slots.length * step;
    let shownDay = null;
    for (let place = 0; place <= count && slots.length; place++) {
      const index = Math.round((slots.length - 1) * place / count);
      const date = new Date(slots[index].time * 1000);
      const ownDay = day.format(date);
      const hour = (step < 10 ? clockWithSeconds : clock).format(date);
      const text = span > 4 * 86_400 ? ownDay : span > 3600 && ownDay !== shownDay ? `${ownDay} ${hour}` : hour;
      shownDay = ownDay;
      add(index, text, place === 0 ? "start" : place === count ? "end" : "middle");
    }
  }

  /** Shows the values of the selected slot, or the latest ones. */
  function showValues(index) {
    const slot = slots[index] ?? slots.at(-1);
    series.forEach((one, number) => { values[number].textContent = valueOf(slot, one); });
    tip.hidden = index < 0;
    plot.setAttribute("aria-valuemax", String(Math.max(slots.length - 1, 0)));
    // A screen reader announces a change: without a selection, the text is that of the whole time.
    plot.setAttribute("aria-valuenow", String(index < 0 ? Math.max(slots.length - 1, 0) : index));
    const named = () => series.map((one) => `${one.name} ${valueOf(slot, one)}`).join(", ");
    const text = slots.length ? `${dayAndClock.format(slot.time * 1000)}: ${named()}` : "no data yet";
    if (index >= 0 || document.activeElement !== plot) plot.setAttribute("aria-valuetext", text);
    if (index < 0) return;
    tip.replaceChildren(h("div", null, dayAndClock.format(slot.time * 1000)),
      ...series.map((one) => h("div", null, `${one.name}: ${valueOf(slot, one)}`)));
    const place = scale.x(index) / scale.width * plot.clientWidth;
    tip.style.left =
      `${Math.min(Math.max(place - tip.offsetWidth / 2, 0), Math.max(plot.clientWidth - tip.offsetWidth, 0))}px`;
  }

  function select(index) {
    selected = slots[index]?.time ?? null;
    draw();
  }
  const indexOf = (event) => { const box = plot.getBoundingClientRect();
    return scale.indexAt((event.clientX - box.left) / box.width * scale.width); };
  const openSelected = () => { if (open && selected !== null) open(selected, selected + step); };
  plot.addEventListener("pointermove", (event) => select(indexOf(event)));
  plot.addEventListener("pointerleave", () => { if (document.activeElement !== plot) select(-1); });
  plot.addEventListener("blur", () => select(-1));
  plot.addEventListener("click", (event) => { select(indexOf(event)); openSelected(); });
  plot.addEventListener("keydown", (event) => {
    const now = slots.findIndex((slot) => slot.time === selected);
    const last = slots.length - 1;
    const page = Math.max(Math.round(slots.length / 10), 1);
    const from = now < 0 ? last + 1 : now;
    const moves = { ArrowLeft: from - 1, ArrowDown: from - 1, ArrowRight: now < 0 ? last : now + 1, ArrowUp: now < 0
      ? last : now + 1, PageDown: from - page, PageUp: from + page, Home: 0, End: last };
    if (event.key === "Enter") return openSelected();
    if (event.key === "Escape") return select(-1);
    if (!(event.key in moves) || !slots.length) return;
    event.preventDefault();
    select(Math.min(Math.max(moves[event.key], 0), last));
  });

  new ResizeObserver(() => draw()).observe(element);
  return { element, draw };
}

/** Returns the ranges of indexes for which a series has values without a gap. */
function runs(slots, key) {
  const found = [];
  slots.forEach((slot, index) => {
    if (slot[key] === undefined) return;
    if (found.at(-1)?.at(-1) === index - 1) found.at(-1).push(index);
    else found.push([index]);
  });
  return found;
}

/** A bar chart of the counts of several items. */
export function bars(items, format = (value) => value.toLocaleString("en")) {
  const total = items.reduce((sum, item) => sum + item.count, 0) || 1;
  return h("ul.bars", null, items.map((item) => h("li" + (item.kind ? `.${item.kind}` : ""), null,
    h("span.name", null, item.href ? h("a", { href: item.href }, item.name) : item.name),
      h("span.value", null,
      `${format(item.count)} · ${(100 * item.count / total).toFixed(item.count / total < 0.1 ? 1 : 0)} %`),
    h("progress", { max: total, value: item.count, "aria-label": item.label ?? item.name }))));
}
