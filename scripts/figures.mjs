// Says which measured figures are older than the code that they speak of: `node scripts/figures.mjs`. CI shows it as a warning. With
// --strict, as before a release, an old figure is a failure.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = new URL("../", import.meta.url);

const HOT = ["src/core/commit.ts", "src/features/intake", "src/features/jobs"];
const bench = "docs/operations/benchmarks.md";

/** Figures by the sentence with the day on which they were measured, and the code that they speak of. */
export const FIGURES = [
  {
    page: "README.md",
    measured: /By `npm run bench` on (\d{4}-\d\d-\d\d)/,
    code: [...HOT, "src/features/deliveries", "src/drivers/storage"],
  },
  {
    page: bench,
    measured: /Ingest on SQLite, measured on (\d{4}-\d\d-\d\d)/,
    code: [...HOT, "src/drivers/storage/_sqlite", "src/drivers/storage/sqlite.ts"],
  },
  {
    page: bench,
    measured: /Ingest on PostgreSQL, measured on (\d{4}-\d\d-\d\d)/,
    code: [...HOT, "src/drivers/storage/_postgres", "src/drivers/storage/postgres.ts"],
  },
  {
    page: bench,
    measured: /Ingest on MariaDB, measured on (\d{4}-\d\d-\d\d)/,
    code: [...HOT, "src/drivers/storage/_mysql", "src/drivers/storage/mysql.ts"],
  },
  {
    page: bench,
    measured: /npm installs both runtimes for the run\. Measured on (\d{4}-\d\d-\d\d)/,
    code: [...HOT, "src/drivers/storage/_sqlite", "src/drivers/storage/sqlite.ts"],
  },
];

/**
 * A sentence for each page whose figures are older than the last change of their code. `read` answers a page's text, and `changed`
 * the day of that change. Throws where a page does not say when its figures were measured.
 */
export function oldFigures(figures, { read, changed }) {
  return figures.flatMap(({ page, measured, code }) => {
    const [, day] = measured.exec(read(page)) ?? [];
    if (!day) throw new Error(`${page} does not say when its figures were measured, as in ${measured}`);
    const last = changed(code);
    return last > day ? [{ page, text: `the figures are of ${day}, and the code of ${last}: ${code.join(", ")}` }] : [];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const old = oldFigures(FIGURES, {
    read: (page) => readFileSync(new URL(page, root), "utf8"),
    changed: (code) =>
      execFileSync("git", ["log", "-1", "--format=%cs", "--", ...code], { cwd: root, encoding: "utf8" }).trim(),
  });
  const strict = process.argv.includes("--strict");
  const level = strict ? "error" : "warning";
  for (const { page, text } of old)
    console.log(process.env.GITHUB_ACTIONS ? `::${level} file=${page}::${page}: ${text}` : `${page}: ${text}`);
  console.log(`${FIGURES.length} places with figures, ${old.length} of them older than their code`);
  if (strict && old.length > 0) process.exitCode = 1;
}
