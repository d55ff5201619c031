// Posts a second and CPU time a post on Bun and Deno beside Node: the built package on each runtime's own server and SQLite, in turns, on
// one machine. `node test/bench/runtimes.mjs`, after a build; ROUNDS (3) and SECONDS (5) change the length. npm installs both runtimes for
// the run, unless RUNTIMES names a folder whose node_modules has them.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { cpuOf, load } from "./processes.mjs";
import { median } from "./table.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 5);
const CONNECTIONS = 50;
/** The first posts of a process cost more, while its engine compiles their code. */
const WARM_SECONDS = 4;
const VERSIONS = { bun: "1.4.5", deno: "2.9.6" };

const dir = mkdtempSync(join(tmpdir(), "form-backend-runtimes-"));
const modules = join(process.env.RUNTIMES ?? installed(), "node_modules");
const runtimes = {
  [`Node ${process.versions.node}`]: [process.execPath],
  [`Bun ${VERSIONS.bun}`]: [join(modules, "bun/bin/bun.exe")],
  [`Deno ${VERSIONS.deno}`]: [join(modules, "deno/deno"), "run", "-A"],
};

function installed() {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, dependencies: VERSIONS }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: dir, stdio: "inherit" });
  return dir;
}

async function measure(name, round) {
  const [program, ...args] = runtimes[name];
  const file = new URL("apps/runtime.mjs", import.meta.url).pathname;
  const env = {
    ...process.env,
    NODE_ENV: "production",
    DATABASE: join(dir, `${name.replace(/\W/g, "-")}-${round}.db`),
  };
  const app = spawn(program, [...args, file], { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let text = "";
    app.stdout.setEncoding("utf8").on("data", (chunk) => (text += chunk));
    while (!text.includes("LISTENS")) {
      if (app.exitCode !== null) throw new Error(`${name} ended with ${app.exitCode}`);
      await once(app.stdout, "data");
    }
    const [, url, path] = /LISTENS (\S+) (\S+)/.exec(text);
    const warm = await load(dir, url + path, CONNECTIONS, WARM_SECONDS);
    const before = cpuOf([app.pid]);
    const loaded = await load(dir, url + path, CONNECTIONS, SECONDS);
    const cpu = (cpuOf([app.pid]) - before) / loaded.requests;
    const { count } = await (await fetch(`${url}/stored`)).json();
    const answered = warm.requests + loaded.requests;
    if (count < answered) throw new Error(`${name} answered ${answered} posts and has ${count} submissions`);
    return { rate: loaded.rate, cpu, p99: loaded.p99 };
  } finally {
    const ended = once(app, "exit");
    app.kill("SIGKILL");
    await ended;
  }
}

try {
  const names = Object.keys(runtimes);
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    // Each round begins with another one, so that none always follows the same neighbour.
    for (const name of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
      const figures = await measure(name, round);
      found[name].push(figures);
      const { rate, cpu, p99 } = figures;
      console.error(
        `  ${round + 1}/${ROUNDS} ${name}: ${rate.toFixed(0)}/s, ${cpu.toFixed(0)} µs, ${p99.toFixed(0)} ms`,
      );
    }
  }
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0].model.trim()}, ${ROUNDS} rounds\n`,
  );
  console.log("| Runtime | accepted/s | CPU µs/post | p99 of 50 clients, ms |\n| --- | --- | --- | --- |");
  for (const name of names) {
    const of = (figure) => median(found[name].map((one) => one[figure]));
    console.log(`| ${name} | ${of("rate").toFixed(0)} | ${of("cpu").toFixed(0)} | ${of("p99").toFixed(0)} |`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
