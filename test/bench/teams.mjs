// The lists of a host with 4,000 teams and 40,000 forms, beside a form with very many submissions: its own calls, and the operator's pages.
import { join } from "node:path";
import { operatorGoals } from "./operators.mjs";
import { startApp } from "./processes.mjs";
import { onPostgres } from "./services.mjs";
import { marked, median, note, percentile } from "./table.mjs";

const TEAMS = 4_000;
const MOST_MS = 50;

export async function benchTeams({ dir, rounds, rows: many, engines, services }) {
  const rows = [];
  for (const engine of engines) {
    const title = { sqlite: "SQLite", postgres: "PostgreSQL" }[engine];
    const what = (question) => `${title}, ${TEAMS} teams: ${question}`;
    if (services.missing[engine]) {
      rows.push({ what: what("all"), ours: `not measured: ${services.missing[engine]}` });
      continue;
    }
    const database = engine === "sqlite" ? join(dir, "teams.db") : `bench_${process.pid}_teams`;
    const app = await startApp("teams.mjs", {
      ENGINE: engine,
      DATABASE: database,
      ROWS: String(many),
      TEAMS: String(TEAMS),
    });
    try {
      note(`  teams, ${engine}: written in ${(await app.ask("prepare")).toFixed(0)} s`);
      const found = [];
      for (let round = 0; round < rounds; round++) found.push(await app.ask("measure"));
      for (const question of Object.keys(found[0])) {
        const [half, most] = [0.5, 0.99].map((share) =>
          median(found.map((round) => percentile(round[question], share))),
        );
        const goal = { most: operatorGoals[question] ?? MOST_MS };
        rows.push({
          what: what(question),
          ours: `p50 ${half.toFixed(1)}, p99 ${most.toFixed(1)} ms`,
          ...marked(most, goal, " ms"),
        });
      }
    } finally {
      await app.stop();
      if (engine === "postgres")
        await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}" CASCADE`));
    }
  }
  return rows;
}
