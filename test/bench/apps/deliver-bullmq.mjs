// The rival: a BullMQ worker whose jobs each make the same HTTP call. The jobs are in Redis before the time runs.
import { Agent, request } from "node:http";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { redisUrl } from "../services.mjs";
import { event } from "./delivered-event.mjs";
import { report } from "./report.mjs";

const CONCURRENCY = 64;
const { JOBS, RECEIVER, DATABASE } = process.env;
const prefix = `{${DATABASE}}`;
const connection = new Redis(process.env.REDIS ?? redisUrl, { maxRetriesPerRequest: null });
const queue = new Queue("deliveries", { connection, prefix });
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
const opts = { attempts: 20, backoff: { type: "exponential", delay: 5_000 } };
for (let from = 0; from < Number(JOBS); from += 1_000) {
  await queue.addBulk(
    Array.from({ length: Math.min(1_000, Number(JOBS) - from) }, (_, i) => ({
      name: "deliver",
      data: event(from + i),
      opts,
    })),
  );
}

let worker;
report(
  {},
  {
    /** Milliseconds until the last job is marked as completed. */
    run: () =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        let done = 0;
        worker = new Worker("deliveries", ({ data }) => post(`${RECEIVER}/hook/${data.n % 8}`, data), {
          connection,
          prefix,
          concurrency: CONCURRENCY,
        });
        worker.on("failed", (_job, error) => reject(error));
        worker.on("completed", () => {
          if (++done === Number(JOBS)) resolve(performance.now() - started);
        });
      }),
    async stop() {
      await worker?.close();
      await queue.obliterate({ force: true });
    },
  },
);

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
