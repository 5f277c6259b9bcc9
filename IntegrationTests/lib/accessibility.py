"""Accessibility rules for a page, checked in a browser: names, landmarks, headings, contrast, focus. They follow WCAG 2.2
and were written for these tests; they cannot check whether texts are clear. With axe-core, `axe_complaints` applies its rules, too."""

import importlib.util
import os
from pathlib import Path

RULES = r"""
const found = [];
const say = (element, words) => found.push(`${words}: ${element.outerHTML.slice(0, 160)}`);
const shows = (element) => element.checkVisibility({checkOpacity: false, checkVisibilityCSS: true})
    && element.getBoundingClientRect().width > 0;
const all = (selector) => [...document.querySelectorAll(selector)].filter(shows);
const words = (element) => (element?.textContent ?? "").trim();
const label = (element) => {
  const by = element.getAttribute("aria-labelledby");
  if (by) return by.split(" ").map((id) => words(document.getElementById(id))).join(" ").trim();
  return element.getAttribute("aria-label") ?? ([...(element.labels ?? [])].map(words).join(" ") || words(element) || element.title);
};

// Every control has an accessible name.
for (const element of all("input:not([type=hidden]), select, textarea")) {
  if (!element.labels.length && !element.getAttribute("aria-label")) say(element, "a field without a label");
}
for (const element of all("button, a[href], summary, [role=button]")) if (!label(element)) say(element, "a control without a name");
for (const element of all("[role=img], progress, dialog, nav, [role=region], [role=radiogroup]")) if (!label(element)) say(element, "an element without a name");
for (const element of all("img")) if (!element.hasAttribute("alt")) say(element, "an image without an alt text");

// The page has one main landmark, one main heading, and no skipped heading level.
if (all("main").length !== 1) found.push(`${all("main").length} main landmarks, expected 1`);
if (all("h1").length !== 1) found.push(`${all("h1").length} main headings, expected 1`);
let level = 0;
for (const element of all("h1, h2, h3, h4")) {
  const own = Number(element.tagName[1]);
  if (own > level + 1) say(element, `a heading of level ${own} after one of ${level}`);
  level = own;
}
if (!document.documentElement.lang) found.push("the document has no language");
if (!document.title) found.push("the document has no title");

// IDs are unique, and references to them are valid.
const ids = new Set();
for (const element of document.querySelectorAll("[id]")) {
  if (ids.has(element.id)) say(element, "a duplicate id");
  ids.add(element.id);
}
for (const name of ["for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
  for (const element of document.querySelectorAll(`[${name}]`)) {
    for (const id of element.getAttribute(name).split(" ")) if (!ids.has(id)) say(element, `${name} leads nowhere`);
  }
}

// Tables have a caption and names of their columns.
for (const element of all("table")) {
  if (!words(element.caption)) say(element, "a table without a caption");
  for (const cell of element.querySelectorAll("thead th")) if (!words(cell) || cell.scope !== "col") say(cell, "a column without a name");
}

// The focus order is that of the document, and controls are large enough.
for (const element of document.querySelectorAll("[tabindex]")) if (element.tabIndex > 0) say(element, "a positive tabindex");
for (const element of all("button, select, input:not([type=radio])")) {
  const box = element.getBoundingClientRect();
  if (box.height < 24 || box.width < 24) say(element, `only ${Math.round(box.width)} by ${Math.round(box.height)} pixels`);
}

// Text contrast is at least 4.5 to 1, and 3 to 1 for large text.
const parse = (text) => {
  const parts = text.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/)
      ?? text.match(/^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)$/)?.map((value, index) => index > 0 && index < 4 ? value * 255 : value);
  return parts && [Number(parts[1]), Number(parts[2]), Number(parts[3]), parts[4] === undefined ? 1 : Number(parts[4])];
};
const over = (top, ground) => top.slice(0, 3).map((value, index) => value * top[3] + ground[index] * (1 - top[3])).concat(1);
const light = (color) => color.slice(0, 3).map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
const ground = (element) => {
  const layers = [];
  for (let place = element; place; place = place.parentElement) {
    const color = parse(getComputedStyle(place).backgroundColor);
    if (color && color[3] > 0) layers.push(color);
    if (color?.[3] === 1) break;
  }
  const base = matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 1] : [255, 255, 255, 1];
  return layers.reduceRight((below, layer) => over(layer, below), base);
};
const texts = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (words(walker.currentNode) && shows(element) && !element.closest(".visually-hidden, :disabled, script, option, noscript")) texts.set(element, null);
}
for (const element of all("input, textarea")) texts.set(element, null);
for (const element of texts.keys()) {
  const style = getComputedStyle(element);
  const color = parse(element instanceof SVGElement ? style.fill : style.color);
  if (!color) { say(element, `a color that cannot be read, ${style.color}`); continue; }
  const below = ground(element);
  const [one, other] = [light(over(color, below)), light(below)].sort((left, right) => right - left);
  const ratio = (one + 0.05) / (other + 0.05);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (ratio < (isLarge ? 3 : 4.5)) say(element, `contrast of ${ratio.toFixed(2)} to 1, ${style.color}`);
}

// No text is cut off by its box, and no control covers another one.
const scrolls = (style) => /auto|scroll/.test(style.overflowX + style.overflowY);
for (const element of all("main *, header *, nav *")) {
  const style = getComputedStyle(element);
  if (element.closest("svg, .visually-hidden, select, textarea, input, thead") || scrolls(style) || style.textOverflow === "ellipsis") continue;
  if (style.overflowX !== "visible" && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)) say(element, "content that is cut off");
}
const controls = all("main a[href], main button, main input:not([type=radio]), main select, main textarea, main summary, header a, header button, header input")
    .map((element) => [element, [...element.getClientRects()]]);
const isInBar = (element) => element.closest("header") !== null;
for (const [index, [element, boxes]] of controls.entries()) {
  for (const [other, others] of controls.slice(index + 1)) {
    // What scrolls below the header, or in a region, is not covered for good.
    if (isInBar(element) !== isInBar(other) || element.contains(other) || other.contains(element)
        || element.closest(".scroll, .region") !== other.closest(".scroll, .region") || Boolean(element.closest("thead")) !== Boolean(other.closest("thead"))) continue;
    if (boxes.some((box) => others.some((one) => Math.min(box.right, one.right) - Math.max(box.left, one.left) > 2 && Math.min(box.bottom, one.bottom) - Math.max(box.top, one.top) > 2))) {
      say(element, `a control that covers ${other.outerHTML.slice(0, 80)}`);
    }
  }
}

// The page is not wider than the window, and in it nothing has to be scrolled sideways.
for (const element of all("main *")) {
  if (scrolls(getComputedStyle(element)) && !element.matches("textarea, input, select") && element.scrollWidth > element.clientWidth + 1) say(element, `content of ${element.scrollWidth} pixels in ${element.clientWidth}`);
}
if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
return found;
"""

# Returns the focused element, and whether the focus is visible there.
FOCUS = r"""
const element = document.activeElement;
if (!element || element === document.body) return null;
const style = getComputedStyle(element);
const mark = element.closest(".segments") ? getComputedStyle(element.nextElementSibling) : style;
const everything = [...document.querySelectorAll("*")];
const box = (element.closest(".segments") ? element.nextElementSibling : element).getBoundingClientRect();
const places = everything.filter((one) => one.matches("a[href], button, input, select, textarea, summary, [tabindex='0']")
    && !one.disabled && one.checkVisibility() && !(one.type === "radio" && !one.checked));
return {isLast: places.at(-1) === element, place: everything.indexOf(element), text: element.outerHTML.slice(0, 120),
        seen: mark.outlineStyle !== "none" && parseFloat(mark.outlineWidth) >= 1, inView: box.bottom > 0 && box.top < innerHeight};
"""


def complaints(browser):
    """Returns descriptions of the violations on the current page."""
    return browser.run(RULES)


def axe_source():
    """Returns the source of axe-core: the file KEYWAY_AXE, or that of a Python package with it (PyPI: axe-playwright-python); None without
    it."""
    file = os.environ.get("KEYWAY_AXE")
    if not file:
        package = importlib.util.find_spec("axe_playwright_python")
        file = package and Path(package.origin).with_name("axe.min.js")
    return Path(file).read_text() if file else None


def axe_complaints(browser, source):
    """Returns descriptions of what axe-core finds on the current page by its rules for WCAG 2.2 A and AA, and best practices."""
    browser.run(source)
    return browser.await_(
        "const {violations} = await axe.run(document, {resultTypes: ['violations']});"
        "return violations.flatMap((one) => one.nodes.map((node) => `axe ${one.id}: ${one.help}: ${node.html.slice(0, 160)}`))")


def focus_complaints(browser, least=3, limit=60):
    """Navigates the page with Tab: the focus moves in document order, is visible, and leaves the page at the end."""
    browser.run("document.activeElement?.blur(); window.scrollTo(0, 0); getSelection().removeAllRanges();"
                "const first = document.querySelector('a[href], button, input'); first.focus(); ")
    found, last, steps = [], -1, 0
    while steps < limit:
        browser.press("Tab")
        at = browser.run(FOCUS)
        if at is None or at["place"] <= last and steps > 0:
            break
        if not at["seen"]:
            found.append(f"the focus is not visible: {at['text']}")
        if not at["inView"]:
            found.append(f"the focus is outside of the visible area: {at['text']}")
        last, steps = at["place"], steps + 1
        # Stops at the end of the page: Firefox does not return the focus from its own controls.
        if at["isLast"]:
            break
    if steps < least:
        found.append(f"only {steps} elements can be reached by keyboard")
    return found
