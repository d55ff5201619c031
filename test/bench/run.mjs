// Accepted submissions per second and the latency of a lone client, ours beside the rival, each in a process of its own with
// the load from a third (wrk, Debian's package of that name). Rounds alternate, so that a machine that drifts drifts for both.
import { execFileSync, fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 5);
const dir = mkdtempSync(join(tmpdir(), "form-backend-bench-"));
const script = join(dir, "post.lua");
// Every post differs, as those of real visitors do; the same text over and over would be taken for spam.
const body = new URLSearchParams({
  name: "Ann Example",
  email: "ann@example.com",
  message: "word ".repeat(180),
}).toString();
writeFileSync(
  script,
  `local n = math.floor(${process.pid} * 1e6)
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
wrk.headers["Accept"] = "application/json"
function request()
  n = n + 1
  return wrk.format(nil, nil, nil, "n=" .. n .. "&" .. ${JSON.stringify(body)})
end
`,
);

const apps = { ours: "app-ours.mjs", express: "app-express.mjs" };
const results = { ours: { rate: [], lone: [] }, express: { rate: [], lone: [] } };
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(apps)) {
      const { rate, lone } = await measure(name, round);
      results[name].rate.push(rate);
      results[name].lone.push(lone);
    }
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
const rate = { ours: median(results.ours.rate), express: median(results.express.rate) };
const lone = { ours: median(results.ours.lone), express: median(results.express.lone) };
console.log(
  `median of ${ROUNDS} rounds of ${SECONDS} s, SQLite synchronous=FULL, through Express 5, Node ${process.version}`,
);
console.log(
  `accepted per second, 50 connections   ours ${rate.ours.toFixed(0)}   express + one INSERT ${rate.express.toFixed(0)}   ratio ${(rate.ours / rate.express).toFixed(2)}`,
);
console.log(
  `latency of a lone client, median ms   ours ${lone.ours.toFixed(3)}   express + one INSERT ${lone.express.toFixed(3)}   ratio ${(lone.ours / lone.express).toFixed(2)}`,
);

async function measure(name, round) {
  const app = fork(new URL(apps[name], import.meta.url), {
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(20_000 + Math.floor(Math.random() * 20_000)),
      DATABASE: join(dir, `${name}-${round}.db`),
    },
  });
  const { url } = await new Promise((resolve, reject) => {
    app.once("message", resolve);
    app.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  wrk(url, 50, 1);
  const load = wrk(url, 50, SECONDS);
  const alone = wrk(url, 1, 2);
  app.removeAllListeners("exit");
  app.kill("SIGKILL");
  if (load.errors > 0) throw new Error(`${name}: ${load.errors} posts were not answered with 2xx`);
  return { rate: load.rate, lone: alone.p50 };
}

function wrk(url, connections, seconds) {
  const text = execFileSync("wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, url], {
    encoding: "utf8",
  });
  const [, p50, unit] = /50%\s+([\d.]+)(us|ms|s)/.exec(text);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]),
    p50: Number(p50) * { us: 0.001, ms: 1, s: 1000 }[unit],
    errors: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  };
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
