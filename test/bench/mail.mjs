// Mails per second from a full work list: ours on each store, beside nodemailer with a pool on the same SMTP server.
import { join } from "node:path";
import { startApp } from "./processes.mjs";
import { onPostgres } from "./services.mjs";
import { compare, note } from "./table.mjs";

const RIVAL = "nodemailer with a pool";
const apps = {
  "ours on SQLite": { file: "mail-ours.mjs", engine: "sqlite" },
  "ours on PostgreSQL": { file: "mail-ours.mjs", engine: "postgres" },
  [RIVAL]: { file: "mail-nodemailer.mjs" },
};

export async function benchMail(context) {
  const { rounds, services, engines } = context;
  const can = ({ engine }) => !engine || (engines.includes(engine) && (engine === "sqlite" || services.has(engine)));
  const names = Object.keys(apps).filter((name) => can(apps[name]));
  const results = Object.fromEntries(names.map((name) => [name, { rate: [], cpu: [] }]));
  const server = await startApp("smtp.mjs", {});
  try {
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const { rate, cpu } = await measure(name, round, server, context);
        results[name].rate.push(rate);
        results[name].cpu.push(cpu);
        note(`  mail ${round + 1}/${rounds} ${name}: ${rate.toFixed(0)}/s, ${cpu.toFixed(0)} µs`);
      }
    }
  } finally {
    await server.stop();
  }
  const { [RIVAL]: rival, ...ours } = results;
  return Object.entries(ours).flatMap(([name, { rate, cpu }]) => [
    compare(`Mails/s: ${name}`, rate, RIVAL, rival.rate, 0),
    compare(`CPU µs/mail: ${name}`, cpu, RIVAL, rival.cpu, 0),
  ]);
}

async function measure(name, round, server, { dir, mails }) {
  const { file, engine } = apps[name];
  const database = engine === "sqlite" ? join(dir, `mail-${round}.db`) : `bench_${process.pid}_m${round}`;
  const env = { ENGINE: engine ?? "", DATABASE: database, JOBS: String(mails), PORT: String(server.port) };
  const app = await startApp(file, env);
  try {
    await server.ask("received");
    const { cpu, answer: ms } = await app.during(() => app.ask("run"));
    const { mails: taken, connections, bytes } = await server.ask("received");
    if (taken !== mails) throw new Error(`${name} had ${mails} mails, and ${taken} arrived`);
    note(`    ${connections} connections, ${Math.round(bytes / mails)} bytes each`);
    return { rate: (1000 * mails) / ms, cpu: cpu / mails };
  } finally {
    await app.stop();
    if (engine === "postgres")
      await onPostgres((client) => client.query(`DROP SCHEMA IF EXISTS "${database}" CASCADE`));
  }
}
