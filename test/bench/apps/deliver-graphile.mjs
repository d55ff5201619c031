// The rival on PostgreSQL: a graphile-worker with its local queue, whose jobs each make the same HTTP call.
import { Agent, request } from "node:http";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { postgres } from "../services.mjs";
import { event } from "./delivered-event.mjs";
import { report } from "./report.mjs";

const CONCURRENCY = 64;
const AHEAD = 128;
const { JOBS, RECEIVER, DATABASE } = process.env;
const logger = new Logger(() => () => {});
const options = { connectionString: postgres.connectionString, schema: DATABASE, logger };
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
const utils = await makeWorkerUtils(options);
await utils.migrate();
for (let from = 0; from < Number(JOBS); from += 1_000) {
  await utils.addJobs(
    Array.from({ length: Math.min(1_000, Number(JOBS) - from) }, (_, i) => ({
      identifier: "deliver",
      payload: event(from + i),
      maxAttempts: 20,
    })),
  );
}
await utils.release();

let runner;
report(
  {},
  {
    /** Milliseconds until the last job is marked as done. */
    run: () =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        let done = 0;
        run({
          ...options,
          concurrency: CONCURRENCY,
          maxPoolSize: 10,
          noHandleSignals: true,
          preset: {
            worker: {
              localQueue: { size: AHEAD },
              completeJobBatchDelay: 0,
              failJobBatchDelay: 0,
            },
          },
          taskList: { deliver: (payload) => post(`${RECEIVER}/hook/${payload.n % 8}`, payload) },
        })
          .then((running) => {
            runner = running;
            runner.events.on("job:failed", ({ error }) => reject(error));
            runner.events.on("job:complete", () => {
              if (++done === Number(JOBS)) resolve(performance.now() - started);
            });
          })
          .catch(reject);
      }),
    stop: () => runner?.stop(),
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
