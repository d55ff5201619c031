// `npm run bench`, or `npm run bench -- --only sqlite,postgres,mariadb,deliveries,fair,mail,webhooks,mixed,import,million,inbox,teams,web`: one table at the end, each figure beside
// its rival's and its goal. `--engine sqlite`, `postgres` or `mariadb` leaves the others out. `--limit 1.25` ends with 1 if a
// figure is worse than its goal by more than that factor. `--only twenty` asks 20 million rows. ROUNDS (3), SECONDS (5), JOBS (10000), MAILS (2000), MIXED (120) and ROWS (1000000) change the length;
// QUESTIONS="list;list, label" asks only these of million and inbox, whose names their tables have; PROFILE=directory keeps
// CPU profiles of ingest and deliveries, for profile.mjs. docs/operations/benchmarks.md says what each line means.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { benchDeliveries } from "./deliveries.mjs";
import { benchFair } from "./fair.mjs";
import { benchImport } from "./import.mjs";
import { benchIngest } from "./ingest.mjs";
import { benchMail } from "./mail.mjs";
import { benchInbox, benchMillion } from "./million.mjs";
import { benchMixed } from "./mixed.mjs";
import { reachable } from "./services.mjs";
import { beyond, formatTable, note } from "./table.mjs";
import { benchTeams } from "./teams.mjs";
import { benchTwenty } from "./twenty.mjs";
import { benchWeb } from "./web.mjs";
import { benchWebhooks } from "./webhooks.mjs";

const sections = {
  sqlite: (context) => benchIngest("sqlite", context),
  postgres: (context) => benchIngest("postgres", context),
  mariadb: (context) => benchIngest("mariadb", context),
  deliveries: benchDeliveries,
  fair: (context) => benchFair(usual(context)),
  mail: (context) => benchMail(usual(context)),
  webhooks: benchWebhooks,
  mixed: benchMixed,
  import: benchImport,
  million: benchMillion,
  inbox: benchInbox,
  teams: (context) => benchTeams(usual(context)),
  web: benchWeb,
  twenty: benchTwenty,
};
/** Sections that are not about the store are measured on two of them. */
const usual = (context) => ({ ...context, engines: context.engines.filter((engine) => engine !== "mariadb") });
const names = Object.keys(sections);
const engines = ["sqlite", "postgres", "mariadb"];
const { values } = parseArgs({
  options: { only: { type: "string" }, engine: { type: "string" }, limit: { type: "string" } },
});
/** It needs half an hour and 40 GB, so it runs only where it is named. */
const wanted = values.only?.split(",") ?? names.filter((name) => name !== "twenty");
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`--only takes ${names.join(", ")}; it does not know ${unknown.join(", ")}`);
  process.exit(2);
}
if (values.engine !== undefined && !engines.includes(values.engine)) {
  console.error(`--engine takes ${engines.join(", ")}`);
  process.exit(2);
}
const limit = Number(values.limit ?? Infinity);
if (!(limit >= 1)) {
  console.error("--limit takes a factor of at least 1, such as 1.25");
  process.exit(2);
}
const number = (name, otherwise) => {
  const value = Number(process.env[name] ?? otherwise);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`${name} must be a whole number above 0, got "${process.env[name]}"`);
  process.exit(2);
};
const context = {
  rounds: number("ROUNDS", 3),
  seconds: number("SECONDS", 5),
  jobs: number("JOBS", 10_000),
  rows: number("ROWS", wanted.includes("twenty") ? 20_000_000 : 1_000_000),
  mails: number("MAILS", 2_000),
  /** Seconds of the mixed load. */
  mixed: number("MIXED", 120),
  /** Of deliveries, of the team at its worst and of the million. */
  engines: engines.filter((engine) => (values.engine ?? engine) === engine),
  profile: process.env.PROFILE ? resolve(process.env.PROFILE) : null,
  dir: mkdtempSync(join(tmpdir(), "form-backend-bench-")),
  services: await reachable(),
};
if (context.profile) mkdirSync(context.profile, { recursive: true });

const rows = [];
try {
  for (const name of names.filter((each) => wanted.includes(each))) {
    note(`${name} …`);
    try {
      rows.push(...(await sections[name](context)));
    } catch (error) {
      process.exitCode = 1;
      rows.push({ what: name, ours: `not measured: ${error.message}` });
      note(error.stack);
    }
  }
} finally {
  rmSync(context.dir, { recursive: true, force: true });
}
console.log(
  `\n${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0].model.trim()}`,
);
console.log(
  `medians of ${context.rounds} rounds of ${context.seconds} s, lowest and highest ratio of a round in brackets\n`,
);
console.log(formatTable(rows));
if (limit < Infinity) {
  const faults = beyond(rows, limit);
  for (const fault of faults) console.error(`Beyond ${limit} times its goal: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
