// Deliveries per second from a full work list: ours on each store, beside queues with the same HTTP call and as many in flight.
import { join } from "node:path";
import { withPgBoss } from "./installed.mjs";
import { startApp } from "./processes.mjs";
import { dropMysqlTables, onPostgres, startDurableRedis } from "./services.mjs";
import { compare, note } from "./table.mjs";

const apps = {
  "ours on SQLite": { file: "deliver-ours.mjs", engine: "sqlite", needs: [] },
  "ours on PostgreSQL": { file: "deliver-ours.mjs", engine: "postgres", needs: ["postgres"] },
  "ours on MariaDB": { file: "deliver-ours.mjs", engine: "mariadb", needs: ["mariadb"] },
  "the calls alone": { file: "deliver-alone.mjs", engine: "none", needs: [] },
  "graphile-worker": { file: "deliver-graphile.mjs", engine: "postgres", needs: ["postgres"] },
  "graphile-worker, same promise": {
    file: "deliver-graphile.mjs",
    engine: "postgres",
    needs: ["postgres"],
    env: { SAME_PROMISE: "1" },
  },
  "pg-boss": { file: "deliver-pgboss.mjs", engine: "postgres", needs: ["postgres", "pg-boss"] },
  BullMQ: { file: "deliver-bullmq.mjs", engine: "redis", needs: ["redis"] },
  "BullMQ, appendfsync": { file: "deliver-bullmq.mjs", engine: "redis", needs: ["durable redis"] },
};
const ours = ["ours on SQLite", "ours on PostgreSQL", "ours on MariaDB"];
const goals = {
  BullMQ: { rate: { least: 0.9 } },
  "graphile-worker": { rate: { least: 0.8 } },
  "graphile-worker, same promise": { rate: { least: 3 }, cpu: { most: 0.45 } },
  "ours on PostgreSQL": { rate: { least: 0.7 } },
};

export async function benchDeliveries(context) {
  const { rounds, services, engines } = context;
  services.need("redis");
  const durable = await startDurableRedis(context.dir);
  if (!durable) services.missing["durable redis"] = "redis-server could not be started";
  context = { ...context, redis: durable?.url, pgBoss: await withPgBoss(context) };
  const asked = Object.keys(apps).filter((name) => ["none", "redis", ...engines].includes(apps[name].engine));
  const names = asked.filter((name) => apps[name].needs.every(services.has));
  const results = Object.fromEntries(names.map((name) => [name, { rate: [], cpu: [] }]));
  const receiver = await startApp("receiver.mjs", {});
  try {
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const { rate, cpu } = await measure(name, round, receiver, context);
        results[name].rate.push(rate);
        results[name].cpu.push(cpu);
        note(`  deliveries ${round + 1}/${rounds} ${name}: ${rate.toFixed(0)}/s, ${cpu.toFixed(0)} µs`);
      }
    }
  } finally {
    await receiver.stop();
    durable?.stop();
  }
  const left = asked.filter((name) => !names.includes(name));
  /** On MariaDB, whose rivals are on other servers, ours on PostgreSQL is the measure. */
  const rivalsOf = (name) =>
    name === "ours on MariaDB"
      ? names.filter((each) => each === "ours on PostgreSQL")
      : names.filter((each) => !ours.includes(each));
  return [
    ...names
      .filter((name) => ours.includes(name))
      .flatMap((name) =>
        rivalsOf(name).flatMap((rival) => {
          const [mine, its] = [results[name], results[rival]];
          return [
            compare(`Deliveries/s, 64 in flight: ${name}`, mine.rate, rival, its.rate, 0, goals[rival]?.rate),
            compare(`CPU µs/delivery: ${name}`, mine.cpu, rival, its.cpu, 0, goals[rival]?.cpu),
          ];
        }),
      ),
    ...left.map((name) => ({
      what: `Deliveries/s: ${name}`,
      ours: `not measured: ${apps[name].needs.map((need) => services.missing[need]).join(", ")}`,
    })),
  ];
}

async function measure(name, round, receiver, { dir, jobs, profile, redis, pgBoss }) {
  const { file, engine, needs, env: own } = apps[name];
  const database = engine === "sqlite" ? join(dir, `deliveries-${round}.db`) : `bench_${process.pid}_d${round}_`;
  const env = { ENGINE: engine, DATABASE: database, JOBS: String(jobs), RECEIVER: receiver.url, ...own };
  if (pgBoss) env.PG_BOSS = pgBoss;
  if (needs.includes("durable redis")) env.REDIS = redis;
  const app = await startApp(file, env);
  try {
    await receiver.ask("received");
    const kept = profile && join(profile, `deliveries ${name} ${round}.cpuprofile`);
    const { cpu, answer: ms } = await app.during(() => app.ask("run"), kept);
    const { calls, bytes } = await receiver.ask("received");
    if (calls !== jobs) throw new Error(`${name} had ${jobs} jobs, and ${calls} calls arrived`);
    if (ours.includes(name) || own?.SAME_PROMISE) {
      const { results, logged } = await app.ask("stored");
      if (results !== jobs || logged !== jobs) {
        throw new Error(`${name} had ${jobs} jobs, and stored ${results} results and ${logged} attempts`);
      }
    }
    note(`    ${Math.round(bytes / calls)} bytes each`);
    return { rate: (1000 * jobs) / ms, cpu: cpu / jobs };
  } finally {
    await app.stop();
    if (engine === "postgres")
      await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}" CASCADE`));
    if (engine === "mariadb") await dropMysqlTables(database);
  }
}
