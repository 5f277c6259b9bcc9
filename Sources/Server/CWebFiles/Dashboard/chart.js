// Line charts over time, in SVG.

import { h, identifier } from "./dom.js";

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

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hour12: false });
const clockWithSeconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

/**
 * A chart of several series over the same times.
 * @param {{title: string, series: Array<{name: string, key: string, area?: boolean}>, format: function(number): string, least?: number}} options
 *   least: the minimum of the largest value on the scale
 * @returns {{element: HTMLElement, draw: function(Array<Object>, number): void}}  draw: receives slots
 *   with `time`, and their duration in seconds
 */
export function chart({ title, series, format, least = 1 }) {
  const picture = svg("svg", { role: "img", preserveAspectRatio: "none" });
  const legend = h("ul.legend");
  const description = h("p.visually-hidden", { id: identifier("chart") });
  picture.setAttribute("aria-label", title);
  picture.setAttribute("aria-describedby", description.id);
  const element = h("figure.chart", null, picture, legend, description);
  let slots = [];
  let step = 1;
  let pointed = null;

  const values = series.map((one, index) => {
    const value = h("b");
    const sample = svg("svg", { viewBox: "0 0 14 8", "aria-hidden": "true" }, svg("line", { x1: 0, x2: 14, y1: 4, y2: 4, class: `s${index + 1}` }));
    legend.append(h("li", null, sample, one.name, " ", value));
    return value;
  });
  const when = legend.appendChild(h("li"));

  function updateLegend() {
    const slot = pointed ?? slots.at(-1);
    series.forEach((one, index) => { values[index].textContent = slot?.[one.key] === undefined ? "–" : format(slot[one.key]); });
    when.textContent = pointed ? clockWithSeconds.format(new Date(pointed.time * 1000)) : "";
  }

  function draw(newSlots = slots, newStep = step) {
    slots = newSlots;
    step = newStep;
    const width = Math.max(element.clientWidth, 280);
    const height = 190;
    const largest = Math.max(0, ...slots.flatMap((slot) => series.map((one) => slot[one.key] ?? 0)));
    const marks = ticks(largest, least);
    const edge = 8 + Math.max(...marks.map((mark) => format(mark).length)) * 6.2;
    const [top, right, bottom] = [8, 2, 22];
    const x = (index) => edge + (width - edge - right) * (slots.length > 1 ? index / (slots.length - 1) : 0);
    const y = (value) => top + (height - top - bottom) * (1 - value / marks.at(-1));
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren();
    for (const mark of marks) {
      picture.append(svg("line", { class: "rule", x1: edge, x2: width - right, y1: y(mark), y2: y(mark) }),
        svg("text", { x: edge - 6, y: y(mark) + 4, "text-anchor": "end" }, format(mark)));
    }
    const labels = Math.max(Math.floor((width - edge) / 110), 2);
    for (let place = 0; place <= labels && slots.length; place++) {
      const index = Math.round((slots.length - 1) * place / labels);
      const anchor = place === 0 ? "start" : place === labels ? "end" : "middle";
      const text = (step < 10 ? clockWithSeconds : clock).format(new Date(slots[index].time * 1000));
      picture.append(svg("text", { x: x(index), y: height - 5, "text-anchor": anchor }, text));
    }
    series.forEach((one, number) => {
      for (const run of runs(slots, one.key)) {
        const points = run.map((index) => `${x(index).toFixed(1)},${y(slots[index][one.key]).toFixed(1)}`);
        // An isolated value is drawn as a dot.
        if (points.length === 1) points.push(`${(x(run[0]) + 1).toFixed(1)},${points[0].split(",")[1]}`);
        if (one.area) picture.append(svg("path", { class: `area a${number + 1}`, d: `M${x(run[0])},${y(0)}L${points.join("L")}L${x(run.at(-1))},${y(0)}Z` }));
        picture.append(svg("path", { class: `line s${number + 1}`, d: `M${points.join("L")}` }));
      }
    });
    if (pointed) {
      const index = slots.findIndex((slot) => slot.time === pointed.time);
      if (index < 0) pointed = null;
      else picture.append(svg("line", { class: "rule cursor", x1: x(index), x2: x(index), y1: top, y2: height - bottom }));
    }
    picture.onpointermove = (event) => {
      const box = picture.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width * width - edge) / (width - edge - right);
      pointed = slots[Math.round(share * (slots.length - 1))] ?? null;
      draw();
    };
    picture.onpointerleave = () => { pointed = null; draw(); };
    updateLegend();
  }

  /** Updates the text description of the chart. It is not updated every second, which would disturb screen reader users. */
  function describe() {
    const words = series.map((one) => {
      const known = slots.map((slot) => slot[one.key]).filter((value) => value !== undefined);
      return known.length ? `${one.name}: now ${format(known.at(-1))}, maximum ${format(Math.max(...known))}` : `${one.name}: no data yet`;
    });
    description.textContent = `${words.join("; ")}.`;
  }

  new ResizeObserver(() => draw()).observe(element);
  return { element, draw, describe };
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
    h("span.name", null, item.name), h("span.value", null, `${format(item.count)} · ${(100 * item.count / total).toFixed(item.count / total < 0.1 ? 1 : 0)} %`),
    h("progress", { max: total, value: item.count, "aria-label": item.label ?? item.name }))));
}
