"""Rules for a page that everybody can use, held against what a browser makes of it: names, landmarks, headings, contrast,
focus. Written by hand from WCAG 2.2; what they cannot see is whether the words are good."""

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

// Everything that can be used has a name.
for (const element of all("input:not([type=hidden]), select, textarea")) {
  if (!element.labels.length && !element.getAttribute("aria-label")) say(element, "a field without a label");
}
for (const element of all("button, a[href], summary, [role=button]")) if (!label(element)) say(element, "nothing says what this does");
for (const element of all("[role=img], progress, dialog, nav, [role=region], [role=radiogroup]")) if (!label(element)) say(element, "no name");
for (const element of all("img")) if (!element.hasAttribute("alt")) say(element, "an image without a text");

// One main part, one main heading, no level left out.
if (all("main").length !== 1) found.push(`${all("main").length} main parts`);
if (all("h1").length !== 1) found.push(`${all("h1").length} main headings`);
let level = 0;
for (const element of all("h1, h2, h3, h4")) {
  const own = Number(element.tagName[1]);
  if (own > level + 1) say(element, `a heading of level ${own} after one of ${level}`);
  level = own;
}
if (!document.documentElement.lang) found.push("no language");
if (!document.title) found.push("no title");

// Identifiers are unique, and what refers to one finds it.
const ids = new Set();
for (const element of document.querySelectorAll("[id]")) {
  if (ids.has(element.id)) say(element, "an id that is there twice");
  ids.add(element.id);
}
for (const name of ["for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
  for (const element of document.querySelectorAll(`[${name}]`)) {
    for (const id of element.getAttribute(name).split(" ")) if (!ids.has(id)) say(element, `${name} leads nowhere`);
  }
}

// Tables say what their columns are.
for (const element of all("table")) {
  if (!words(element.caption)) say(element, "a table without a caption");
  for (const cell of element.querySelectorAll("thead th")) if (!words(cell) || cell.scope !== "col") say(cell, "a column without a name");
}

// Nothing takes the focus out of its order, and what is pressed is large enough.
for (const element of document.querySelectorAll("[tabindex]")) if (element.tabIndex > 0) say(element, "a tabindex of its own");
for (const element of all("button, select, input:not([type=radio])")) {
  const box = element.getBoundingClientRect();
  if (box.height < 24 || box.width < 24) say(element, `only ${Math.round(box.width)} by ${Math.round(box.height)} pixels`);
}

// Text stands out from its ground: 4.5 to 1, and 3 to 1 where it is large.
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

// The page is no wider than the window.
if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
return found;
"""

# Where the focus is, and whether one sees it there.
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
    """What is wrong with the page as it is now, in words."""
    return browser.run(RULES)


def focus_complaints(browser, least=3, limit=60):
    """Goes through the page by Tab: the focus moves on in the order of the document, is seen, and gets out again."""
    browser.run("document.activeElement?.blur(); window.scrollTo(0, 0); getSelection().removeAllRanges();"
                "const first = document.querySelector('a[href], button, input'); first.focus(); ")
    found, last, steps = [], -1, 0
    while steps < limit:
        browser.press("Tab")
        at = browser.run(FOCUS)
        if at is None or at["place"] <= last and steps > 0:
            break
        if not at["seen"]:
            found.append(f"the focus is not seen: {at['text']}")
        if not at["inView"]:
            found.append(f"the focus is out of sight: {at['text']}")
        last, steps = at["place"], steps + 1
        # Not out of the page: from its own controls Firefox does not give the focus back to it.
        if at["isLast"]:
            break
    if steps < least:
        found.append(f"only {steps} places can be reached by keyboard")
    return found
