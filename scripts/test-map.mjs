// @ts-check
// Writes docs/internals/test-map.md: for each folder of src/, the test files that run most of its functions. Runs the unit tests once,
// with V8's counts of the functions that each file runs (test/_support/covered.ts): `node scripts/test-map.mjs`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const page = join(root, "docs/internals/test-map.md");
/** Test files named for a folder. */
const NAMED = 5;

const START = "<!-- begin: written by scripts/test-map.mjs -->";
const END = "<!-- end -->";

/** @typedef {{ test: string, functions: number, everywhere: number }} Row */

/**
 * The functions that each test file runs, by the folder of the sources.
 * @param {string} lines a JSON line for each test file
 * @returns {Map<string, Row[]>}
 */
function byFolder(lines) {
  /** @type {Map<string, Row[]>} */
  const folders = new Map();
  for (const line of lines.split("\n").filter(Boolean)) {
    /** @type {{ test: string, ran: [string, number][] }} */
    const { test, ran } = JSON.parse(line);
    const everywhere = ran.reduce((sum, [, functions]) => sum + functions, 0);
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const [file, functions] of ran) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + functions);
    for (const [folder, functions] of counts) {
      folders.set(folder, [...(folders.get(folder) ?? []), { test, functions, everywhere }]);
    }
  }
  return folders;
}

const out = mkdtempSync(join(tmpdir(), "test-map-"));
try {
  const lines = join(out, "lines.ndjson");
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "--project", "unit-alone", "--reporter=dot"],
    { cwd: root, stdio: "inherit", env: { ...process.env, TEST_MAP: lines } },
  );
  if (status !== 0) throw new Error("a test fails, so nothing can be said of the functions that it would run");

  const rows = [...byFolder(readFileSync(lines, "utf8"))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, tests]) => {
      // Of two that run equally much of the folder, the one that runs less elsewhere tells more of it.
      const most = tests
        .sort((a, b) => b.functions - a.functions || a.everywhere - b.everywhere || (a.test < b.test ? -1 : 1))
        .slice(0, NAMED);
      return `| \`${folder}\` | ${most.map(({ test, functions }) => `\`${test}\` (${functions})`).join(", ")} |`;
    });
  const text = readFileSync(page, "utf8");
  const table = ["| Folder | Tests |", "|---|---|", ...rows].join("\n");
  writeFileSync(page, `${text.slice(0, text.indexOf(START))}${START}\n\n${table}\n\n${text.slice(text.indexOf(END))}`);
} finally {
  rmSync(out, { recursive: true, force: true });
}
