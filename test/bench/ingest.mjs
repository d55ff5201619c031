// Accepted submissions per second, their CPU time and the latency of a lone client: ours beside what one would write by hand.
import { join } from "node:path";
import { withPgBoss } from "./installed.mjs";
import { cpuOf, load, startApp } from "./processes.mjs";
import { dropMysqlTables, onPostgres } from "./services.mjs";
import { compare, note } from "./table.mjs";

const CONNECTIONS = 50;
const LONE_SECONDS = 2;
/**
 * Posts before the time that counts, in runs of a second, of which a slow app gets at most `WARM_RUNS`. The first posts of a
 * process cost several times as much as later ones, while V8 compiles their code: the more code, the longer.
 */
const WARM_POSTS = 8_000;
const WARM_RUNS = 10;
const apps = {
  "ours in Express": { file: "ingest-ours.mjs", env: { HOST: "express" } },
  "ours in node:http": { file: "ingest-ours.mjs", env: { HOST: "node" } },
  Express: { file: "ingest-express.mjs" },
  Fastify: { file: "ingest-fastify.mjs" },
  "node:http": { file: "ingest-node.mjs" },
  "Express by hand": { file: "ingest-same-promise.mjs", env: { RIVAL: "hand" } },
  "Express + pg-boss": {
    file: "ingest-same-promise.mjs",
    env: { RIVAL: "pg-boss" },
    only: "postgres",
    needs: "pg-boss",
  },
  "Express + BullMQ": { file: "ingest-same-promise.mjs", env: { RIVAL: "bullmq" }, only: "postgres", needs: "redis" },
};
const same = {
  sqlite: { "Express by hand": { rate: { least: 3.2 }, lone: { most: 1.2 } } },
  postgres: {
    "Express by hand": { rate: { least: 5 }, lone: { most: 0.9 } },
    "Express + pg-boss": { rate: { least: 6 } },
    "Express + BullMQ": { rate: { least: 2.2 } },
  },
  mariadb: { "Express by hand": { rate: { least: 2.5 } } },
};
/** What has to be there besides `wrk`. */
const servers = { sqlite: [], postgres: ["postgres"], mariadb: ["mariadb"] };
const goals = {
  sqlite: { express: { least: 2.5 }, fastify: { least: 3 }, node: undefined },
  postgres: { express: { least: 1.2 }, fastify: { least: 1.5 }, node: { least: 1.3 } },
  mariadb: {},
};

export async function benchIngest(engine, context) {
  context.services.need("wrk", ...servers[engine]);
  const pgBoss = engine === "postgres" ? await withPgBoss(context) : null;
  const asked = Object.keys(apps).filter((name) => (apps[name].only ?? engine) === engine);
  const measured = asked.filter((name) => !apps[name].needs || context.services.has(apps[name].needs));
  const results = Object.fromEntries(
    measured.map((name) => [name, { rate: [], cpu: [], database: [], lone: [], p99: [] }]),
  );
  for (let round = 0; round < context.rounds; round++) {
    const names = [...measured];
    // Each round begins with another app, so that none always follows the same neighbour.
    names.unshift(...names.splice(round % names.length));
    for (const name of names) {
      const figures = await measure(engine, name, round, { ...context, pgBoss });
      for (const [figure, value] of Object.entries(figures)) results[name][figure].push(value);
      const { rate, cpu, lone } = figures;
      note(
        `  ${engine} ${round + 1}/${context.rounds} ${name}: ${rate.toFixed(0)}/s, ${cpu.toFixed(0)} µs, ${lone.toFixed(3)} ms`,
      );
    }
  }
  return [
    ...table(engine, results),
    ...asked
      .filter((name) => !measured.includes(name))
      .map((name) => ({ what: `${name}`, ours: `not measured: ${context.services.missing[apps[name].needs]}` })),
  ];
}

function table(engine, results) {
  const goal = goals[engine];
  const title = { sqlite: "SQLite, synchronous=FULL", postgres: "PostgreSQL", mariadb: "MariaDB" }[engine];
  const { "ours in Express": inExpress, "ours in node:http": inNode, Express, Fastify, "node:http": bare } = results;
  const rows = [
    compare(`${title}: accepted/s in Express`, inExpress.rate, "Express + INSERT", Express.rate, 0, goal.express),
    compare(`${title}: accepted/s in node:http`, inNode.rate, "Fastify + INSERT", Fastify.rate, 0, goal.fastify),
    compare(`${title}: accepted/s in node:http`, inNode.rate, "node:http + INSERT", bare.rate, 0, goal.node),
    compare(`${title}: lone client, ms, in Express`, inExpress.lone, "Express + INSERT", Express.lone, 3, {
      most: 1.3,
    }),
    compare(`${title}: p99 of 50 clients, ms, in Express`, inExpress.p99, "Express + INSERT", Express.p99, 1),
    compare(`${title}: CPU µs/post in Express`, inExpress.cpu, "Express + INSERT", Express.cpu, 0),
    compare(`${title}: CPU µs/post in node:http`, inNode.cpu, "Fastify + INSERT", Fastify.cpu, 0),
    compare(`${title}: CPU µs/post in node:http`, inNode.cpu, "node:http + INSERT", bare.cpu, 0),
  ];
  for (const [name, goals] of Object.entries(same[engine])) {
    const rival = results[name];
    if (!rival) continue;
    rows.push(compare(`${title}: accepted/s in Express`, inExpress.rate, name, rival.rate, 0, goals.rate));
    rows.push(compare(`${title}: lone client, ms, in Express`, inExpress.lone, name, rival.lone, 3, goals.lone));
    rows.push(compare(`${title}: CPU µs/post in Express`, inExpress.cpu, name, rival.cpu, 0));
  }
  if (inNode.database.every((value) => value > 0)) {
    const { database } = inNode;
    rows.push(compare(`${title}: the server's CPU µs/post`, database, "node:http + INSERT", bare.database, 0));
  }
  return rows;
}

async function measure(engine, name, round, { dir, seconds, profile, pgBoss }) {
  const database =
    engine === "sqlite" ? join(dir, `${name.replace(/\W/g, "-")}-${round}.db`) : `bench_${process.pid}_${round}_`;
  const { file, env } = apps[name];
  const app = await startApp(file, { ...env, ENGINE: engine, DATABASE: database, ...(pgBoss && { PG_BOSS: pgBoss }) });
  try {
    const warmed = await warm(dir, app.url);
    const pids = engine === "postgres" ? await backendsOf(database) : [];
    const before = cpuOf(pids);
    const kept = profile && join(profile, `${engine} ${name.replace(":", "-")} ${round}.cpuprofile`);
    const { cpu, answer: loaded } = await app.during(() => load(dir, app.url, CONNECTIONS, seconds), kept);
    const after = cpuOf(pids);
    const alone = await load(dir, app.url, 1, LONE_SECONDS);
    const stored = await app.ask("stored");
    const answered = warmed + loaded.requests + alone.requests;
    if (stored < answered) throw new Error(`${name} answered ${answered} posts and has ${stored} submissions`);
    return {
      rate: loaded.rate,
      cpu: cpu / loaded.requests,
      database: (after - before) / loaded.requests,
      lone: alone.p50,
      p99: loaded.p99,
    };
  } finally {
    await app.stop();
    if (engine === "postgres")
      await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}", "${database}_boss" CASCADE`));
    if (engine === "mariadb") await dropMysqlTables(database);
  }
}

/** The number of posts that it took. */
async function warm(dir, url) {
  let posts = 0;
  for (let run = 0; run < WARM_RUNS && posts < WARM_POSTS; run++) {
    posts += (await load(dir, url, CONNECTIONS, 1)).requests;
  }
  return posts;
}

/** The server processes behind the app's pool. */
async function backendsOf(database) {
  const { rows } = await onPostgres((client) =>
    client.query("SELECT pid FROM pg_stat_activity WHERE application_name = $1", [database]),
  );
  return rows.map(({ pid }) => pid);
}
