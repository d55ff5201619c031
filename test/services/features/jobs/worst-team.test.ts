import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { createFormBackend } from "../../../../src/index.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { runs } from "../../../_support/runs.ts";
import { address, attacks, mailServer, prepareWorst } from "../../../bench/worst.mjs";

const POSTS = runs(30, 1_000);
/** Requests of each kind that the team has under way at once. */
const AT_ONCE = 3;
/** To one mailbox; what is beyond goes into a summary. */
const MAILS_AN_HOUR = 60;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const title = `one team at its worst in mails, reads, patterns, uploads and images: ${POSTS} posts to another's form are all accepted, stored and mailed`;

async function besideTheWorst(storage: StorageDriver): Promise<void> {
  const [silent, usual] = [await mailServer({ silent: true }), await mailServer({ silent: false })];
  const server: Server = createServer((req, res) => handle(req, res));
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  const b = createFormBackend({
    baseUrl: `http://127.0.0.1:${port}/forms`,
    secret: "x".repeat(32),
    storage,
    mailer: smtpMailer(`smtp://127.0.0.1:${usual.port}`),
    webhooks: { allowCidrs: ["127.0.0.0/8"] },
    trustProxy: true,
    logger: quiet,
  });
  const handle = formBackend(b);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await b.close({ graceMs: 0 });
    silent.close();
    usual.close();
  });
  await b.teams.create({ id: "worst", name: "Worst" });
  await b.teams.create({ id: "calm", name: "Calm" });
  const facts = await prepareWorst(b, { team: "worst", server: silent.port, rows: 60 });
  const calm = await b.forms.create(
    { name: "Calm", self_email_notification: { recipients: ["calm@example.com"] } },
    { team_id: "calm" },
  );
  const base = `http://127.0.0.1:${port}/forms`;
  const seen = new Map<string, number>();
  const sending = attacks(base, facts);
  let over = false;
  const attackers = Object.entries(sending).flatMap(([name, send]) =>
    Array.from({ length: AT_ONCE }, async () => {
      do {
        const what = `${name} ${await send()}`;
        seen.set(what, (seen.get(what) ?? 0) + 1);
      } while (!over);
    }),
  );
  const statuses = new Set<number>();
  for (let n = 0; n < POSTS; n++) {
    const response = await fetch(`${base}/f/${calm.id}`, {
      method: "POST",
      headers: { accept: "application/json", "sec-fetch-mode": "cors", "x-forwarded-for": address() },
      body: new URLSearchParams({ email: "ann@example.com", message: `Hello ${n}, how are you today?` }),
    });
    await response.arrayBuffer();
    statuses.add(response.status);
  }
  over = true;
  await Promise.all(attackers);
  console.log(Object.fromEntries([...seen].sort()));
  expect([...statuses]).toEqual([200]);
  expect((await b.submissions.count(calm.id, {})).count).toBe(POSTS);
  const mailed = () => usual.recipients.filter((to) => to === "calm@example.com").length;
  await expect.poll(mailed, { timeout: 60_000 }).toBe(Math.min(POSTS, MAILS_AN_HOUR));
  // The team itself is refused in words, never by a fault.
  for (const name of Object.keys(sending)) expect([...seen.keys()].some((what) => what.startsWith(name))).toBe(true);
  expect([...seen.keys()].filter((what) => / 5\d\d$/.test(what))).toEqual([]);
}

it(`${title}, on SQLite`, { timeout: 600_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-worst-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await besideTheWorst(sqliteStorage({ path: join(dir, "forms.db") }));
});

withMysql((pool) => {
  it(`${title}, on MariaDB`, { timeout: 600_000 }, async () => {
    await besideTheWorst(mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS }));
  });
});

withPostgres((pool) => {
  it(title, { timeout: 600_000 }, async () => {
    await besideTheWorst(postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }));
  });
});
