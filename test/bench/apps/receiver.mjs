// What webhooks are sent to: it reads the body, answers 200 and counts.
import { createServer } from "node:http";
import { listen, report } from "./report.mjs";

let calls = 0;
let bytes = 0;
const server = createServer((req, res) => {
  req.on("data", (chunk) => (bytes += chunk.length));
  req.on("end", () => {
    calls += 1;
    res.end("ok");
  });
});
report(
  { url: await listen(server) },
  {
    /** Since it was last asked. */
    received() {
      const seen = { calls, bytes };
      calls = bytes = 0;
      return seen;
    },
  },
);
