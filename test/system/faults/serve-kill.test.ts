import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/surfaces/client/index.ts";
import { freePort } from "../../_support/port.ts";
import { describePostgres, temporaryDatabase } from "../../_support/postgres.ts";
import { describeRedis, REDIS_URL } from "../../_support/redis.ts";
import { runs } from "../../_support/runs.ts";
import { startS3 } from "../../_support/s3-server.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";
import { start } from "../cli/_command.ts";
import { mailReceiver, webhookReceiver } from "./_receivers.ts";
import { pause } from "./_workers.ts";

const SUBMISSIONS = runs(300, 10_000);
const KILLS = runs(3, 20);
const CLIENTS = 16;
/** Every so many posts, one has a file. */
const FILE_EVERY = 10;
/** A delivery that was cut off by a kill, and then refused by the receiver, waits two minutes for its third attempt. */
const STALL_MS = 240_000;
const TIMEOUT_MS = 1_800_000;

// At the same time, since each waits for leases of two minutes most of its time.
describe.concurrent("F1 on serve", () => {
  it(
    `${SUBMISSIONS} posts with ${KILLS} random kill -9 on SQLite lose none and deliver all`,
    () => killed("SQLite", 1, {}),
    TIMEOUT_MS,
  );

  describePostgres("with PostgreSQL", () => {
    describeRedis("with Redis and S3", () => {
      it(
        `${SUBMISSIONS} posts with ${KILLS} random kill -9 of two processes behind a proxy lose none and deliver all`,
        async () => {
          const [database, s3] = [await temporaryDatabase(), await startS3()];
          const { endpoint, bucket, accessKeyId, secretAccessKey, region } = s3.options();
          const place = new URL(`${endpoint}/${bucket}/uploads?region=${region}`);
          Object.assign(place, { username: accessKeyId, password: encodeURIComponent(secretAccessKey) });
          await killed("PostgreSQL, Redis and S3", 2, { DATABASE_URL: database.url, REDIS_URL, S3_URL: place.href });
          await s3.close();
          await database.drop();
        },
        TIMEOUT_MS,
      );
    });
  });
});

async function killed(name: string, processes: number, place: Record<string, string>): Promise<void> {
  const [hooks, mails] = [await webhookReceiver(), await mailReceiver()];
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const proxy = await passingOver(ports);
  const cwd = temporaryDirectory();
  const baseUrl = `http://127.0.0.1:${proxy.port}/forms`;
  const env = {
    ...place,
    NODE_ENV: "production",
    FORM_BACKEND_URL: baseUrl,
    FORM_BACKEND_SECRET: "the same for all processes, long enough",
    FORM_BACKEND_FROM: "Forms <forms@example.com>",
    FORM_BACKEND_TRUST_PROXY: "1",
    FORM_BACKEND_WEBHOOK_CIDRS: "127.0.0.0/8",
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  };
  const apps: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];
  let key = "";
  const launch = async (i: number): Promise<void> => {
    const app = start(["serve", "--json", "--host", "127.0.0.1", "--port", String(ports[i])], { cwd, env });
    const ended = app.ended.then(({ err }) => Promise.reject(new Error(`serve ended: ${err}`)));
    // Only an end before the first line counts.
    ended.catch(() => {});
    const [line] = (await Promise.race([once(app.child.stdout!, "data"), ended])) as [Buffer];
    key ||= (JSON.parse(String(line)) as { key: string | null }).key ?? "";
    apps[i] = app;
  };
  const kill = async (i: number): Promise<void> => {
    apps[i]?.child.kill("SIGKILL");
    await apps[i]?.ended;
  };
  for (let i = 0; i < processes; i++) await launch(i);
  const api = createClient({ baseUrl, token: key });
  const form = await api.createForm({
    name: "F1",
    spam: { protection: false },
    // Replies to as many visitors: of notifications to one owner, all but 60 an hour would be one mail.
    auto_response: { enabled: true },
  });
  await api.createWebhook({ form_id: form.id, url: `http://127.0.0.1:${hooks.port}/` });

  const accepted = new Set<number>();
  let next = 0;
  const client = async (): Promise<void> => {
    for (let n = next++; n < SUBMISSIONS; n = next++) {
      while (!accepted.has(n)) {
        const ok = await post(form.endpoint, n).catch(() => false);
        if (ok) accepted.add(n);
        else await pause(20);
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  // Each kill comes at a random moment of its part of the work, so all fall into it.
  for (let kills = 0; kills < KILLS; kills++) {
    const at = Math.floor(((kills + Math.random()) * SUBMISSIONS * 0.95) / KILLS);
    while (accepted.size < at) await pause(2);
    await kill(kills % processes);
    await launch(kills % processes);
  }
  await Promise.all(clients);

  // The leases of killed processes have to end; then the rest goes at once.
  const arrived = (): number => hooks.counts.size + mails.counts.size;
  let [best, bestAt] = [-1, Date.now()];
  while (arrived() < 2 * SUBMISSIONS) {
    if (arrived() > best) [best, bestAt] = [arrived(), Date.now()];
    expect(
      Date.now() - bestAt,
      `${arrived()} of ${2 * SUBMISSIONS} deliveries arrived, and none for ${STALL_MS / 1_000} s`,
    ).toBeLessThan(STALL_MS);
    await pause(200);
  }

  const stored: string[] = [];
  let files = 0;
  for await (const { fields, attachments } of api.listSubmissions.all({
    form_id: form.id,
    status: "all",
    limit: 100,
  })) {
    const n = fields.find(({ key }) => key === "n")?.value ?? "";
    stored.push(n);
    for (const { url } of attachments) {
      const response = await fetch(url);
      expect(await response.text(), `the file of ${n}`).toBe(fileOf(Number(n)));
      files++;
    }
  }
  const lost = SUBMISSIONS - new Set(stored).size;
  const duplicates = sum(hooks.counts) - hooks.counts.size + sum(mails.counts) - mails.counts.size;
  console.log(
    `F1 on serve with ${name}: ${KILLS} kills, ${accepted.size} accepted, ${lost} lost, ${files} files, ${duplicates} delivered twice`,
  );
  expect(lost, "no accepted submission is lost").toBe(0);
  expect(stored.length, "none is stored twice under its key").toBe(SUBMISSIONS);
  expect(files, "every file is there, and as it was sent").toBe(Math.ceil(SUBMISSIONS / FILE_EVERY));
  expect((await api.retrieveForm({ form_id: form.id })).submissions.all_time, "the counter is exact").toBe(SUBMISSIONS);
  expect(hooks.counts.size).toBe(SUBMISSIONS);
  expect(mails.counts.size).toBe(SUBMISSIONS);
  expect(duplicates, "duplicates are bounded by kills x deliveries in flight").toBeLessThanOrEqual(KILLS * 80);

  for (const { child, ended } of apps) {
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, signal: null });
  }
  await Promise.all([proxy.close(), hooks.close(), mails.close()]);
}

const fileOf = (n: number): string => `file ${n}\n`.repeat(500);

/** One post under its key; true if it was accepted. */
async function post(endpoint: string, n: number): Promise<boolean> {
  const values = { n: String(n), email: `visitor${n}@example.com`, message: "x".repeat(200) };
  let body: URLSearchParams | FormData = new URLSearchParams(values);
  if (n % FILE_EVERY === 0) {
    body = new FormData();
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    body.set("cv", new File([fileOf(n)], "cv.txt", { type: "text/plain" }));
  }
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: {
      "idempotency-key": `n${n}`,
      accept: "application/json",
      "x-visitor": `93.${(n >> 16) % 256}.${(n >> 8) % 256}.${n % 256}`,
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  await answer.arrayBuffer();
  return answer.ok;
}

/** A proxy that passes over processes which don't listen. A request that was cut is 502, as it may have been taken. */
async function passingOver(ports: readonly number[]): Promise<{ readonly port: number; close(): Promise<void> }> {
  let turn = 0;
  const pass = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await buffer(req);
    const first = turn++;
    const attempt = (tries: number): void => {
      const port = ports[(first + tries) % ports.length];
      const headers = { ...req.headers, "x-forwarded-for": String(req.headers["x-visitor"] ?? "93.184.216.34") };
      const onward = forward({ host: "127.0.0.1", port, method: req.method, path: req.url, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on("error", () => res.destroy());
        answer.pipe(res);
      });
      onward.on("error", (error: NodeJS.ErrnoException) => {
        if (res.headersSent) return void res.destroy();
        if (error.code === "ECONNREFUSED" && tries + 1 < ports.length) return attempt(tries + 1);
        res.writeHead(502).end();
      });
      onward.end(body);
    };
    attempt(0);
  };
  const server = createServer((req, res) => void pass(req, res).catch(() => res.destroy()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, n) => all + n, 0);
