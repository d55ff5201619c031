// The hot reads of a form with a million submissions, beside those of one with 10,000, through the HTTP API in process.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { startApp } from "./processes.mjs";
import { dropMysqlTables, onPostgres } from "./services.mjs";
import { median, note, percentile } from "./table.mjs";

const FEW = 10_000;
const MOST_RATIO = 1.5;

/** Goals in ms: of a question, or of all others. A whole form is read for some, so that these have no ratio. */
const goals = {
  api: { others: { sqlite: 50, postgres: 50, mariadb: 50 }, own: {} },
  inbox: {
    others: { sqlite: 25, postgres: 35, mariadb: 35 },
    own: {
      "100 forms": 60,
      // It counts its hits for 300 ms, and looks for them for 5 s; the page says how far it got.
      "list, words": 350,
      "submission, 200 messages": 35,
      statistics: 25_000,
      "search without a match": 5_500,
      "words without a match": 5_500,
    },
  },
};
const WHOLE = new Set(["statistics", "search without a match", "words without a match"]);

export const benchMillion = (context) => benchAsked(context, "api");

/** The pages of the inbox over the same submissions. */
export const benchInbox = (context) => benchAsked(context, "inbox");

async function benchAsked(context, asked) {
  const rows = [];
  for (const engine of context.engines) {
    const title = { sqlite: "SQLite", postgres: "PostgreSQL", mariadb: "MariaDB" }[engine];
    const reason = context.services.missing[engine];
    if (reason) rows.push({ what: `${title}: ${context.rows} submissions`, ours: `not measured: ${reason}` });
    else rows.push(...(await measure(engine, title, context, asked)));
  }
  return rows;
}

async function measure(engine, title, { dir, rounds, rows: many }, asked) {
  const database = engine === "sqlite" ? join(dir, `million-${asked}`) : `bench_${process.pid}_${asked}`;
  const env = {
    ENGINE: engine,
    DATABASE: database,
    ROWS: String(many),
    FEW: String(FEW),
    ...(asked === "inbox" && { INBOX: "1" }),
  };
  const app = await startApp("million.mjs", env);
  try {
    note(`  ${engine}: written and walked in ${(await app.ask("prepare")).toFixed(0)} s`);
    // A gigabyte that the kernel still writes back would delay each commit of the first questions.
    execFileSync("sync");
    const found = [];
    for (let round = 0; round < rounds; round++) found.push(await app.ask("measure"));
    const rows = [];
    for (const question of Object.keys(found[0])) {
      const row = rowOf(
        `${title}, ${many}: ${asked === "inbox" ? "inbox, " : ""}${question}`,
        found.map((round) => round[question]),
        { most: goals[asked].own[question] ?? goals[asked].others[engine], whole: WHOLE.has(question) },
      );
      rows.push(row);
      if (row.mark === "missed") {
        note(`  missed: ${row.what}: ${row.ours}`);
        for (const text of planned(await app.ask("plans", question))) note(text);
      }
    }
    return rows;
  } finally {
    await app.stop();
    if (engine === "mariadb") await dropMysqlTables(database);
    if (engine === "postgres") {
      for (const name of ["few", "many"]) {
        await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}_${name}" CASCADE`));
      }
    }
  }
}

/** One question over all rounds. Each round has a p99 and a ratio of its own; their medians count. */
function rowOf(what, rounds, { most, whole }) {
  const p99 = (name) => rounds.map((round) => percentile(round[name], 0.99));
  const p50 = (name) => median(rounds.flatMap((round) => round[name]));
  const [few, many] = [p99("few"), p99("many")];
  const ratios = many.map((value, round) => value / few[round]);
  const met = median(many) <= most && (whole || median(ratios) <= MOST_RATIO);
  return {
    what: `${what}, p99 ms`,
    ours: `${median(many).toFixed(2)} (p50 ${p50("many").toFixed(2)})`,
    beside: `${FEW} rows ${median(few).toFixed(2)} (p50 ${p50("few").toFixed(2)})`,
    ratio: `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    goal: whole ? `≤ ${most} ms` : `≤ ${most} ms, ≤ ${MOST_RATIO}×`,
    mark: met ? "met" : "missed",
  };
}

/** Each statement once, with how often it ran and what the database made of it the last time. */
function planned(statements) {
  return Array.from(bySql(statements), ([sql, each]) => {
    const { plan, rows } = each.at(-1);
    return `    ${sql.trim()}\n      ${plan.replaceAll("\n", "\n      ")}\n      ${each.length} times, ${rows} rows`;
  });
}

function bySql(statements) {
  const found = new Map();
  for (const each of statements) found.set(each.sql, [...(found.get(each.sql) ?? []), each]);
  return found;
}
