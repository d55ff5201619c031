// The rival on PostgreSQL: a graphile-worker with its local queue, whose jobs each make the same HTTP call. With SAME_PROMISE each reads what
// it sends and stores its result, as ours does.
import { Agent, request } from "node:http";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { postgres } from "../services.mjs";
import { event } from "./delivered-event.mjs";
import { openPromised } from "./promised-delivery.mjs";
import { report } from "./report.mjs";

const CONCURRENCY = 64;
const AHEAD = 128;
const { JOBS, RECEIVER, DATABASE, SAME_PROMISE } = process.env;
const logger = new Logger(() => () => {});
const options = { connectionString: postgres.connectionString, schema: DATABASE, logger };
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
const utils = await makeWorkerUtils(options);
await utils.migrate();
const promised = SAME_PROMISE ? await openPromised(process.env, Number(JOBS)) : null;
const bare = (payload) => post(`${RECEIVER}/hook/${payload.n % 8}`, JSON.stringify(payload));
for (let from = 0; from < Number(JOBS); from += 1_000) {
  await utils.addJobs(
    Array.from({ length: Math.min(1_000, Number(JOBS) - from) }, (_, i) => ({
      identifier: "deliver",
      payload: promised ? promised.payload(from + i) : event(from + i),
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
          taskList: { deliver: promised ? (payload, helpers) => promised.deliver(payload, helpers, post) : bare },
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
    stored: () => promised?.stored(),
    async stop() {
      await runner?.stop();
      await promised?.close();
    },
  },
);

function post(url, body, signed = {}) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...signed };
    const call = request(url, { method: "POST", agent, headers }, (res) => {
      res.resume();
      if (res.statusCode < 300) res.once("end", () => resolve(res.statusCode));
      else reject(new Error(`HTTP ${res.statusCode}`));
    });
    call.once("error", reject);
    call.end(body);
  });
}
