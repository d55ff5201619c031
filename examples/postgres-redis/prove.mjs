// @ts-check
// Posts to the two processes, kills one after the other while they work, and counts: is every post that was answered with 2xx
// stored once, and has its webhook come?
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createFormBackend } from "form-backend";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { Redis } from "ioredis";
import pg from "pg";
import { startApps } from "./apps.mjs";
import { createProxy } from "./proxy.mjs";
import { databaseUrl, redisUrl, secret } from "./settings.mjs";

const POSTS = Number(process.env.POSTS ?? 2_000);
const CLIENTS = 16;
const PATIENCE_MS = 120_000;
const schema = `form_backend_proof_${randomBytes(4).toString("hex")}`;

/** Webhooks that came, by submission. @type {Map<string, number>} */
const received = new Map();
const receiver = createServer(async (req, res) => {
  let body = "";
  for await (const part of req) body += part;
  const { id } = JSON.parse(body).data;
  received.set(id, (received.get(id) ?? 0) + 1);
  res.end();
});

/** @param {import("node:net").Server} server */
async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}
async function freePort() {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}

const ports = [await freePort(), await freePort()];
const proxy = createProxy(ports);
const site = `http://127.0.0.1:${await listen(proxy)}`;
const receiverUrl = `http://127.0.0.1:${await listen(receiver)}/hook`;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
const admin = createFormBackend({
  baseUrl: `${site}/forms`,
  secret,
  storage: postgresStorage({ pool, schema }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  work: false,
});
const form = await admin.forms.create({ name: "Proof" });
await admin.webhooks.create(form.id, { url: receiverUrl });
const apps = await startApps(ports, { SCHEMA: schema, SITE: site, RATE_LIMIT: "off", PROOF: "1" });

/** Submissions that a client was told are stored. @type {Set<string>} */
const accepted = new Set();
let next = 0;
let repeated = 0;

/** Posts until it is told that the post is stored. The key makes sure that a repeated post is stored once. @param {number} n */
async function post(n) {
  const key = randomUUID();
  const body = JSON.stringify({ n: String(n), message: randomBytes(12).toString("hex") });
  for (;;) {
    const answer = await fetch(form.endpoint, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body,
    }).catch(() => null);
    if (answer?.ok) {
      accepted.add((await answer.json()).submission_id);
      return;
    }
    await answer?.body?.cancel();
    if (answer && answer.status < 500 && answer.status !== 409) throw new Error(`post ${n}: ${answer.status}`);
    repeated++;
    await sleep(50);
  }
}

const kills = [0.2, 0.5, 0.8].map((part, i) => ({ at: Math.floor(POSTS * part), port: ports[i % 2] ?? 0 }));
async function client() {
  while (next < POSTS) {
    const n = next++;
    const kill = kills.find(({ at }) => at === n);
    if (kill) apps.kill(kill.port);
    await post(n);
  }
}

let lost = -1;
try {
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const deadline = Date.now() + PATIENCE_MS;
  const missing = () => [...accepted].filter((id) => !received.has(id)).length;
  while (missing() > 0 && Date.now() < deadline) await sleep(100);
  const { count } = await admin.submissions.count(form.id, { status: "all" });
  const calls = [...received.values()].reduce((sum, n) => sum + n, 0);
  lost = Math.max(0, accepted.size - count) + missing();
  console.log(`killed        ${kills.length} times`);
  console.log(`accepted      ${accepted.size} of ${POSTS}, after ${repeated} repeated posts`);
  console.log(`stored        ${count}`);
  console.log(`webhooks      ${received.size}, and ${calls - received.size} of them a second time`);
  console.log(`lost          ${lost}`);
  if (count !== accepted.size || accepted.size !== POSTS) process.exitCode = 1;
} finally {
  if (lost !== 0) process.exitCode = 1;
  await apps.stop();
  await admin.close();
  await pool.query(`drop schema if exists ${schema} cascade`);
  await pool.end();
  const redis = new Redis(redisUrl);
  await redis.del(`${schema}:wakes:events`);
  redis.disconnect();
  for (const server of [proxy, receiver]) {
    server.close();
    server.closeAllConnections();
  }
}
