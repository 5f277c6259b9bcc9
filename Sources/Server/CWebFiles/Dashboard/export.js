// CSV and JSON files of lists.

import { h, toast } from "./dom.js";

/** The maximum number of rows of a file. */
export const exportLimit = 10_000;

/**
 * Returns a field of CSV (RFC 4180). A leading character that a spreadsheet takes for a formula follows an apostrophe.
 */
function csvField(value) {
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns rows as CSV, with a column for each field that a row has. */
export function csv(items) {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return [names, ...items.map((item) => names.map((name) => item[name]))].map((row) => row.map(csvField).join(","))
    .join("\r\n") + "\r\n";
}

/** Lets the user save text as a file. */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Fetches all rows up to the limit, and saves them.
 * @param {string} name the name of the file without extension
 * @param {"csv"|"json"} form
 * @param {function(string|null): Promise<{items: Array<Object>, next: string|null, total?: number}>} fetch returns a
 *   page
 * @param {function(string): void} report shows progress
 * @param {AbortSignal} signal
 */
export async function exportRows(name, form, fetch, report, signal) {
  const items = [];
  let next = null;
  let total;
  do {
    const page = await fetch(next);
    if (signal.aborted) return report("The export was stopped. No file was saved.");
    items.push(...page.items);
    next = page.next;
    total ??= page.total;
    report(`Exporting: ${items.length.toLocaleString("en")} rows…`);
  } while (next && items.length < exportLimit);
  const rows = items.slice(0, exportLimit);
  const isCut = items.length > exportLimit || next !== null;
  if (form === "csv") save(`${name}.csv`, "text/csv", csv(rows));
  else save(`${name}.json`, "application/json", JSON.stringify({ items: rows, isComplete: !isCut }, null, 2));
  const count = rows.length.toLocaleString("en");
  const of = total ? ` of ${total.toLocaleString("en")}` : "";
  report(isCut ? `The file has only the first ${count} rows${of}. Narrow the filter to export the rest.`
    : `The file has all ${count} rows.`);
  toast(isCut ? "The file was cut." : "The file is saved.");
}
