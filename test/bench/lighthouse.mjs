// Lighthouse's scores of the inbox: performance, accessibility and best practices.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installed } from "./installed.mjs";
import { median, note } from "./table.mjs";

const run = promisify(execFile);
const PAGES = ["forms", "inbox list", "one submission", "settings"];
const PRESETS = { mobile: [], desktop: ["--preset=desktop"] };
/** What each score must reach. Search engines are told to stay away from private pages, so `seo` is left out. */
const goals = { performance: 95, accessibility: 100, "best-practices": 100 };
const CHROME = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage";

export async function benchLighthouse(pages, { rounds, dir, services }) {
  const into = join(dir, "lighthouse");
  try {
    // The newest version that runs on the Node versions that we support.
    await installed("lighthouse@12", into);
  } catch (error) {
    const why = /npm error (.*)/.exec(error.stderr ?? "")?.[1] ?? error.message;
    return [{ what: "Inbox, Lighthouse", ours: `not measured: npm can't install lighthouse (${why})` }];
  }
  const cli = join(into, "node_modules", "lighthouse", "cli", "index.js");
  const rows = [];
  for (const [preset, options] of Object.entries(PRESETS)) {
    for (const name of PAGES) {
      const reports = [];
      for (let round = 0; round < rounds; round++) {
        reports.push(
          await onceMoreIfMissed(() => reportOf(cli, pages[name], options, { into, chromium: services.chromium })),
        );
      }
      rows.push(rowOf(`Inbox, ${name}: Lighthouse, ${preset}`, reports));
    }
  }
  return rows;
}

/** On a busy machine Lighthouse may miss the start of a page's load, and asks for another run. */
async function onceMoreIfMissed(report) {
  try {
    return await report();
  } catch (error) {
    if (!/run Lighthouse again/.test(`${error.stderr} ${error.message}`)) throw error;
    note("  Lighthouse missed the start of a load; once more");
    return report();
  }
}

async function reportOf(cli, url, options, { into, chromium }) {
  const file = join(into, "report.json");
  const args = [cli, url, "--quiet", "--output=json", `--output-path=${file}`, `--chrome-flags=${CHROME}`, ...options];
  const only = `--only-categories=${Object.keys(goals).join(",")}`;
  const env = { ...process.env, CHROME_PATH: chromium };
  await run(process.execPath, [...args, only, "--no-enable-error-reporting"], {
    cwd: dirname(file),
    env,
    timeout: 180_000,
  });
  const report = JSON.parse(readFileSync(file, "utf8"));
  if (report.runtimeError) throw new Error(`Lighthouse: ${report.runtimeError.message}`);
  return report;
}

function rowOf(what, reports) {
  const scores = Object.keys(goals).map((name) =>
    Math.round(100 * median(reports.map(({ categories }) => categories[name].score))),
  );
  const met = Object.values(goals).every((least, i) => scores[i] >= least);
  if (!met) for (const fault of faultsOf(reports.at(-1))) note(`  missed: ${what}: ${fault}`);
  return {
    what,
    ours: scores.join(", "),
    goal: `≥ ${Object.values(goals).join(", ")}`,
    mark: met ? "met" : "missed",
  };
}

/** The audits that cost points, by name. */
function faultsOf({ categories, audits }) {
  return Object.values(categories).flatMap(({ id, auditRefs }) =>
    auditRefs
      .filter(({ weight, id: audit }) => weight > 0 && audits[audit].score !== null && audits[audit].score < 1)
      .map(({ id: audit }) => `${id}: ${audits[audit].title} ${audits[audit].displayValue ?? ""}`.trim()),
  );
}
