// No queue at all: the same HTTP calls from memory, as many in flight. No delivery can be faster or cost less.
import { Agent, request } from "node:http";
import { event } from "./delivered-event.mjs";
import { report } from "./report.mjs";

const CONCURRENCY = 64;
const jobs = Number(process.env.JOBS);
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });

report(
  {},
  {
    /** Milliseconds until the last call is answered. */
    async run() {
      const started = performance.now();
      let next = 0;
      const one = async () => {
        for (let n = next++; n < jobs; n = next++)
          await post(`${process.env.RECEIVER}/hook/${n % 8}`, JSON.stringify(event(n)));
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, one));
      return performance.now() - started;
    },
  },
);

function post(url, body) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(url, { method: "POST", agent, headers }, (res) => {
      res.resume();
      res.once("end", resolve);
    });
    call.once("error", reject);
    call.end(body);
  });
}
