// @ts-check
// Writes docs/internals/test-map.md: for each folder of src/, the test files that run most of it. Runs each unit test file by itself
// under coverage, which takes half an hour: `node scripts/test-map.mjs`, or with folders of test/unit to refresh only their part.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const page = join(root, "docs/internals/test-map.md");
/** Test files named for a folder. */
const NAMED = 5;

const START = "<!-- begin: written by scripts/test-map.mjs -->";
const END = "<!-- end -->";

/**
 * The statements that one test file runs, by the source file.
 * @param {string} test
 * @returns {Map<string, number>}
 */
function covered(test) {
  const out = mkdtempSync(join(tmpdir(), "test-map-"));
  try {
    const { status } = spawnSync(
      process.execPath,
      [
        "node_modules/vitest/vitest.mjs",
        ...["run", "--project", "unit", "--project", "unit-alone", test],
        // Without `coverage.include`, which reads every file of the sources for each test.
        ...["--coverage.enabled", "--coverage.provider=v8", "--coverage.reporter=json"],
        `--coverage.reportsDirectory=${out}`,
      ],
      { cwd: root, stdio: "ignore" },
    );
    if (status !== 0) throw new Error(`${test} fails, so nothing can be said of what it covers`);
    /** @type {Record<string, { s: Record<string, number> }>} */
    const report = JSON.parse(readFileSync(join(out, "coverage-final.json"), "utf8"));
    return new Map(
      Object.entries(report)
        .map(
          ([file, { s }]) =>
            /** @type {[string, number]} */ ([relative(root, file), Object.values(s).filter(Boolean).length]),
        )
        .filter(([file, statements]) => file.startsWith("src/") && statements > 0),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * Rows as they stand on the page, by the folder: the statements that each test file runs there.
 * @returns {Map<string, Map<string, number>>}
 */
function known() {
  const text = readFileSync(page, "utf8");
  const rows = text.slice(text.indexOf(START), text.indexOf(END)).matchAll(/^\| `(src[^`]*)` \| (.+) \|$/gm);
  return new Map(
    [...rows].map(([, folder = "", tests = ""]) => [
      folder,
      new Map([...tests.matchAll(/`([^`]+)` \((\d+)\)/g)].map(([, test = "", count]) => [test, Number(count)])),
    ]),
  );
}

const places = process.argv.slice(2);
const tests = (places.length > 0 ? places : ["test/unit"])
  .flatMap((place) =>
    place.endsWith(".test.ts")
      ? [place]
      : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
          .filter((file) => file.endsWith(".test.ts"))
          .map((file) => join(place, file)),
  )
  .sort();

const folders = places.length > 0 ? known() : new Map();
for (const [at, test] of tests.entries()) {
  console.log(`${at + 1}/${tests.length} ${test}`);
  for (const of of folders.values()) of.delete(test);
  for (const [file, statements] of covered(test)) {
    const of = folders.get(dirname(file)) ?? new Map();
    of.set(test, (of.get(test) ?? 0) + statements);
    folders.set(dirname(file), of);
  }
}

const lines = [...folders]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([folder, of]) => {
    const most = [...of].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, NAMED);
    return `| \`${folder}\` | ${most.map(([test, count]) => `\`${test}\` (${count})`).join(", ")} |`;
  });
const text = readFileSync(page, "utf8");
const table = ["| Folder | Tests |", "|---|---|", ...lines].join("\n");
writeFileSync(page, `${text.slice(0, text.indexOf(START))}${START}\n\n${table}\n\n${text.slice(text.indexOf(END))}`);
