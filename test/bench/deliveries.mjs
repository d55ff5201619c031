// Deliveries per second from a full work list: ours on each store, beside BullMQ with the same HTTP call and as many in flight.
import { join } from "node:path";
import { startApp } from "./processes.mjs";
import { onPostgres } from "./services.mjs";
import { compare, note } from "./table.mjs";

const apps = {
  "ours on SQLite": { file: "deliver-ours.mjs", engine: "sqlite", needs: [] },
  "ours on PostgreSQL": { file: "deliver-ours.mjs", engine: "postgres", needs: ["postgres"] },
  BullMQ: { file: "deliver-bullmq.mjs", engine: "redis", needs: ["redis"] },
};

export async function benchDeliveries(context) {
  const { rounds, services, engines } = context;
  services.need("redis");
  const asked = Object.keys(apps).filter((name) => ["redis", ...engines].includes(apps[name].engine));
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
  }
  const { BullMQ, ...ours } = results;
  const left = asked.filter((name) => !names.includes(name));
  return [
    ...Object.entries(ours).flatMap(([name, { rate, cpu }]) => [
      compare(`Deliveries/s, 64 in flight: ${name}`, rate, "BullMQ", BullMQ.rate, 0, { least: 1 }),
      compare(`CPU µs/delivery: ${name}`, cpu, "BullMQ", BullMQ.cpu, 0),
    ]),
    ...left.map((name) => ({
      what: `Deliveries/s: ${name}`,
      ours: `not measured: ${apps[name].needs.map((need) => services.missing[need]).join(", ")}`,
    })),
  ];
}

async function measure(name, round, receiver, { dir, jobs, profile }) {
  const { file, engine } = apps[name];
  const database = engine === "sqlite" ? join(dir, `deliveries-${round}.db`) : `bench_${process.pid}_d${round}`;
  const env = { ENGINE: engine, DATABASE: database, JOBS: String(jobs), RECEIVER: receiver.url };
  const app = await startApp(file, env);
  try {
    await receiver.ask("received");
    const kept = profile && join(profile, `deliveries ${name} ${round}.cpuprofile`);
    const { cpu, answer: ms } = await app.during(() => app.ask("run"), kept);
    const { calls, bytes } = await receiver.ask("received");
    if (calls !== jobs) throw new Error(`${name} had ${jobs} jobs, and ${calls} calls arrived`);
    note(`    ${Math.round(bytes / calls)} bytes each`);
    return { rate: (1000 * jobs) / ms, cpu: cpu / jobs };
  } finally {
    await app.stop();
    if (engine === "postgres")
      await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}" CASCADE`));
  }
}
