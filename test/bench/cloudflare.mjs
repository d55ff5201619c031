// CPU time of a post, and of a start, in workerd: the built package in a Durable Object beside a Worker written by hand that does one
// INSERT into the SQLite of its object. `node test/bench/cloudflare.mjs`, after a build. Time of the CPU, so that other work on the machine
// counts little; miniflare's own Worker in front is part of both.
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";

const POSTS = Number(process.argv[2] ?? 2_000);
const CLIENTS = 20;
const TICK_MS = 10;

const OURS = `
  import { formBackendObject, formBackendWorker, backendOf } from "form-backend/cloudflare";
  export class Forms extends formBackendObject(() => ({
    baseUrl: "http://site.test/forms",
    secret: "the secret of this bench, long enough",
    rateLimit: false,
    logger: { debug() {}, info() {}, warn() {}, error: (text) => console.error(text) },
  })) {}
  export default formBackendWorker({
    binding: "FORMS",
    next: async (_, env) => new Response((await backendOf(env.FORMS).forms.create({ name: "Bench" })).endpoint),
  });
`;
const BY_HAND = `
  import { DurableObject } from "cloudflare:workers";
  export class Forms extends DurableObject {
    constructor(ctx, env) {
      super(ctx, env);
      ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS posts (id TEXT PRIMARY KEY, body TEXT, at TEXT)");
    }
    async fetch(request) {
      const fields = Object.fromEntries(new URLSearchParams(await request.text()));
      this.ctx.storage.sql.exec("INSERT INTO posts VALUES (?, ?, ?)", crypto.randomUUID(), JSON.stringify(fields), new Date().toISOString());
      return Response.json({ status: "success" });
    }
  }
  export default {
    fetch: (request, env) =>
      request.method === "GET" ? new Response("http://site.test/forms/f/hand") : env.FORMS.get(env.FORMS.idFromName("forms")).fetch(request),
  };
`;

const OPTIONAL = [
  "nodemailer",
  "pg",
  "mysql2",
  "mysql2/*",
  "bullmq",
  "ioredis",
  "jiti",
  "@photostructure/sqlite",
  "@opentelemetry/api",
];

async function bundled(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    logLevel: "error",
    banner: {
      js: 'import { createRequire as workerRequire } from "node:module"; const require = workerRequire("/worker.js");',
    },
    external: ["cloudflare:*", "node:*", "@modelcontextprotocol/*", ...OPTIONAL],
    alias: Object.fromEntries(
      builtinModules.filter((name) => !name.startsWith("node:")).map((name) => [name, `node:${name}`]),
    ),
  });
  return outputFiles[0]?.text ?? "";
}

/** CPU time of the runtime that this process has started, and of what it has started itself, ms. */
function cpuOf() {
  const all = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      all.set(Number(pid), { parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS });
    } catch {
      // It has ended in between.
    }
  }
  const isOurs = (pid) => pid === process.pid || (all.has(pid) && isOurs(all.get(pid).parent));
  return [...all].reduce((sum, [pid, { ms }]) => (pid !== process.pid && isOurs(pid) ? sum + ms : sum), 0);
}

async function measure(code) {
  const contents = await bundled(code);
  // esbuild goes on as a process of its own, whose time is not the runtime's.
  const others = cpuOf();
  const workerd = new Miniflare({
    modules: [{ type: "ESModule", path: "worker.js", contents }],
    compatibilityDate: "2026-04-01",
    compatibilityFlags: ["nodejs_compat"],
    durableObjects: { FORMS: { className: "Forms", useSQLite: true } },
    cf: false,
    log: new Log(LogLevel.ERROR),
  });
  const url = await workerd.ready;
  const endpoint = new URL(await (await workerd.dispatchFetch("http://site.test/")).text());
  const post = async (n) => {
    const response = await fetch(new URL(endpoint.pathname, url), {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: `name=Ann&email=ann${n}%40example.com&message=Hello`,
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a post was answered with ${response.status}`);
  };
  await post(0);
  const start = cpuOf() - others;
  const load = async (posts) => {
    let left = posts;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (left-- > 0) await post(left);
      }),
    );
  };
  // Warm first, as the compiler of V8 works on code that has run often.
  await load(POSTS / 4);
  const before = cpuOf();
  await load(POSTS);
  const each = (cpuOf() - before) / POSTS;
  await workerd.dispose();
  return { start, each };
}

const rounds = 3;
const found = { "form-backend": [], "one INSERT by hand": [] };
for (let round = 0; round < rounds; round++) {
  found["form-backend"].push(await measure(OURS));
  found["one INSERT by hand"].push(await measure(BY_HAND));
}
const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
for (const [name, all] of Object.entries(found)) {
  console.log(
    `${name.padEnd(20)} start with first post ${middle(all.map(({ start }) => start))
      .toFixed(0)
      .padStart(5)} ms CPU, post ${middle(all.map(({ each }) => each)).toFixed(2)} ms CPU`,
  );
}
