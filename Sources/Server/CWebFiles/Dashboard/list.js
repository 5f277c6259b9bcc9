// The list component: filters and position in the address, pages with totals, order, choice of columns, export.

import { change, current, parameters } from "./address.js";
import { request } from "./api.js";
import { dateText, field, fill, h, identifier, menu, number, table } from "./dom.js";
import { exportRows } from "./export.js";
import { filterForm } from "./filters.js";
import { failure } from "./load.js";

const sizes = [50, 100, 500];
/** The cursors of pages that were shown, by list and position, so that one can go back. */
const cursors = new Map();

/**
 * A list.
 * @param {{ name: string, caption: string, path: string, cursor?: string, signal: AbortSignal, scope?: string, fixed?:
 *   Object<string, string>, filters?: Array<Object>, columns: Array<Object>, sort?: string, none: function(boolean):
 *   any, above?: function(Array): any, prepare?: function(Array): void, }} options name: for choices that are kept and
 *   for files; path: of the API; scope: precedes the parameters in the address, if a page has several lists; fixed:
 *   parameters of the API that are not in the address; columns: of `table`, `optional` ones are hidden at first, and
 *   those with a `property` on pages on which no row has it; sort: the order without a parameter; none: what to show if
 *   there is no row, with and without filters; above: what precedes the table; prepare: called with the rows before
 *   their cells
 * @returns {{element: HTMLElement, load: function(boolean=): Promise<void>, items: function(): Array}}
 */
export function listing(options) {
  const { name, path, signal, scope = "", fixed = {}, filters = [], columns, cursor: cursorName = "after" } = options;
  const place = h("div.rows");
  const status = h("p.note.status", { role: "status" });
  const pager = h("div.pager");
  const exported = h("p.note", { role: "status" });
  let page = { items: [], next: null };
  let running = new AbortController();
  let exporting = null;

  const parameter = (key) => current().query.get(scope + key) ?? "";
  const size = () => (sizes.includes(Number(parameter("rows"))) ? Number(parameter("rows")) : 100);
  const start = () => (parameter(cursorName) ? Math.max(Number.parseInt(parameter("start"), 10) || 0, 0) : 0);
  const conditions = () =>
    Object.fromEntries(filters.map((one) => [one.name, parameter(one.name)]).filter(([, value]) => value !== ""));
  const order = () =>
    (options.sort ? { sort: parameter("sort") || options.sort, order: parameter("order") || options.order || "asc" }
    : {});
  const isFiltered = () => Object.keys(conditions()).length > 0;
  const key = () => JSON.stringify([name, fixed, conditions(), order(), size()]);

  /** Returns a page from the server. */
  function fetchPage(cursor, limit, unattended, ownSignal) {
    const query = parameters({ ...fixed, ...conditions(), ...order(), limit });
    if (cursor) query.set(cursorName, cursor);
    return request(`${path}?${query}`, { signal: ownSignal, unattended });
  }

  function go(changes) {
    change(Object.fromEntries(Object.entries(changes).map(([one, value]) => [scope + one, value])));
    return load();
  }

  /** Loads the page of the address. A search continues until the page is full or the log ends. */
  async function load(unattended = false) {
    running.abort();
    running = new AbortController();
    const own = running;
    const ownSignal = AbortSignal.any([signal, own.signal]);
    const cursor = parameter(cursorName) || null;
    if (start() > 0 && cursor) remember(start(), cursor);
    if (!unattended) {
      place.setAttribute("aria-busy", "true");
      tools.hidden = false;
      status.textContent = "Loading…";
    }
    await collect({ items: [], next: cursor, searched: 0, oldest: null }, own, ownSignal, unattended);
  }

  async function collect(found, own, ownSignal, unattended) {
    try {
      do {
        const part = await fetchPage(found.next, size() - found.items.length, unattended, ownSignal);
        if (own !== running) return;
        found.items = [...found.items, ...part.items];
        found.next = part.next;
        found.total = part.total;
        found.searched += part.searched ?? 0;
        found.oldest = part.oldest ?? found.oldest;
        const isSearching = found.next !== null && found.items.length < size() && part.searched !== undefined;
        page = found;
        draw(isSearching, () => { own.abort(); stopped(found); });
        if (!isSearching) break;
      } while (!own.signal.aborted);
    } catch (error) {
      if (signal.aborted || own !== running) return;
      if (own.signal.aborted) return stopped(found);
      if (error.status === undefined) console.error(error);
      fill(place, failure(error, () => load()));
      fill(status);
      fill(pager);
    } finally {
      if (own === running) place.removeAttribute("aria-busy");
    }
  }

  /** Shows that a search was stopped, and how to continue. */
  function stopped(found) {
    draw(false);
    fill(status, `Stopped. ${range()} ${searchedText(found)} `, h("button.small", { type: "button", onclick() {
      running = new AbortController();
      collect(found, running, AbortSignal.any([signal, running.signal]), false);
    } }, "Continue the search"));
  }

  const searchedText = (found) =>
    `Compared ${number(found.searched)} entries${found.oldest ? `, back to ${dateText(found.oldest)}` : ""}.`;

  function range() {
    const first = start() + 1;
    const last = start() + page.items.length;
    if (!page.items.length) return page.total ? `0 of ${number(page.total)}.` : "";
    if (page.total !== undefined) return `${number(first)}–${number(last)} of ${number(page.total)}`;
    const direction = cursorName === "before" ? ", newest first" : "";
    return `${number(first)}–${number(last)}${direction}; ${page.next ? "there are more" : "that is all"}.`;
  }

  function remember(position, cursor) {
    if (cursors.size > 5000) cursors.clear();
    cursors.set(`${key()}${position}`, cursor);
  }

  function draw(isSearching, stop) {
    const { items, next } = page;
    if (isSearching) fill(status, `${searchedText(page)} ${number(items.length)} found. `,
      h("button.small", { type: "button", onclick: stop }, "Stop"));
    else fill(status, [range(), isFiltered() && page.searched > items.length && searchedText(page)].filter(Boolean)
      .join(" "));
    options.prepare?.(items);
    // Without a row, there is nothing to choose or to export.
    tools.hidden = !items.length && !isFiltered() && !isSearching && start() === 0;
    const { sort, order: direction } = order();
    // A row with the focus is not replaced by an update; the next one replaces it.
    const sorts = place.contains(document.activeElement) ? document.activeElement.dataset.sort : null;
    if (items.length) fill(place,
      options.above?.(items),
      table(options.caption, shown(items), items,
        { sort, isDescending: direction === "desc",
          onsort: (column, isDescending) =>
            go({ sort: column, order: isDescending ? "desc" : "asc", ...beginning }) }));
    else fill(place, !isSearching && options.none(isFiltered()));
    if (sorts) place.querySelector(`[data-sort="${sorts}"]`)?.focus();
    const before = start() > 0 ? cursors.get(`${key()}${start() - size()}`) : undefined;
    const button = (text, isOn, action) =>
      h("button.small", { type: "button", disabled: !isOn, onclick: action }, text);
    const isPaged = start() > 0 || (next !== null && !isSearching);
    sizePlace.hidden = !isPaged && !parameter("rows");
    fill(pager, isPaged && [
      button("First page", start() > 0, () => go(beginning)),
      button("Previous page", start() === size() || before !== undefined,
        () => go(start() <= size() ? beginning : { start: start() - size(), [cursorName]: before })),
      button("Next page", next !== null, () => {
        const position = start() + items.length;
        remember(position, next);
        return go({ start: position, [cursorName]: next }).then(() => place.scrollIntoView({ block: "nearest" }));
      })]);
  }

  const beginning = { start: null, [cursorName]: null };
  const storage = `keyway-columns-${name}`;
  function hiddenColumns() {
    try {
      const stored = JSON.parse(localStorage.getItem(storage));
      if (Array.isArray(stored)) return new Set(stored);
    } catch { /* What is stored is not a list: use the default. */ }
    return new Set(columns.filter((column) => column.optional).map((column) => column.title));
  }
  function shown(items) {
    const hidden = hiddenColumns();
    const hasValue = ({ property }) => !property || items.some((item) => item[property] !== undefined);
    return columns.filter((column) => column.hidden || (!hidden.has(column.title) && hasValue(column)));
  }
  function columnMenu() {
    const choices = columns.filter((column) => !column.hidden);
    return menu("Columns", h("fieldset", null, h("legend", null, "Columns to show"), choices.map((column) => {
      const id = identifier("column");
      return h("div.choice", null,
        h("input", { type: "checkbox", id, checked: !hiddenColumns().has(column.title), onchange(event) {
        const hidden = hiddenColumns();
        if (event.target.checked) hidden.delete(column.title);
        else hidden.add(column.title);
        localStorage.setItem(storage, JSON.stringify([...hidden]));
        draw(false);
      } }), h("label", { for: id }, column.title));
    })));
  }

  async function exportAs(form) {
    exporting?.abort();
    exporting = new AbortController();
    const own = exporting;
    const ownSignal = AbortSignal.any([signal, own.signal]);
    const stop = h("button.small", { type: "button", onclick: () => own.abort() }, "Stop");
    try {
      await exportRows(name, form, (cursor) => fetchPage(cursor, 500, false, ownSignal),
        (text) => fill(exported, text, " ", /…$/.test(text) && stop), ownSignal);
    } catch (error) {
      if (signal.aborted) return;
      fill(exported, own.signal.aborted ? "The export was stopped. No file was saved."
        : `${error.message} No file was saved.`);
    }
  }

  // A short list has nothing to choose.
  const sizeChoice = h("select",
    { value: String(size()),
      onchange: (event) => go({ rows: event.target.value === "100" ? null : event.target.value, ...beginning }) },
    sizes.map((one) => h("option", { value: String(one) }, String(one))));
  const sizePlace = h("div.size", { hidden: true }, field("Rows per page", sizeChoice));
  const tools = h("div.tools", null, status, sizePlace, !scope && columnMenu(),
    menu("Export", h("p.note", null, "What the filters select, up to 10,000 rows."),
      h("div.choice", null, h("button.small", { type: "button", onclick: () => exportAs("csv") }, "CSV"),
        h("button.small", { type: "button", onclick: () => exportAs("json") }, "JSON"))));
  const form = filters.length > 0
    && filterForm(options.caption, filters, parameter, (values) => go({ ...values, ...beginning }));
  return { element: h("div.list", null, form, tools, exported, place, pager), load, items: () => page.items };
}
