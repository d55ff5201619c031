// Apps in processes of their own, and the load from another.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Starts `apps/<file>`; resolves when it says that it is ready. `ask` puts a question that the app answers (`apps/report.mjs`). */
export async function startApp(file, env) {
  const app = fork(new URL(`apps/${file}`, import.meta.url), {
    env: { ...process.env, NODE_ENV: "production", ...env },
    serialization: "advanced",
  });
  const waiting = new Map();
  let asked = 0;
  const ready = await new Promise((resolve, reject) => {
    app.on("message", (message) => {
      if (!("id" in message)) return resolve(message);
      const { settle, fail } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) fail(new Error(`${file}: ${message.error}`));
      else settle(message.answer);
    });
    app.once("exit", (code) => {
      const error = new Error(`${file} ended with ${code}`);
      reject(error);
      for (const { fail } of waiting.values()) fail(error);
    });
  });
  const ask = (question, ...args) =>
    new Promise((settle, fail) => {
      const id = ++asked;
      waiting.set(id, { settle, fail });
      app.send({ id, question, args });
    });
  return {
    ...ready,
    ask,
    /** CPU time in microseconds that `run` took the app, and what it answered; with a profile of it where `file` names one. */
    async during(run, file) {
      if (file) await ask("startProfile");
      const before = await ask("cpu");
      const answer = await run();
      const cpu = (await ask("cpu")) - before;
      if (file) await ask("stopProfile", file);
      return { cpu, answer };
    },
    async stop() {
      const ended = once(app, "exit");
      ask("stop").catch(() => {});
      const timer = setTimeout(() => app.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

let posts = 0;

/**
 * Posts for so many seconds. Every post differs from all others, as those of real visitors do: the same text over and over would
 * be taken for spam.
 */
export async function load(dir, url, connections, seconds) {
  const body = new URLSearchParams({
    name: "Ann Example",
    email: "ann@example.com",
    message: "word ".repeat(180),
  }).toString();
  const script = join(dir, "post.lua");
  posts += 1;
  writeFileSync(
    script,
    `local n = ${posts} * 1e9
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
wrk.headers["Accept"] = "application/json"
function request()
  n = n + 1
  return wrk.format(nil, nil, nil, string.format("n=%.0f&%s", n, ${JSON.stringify(body)}))
end
`,
  );
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "--latency", "-s", script, url];
  const wrk = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  wrk.stdout.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  await once(wrk, "close");
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  const broken = /Socket errors: (.*)/.exec(text)?.[1];
  if (refused > 0 || broken) throw new Error(`${url}: ${refused} posts without 2xx, socket errors ${broken ?? "none"}`);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]),
    requests: Number(/(\d+) requests in/.exec(text)[1]),
    p50: milliseconds(text, 50),
    p99: milliseconds(text, 99),
    max: slowest(text),
  };
}

const units = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** Of the line `Latency <average> <deviation> <slowest> …`. */
function slowest(text) {
  const [, value, unit] = /Latency\s+\S+\s+\S+\s+([\d.]+)(us|ms|s|m)/.exec(text);
  return Number(value) * units[unit];
}

function milliseconds(text, percent) {
  const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(text);
  return Number(value) * units[unit];
}

/** CPU time of other processes in microseconds, by /proc; null where there is none. Ended ones count as nothing. */
export function cpuOf(pids) {
  let ticks = 0;
  try {
    readFileSync("/proc/self/stat");
  } catch {
    return null;
  }
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      ticks += Number(stat[11]) + Number(stat[12]);
    } catch {
      // It has ended, or the server runs on another machine.
    }
  }
  return ticks * 10_000;
}
