// Prints the seconds that the parser of hls.js takes to parse a playlist, the median of several rounds.
//
//   node hls.mjs PATH-OF-HLS-MJS FILE
//
// PATH-OF-HLS-MJS is dist/hls.mjs of hls.js, not minified. If it does not export its parser, this loads a copy that does.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

globalThis.self ??= globalThis;
globalThis.window ??= globalThis;

const [library, file] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "hls-"));
const copy = join(folder, "hls.mjs");
writeFileSync(copy, readFileSync(library, "utf8") + "\nexport { M3U8Parser as MeasuredParser };\n");
const { MeasuredParser: parser } = await import(pathToFileURL(copy).href);
rmSync(folder, { recursive: true });

const text = readFileSync(file, "utf8");
const url = "https://example.com/main.m3u8";

function read() {
  const start = process.cpuUsage();
  const found = text.includes("#EXT-X-STREAM-INF")
    ? parser.parseMasterPlaylist(text, url).levels.length
    : parser.parseLevelPlaylist(text, url, 0, "main", 0, null).fragments.length;
  if (found === 0) throw new Error("the playlist has no segments or variants");
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1e6;
}

// Enough repetitions for the JIT compiler to optimize the parser.
const times = Array.from({ length: 40 }, read).slice(10).sort((a, b) => a - b);
console.log(times[15]);
