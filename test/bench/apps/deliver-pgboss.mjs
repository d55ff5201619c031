// A rival on PostgreSQL: pg-boss, whose jobs each make the same HTTP call. Two loops of 32 jobs, so that one runs while one fetches.
import { Agent, request } from "node:http";
import { postgres } from "../services.mjs";
import { event } from "./delivered-event.mjs";
import { report } from "./report.mjs";

const CONCURRENCY = 64;
const { JOBS, RECEIVER, DATABASE, PG_BOSS } = process.env;
const { default: PgBoss } = await import(PG_BOSS);
const boss = new PgBoss({ ...postgres, schema: DATABASE, max: 10, supervise: false, schedule: false });
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
await boss.start();
await boss.createQueue("deliver");
for (let from = 0; from < Number(JOBS); from += 1_000) {
  const many = Math.min(1_000, Number(JOBS) - from);
  await boss.insert(
    Array.from({ length: many }, (_, i) => ({ name: "deliver", data: event(from + i), retryLimit: 20 })),
  );
}

report(
  {},
  {
    /** Milliseconds until the last job is marked as completed. */
    async run() {
      const started = performance.now();
      await Promise.all([loop(), loop()]);
      return performance.now() - started;
    },
    stop: () => boss.stop({ graceful: false }),
  },
);

async function loop() {
  for (;;) {
    const jobs = await boss.fetch("deliver", { batchSize: CONCURRENCY / 2 });
    if (jobs.length === 0) return;
    await Promise.all(jobs.map(({ data }) => post(`${RECEIVER}/hook/${data.n % 8}`, data)));
    const ids = jobs.map(({ id }) => id);
    await boss.complete("deliver", ids);
  }
}

function post(url, data) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(data);
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(url, { method: "POST", agent, headers }, (res) => {
      res.resume();
      if (res.statusCode < 300) res.once("end", resolve);
      else reject(new Error(`HTTP ${res.statusCode}`));
    });
    call.once("error", reject);
    call.end(body);
  });
}
