import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mysqlStorage } from "../../../src/drivers/storage/mysql.ts";
import { type PoolLike, postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { freshPrefix, MYSQL_URL, withMysql } from "../../_support/mysql.ts";
import { freePort } from "../../_support/port.ts";
import { POSTGRES_URL } from "../../_support/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../_support/postgres-schema.ts";
import { runs } from "../../_support/runs.ts";
import { call, kill, startApp } from "./_apps.ts";
import { mailReceiver, webhookReceiver } from "./_receivers.ts";
import { pause } from "./_workers.ts";

const SUBMISSIONS = runs(500, 10_000);
const KILLS = runs(5, 20);
/** How many processes share a server. */
const PROCESSES = [4, 2].slice(0, runs(1, 2));
const CLIENTS = 32;
/**
 * The lease of a killed process ends after 30 s for a webhook and after 60 s for an email. With shorter ones, a slow machine kills
 * the processes of one delivery three times, after which it fails by design.
 */
const SPEED = 2;
const TIMEOUT_MS = 900_000;

/** Where the processes keep everything. */
interface Place {
  readonly env: Record<string, string>;
  open(): StorageDriver;
  remove(): void;
}

function onSqlite(): Place {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-kill-"));
  const path = join(dir, "forms.db");
  return {
    env: { DATABASE: path },
    open: () => sqliteStorage({ path }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function onPostgres(pool: PoolLike): Place {
  const schema = freshSchema();
  return {
    env: { DATABASE: POSTGRES_URL, SCHEMA: schema },
    open: () => postgresStorage({ pool, schema, timeoutMs: PATIENT_MS }),
    // The schema goes when the file is done.
    remove: () => {},
  };
}

function onMysql(): Place {
  const prefix = freshPrefix();
  return {
    env: { DATABASE: MYSQL_URL, PREFIX: prefix },
    open: () => mysqlStorage({ uri: MYSQL_URL, prefix, timeoutMs: PATIENT_MS }),
    // The tables go when the file is done.
    remove: () => {},
  };
}

// At the same time, since each waits for leases most of its time.
describe.concurrent("F1", () => {
  it(
    `${SUBMISSIONS} submissions with ${KILLS} random kill -9 on SQLite lose none and deliver all`,
    () => killed("SQLite", 1, onSqlite()),
    TIMEOUT_MS,
  );
  withMysql(() => {
    it.each(PROCESSES)(
      `${SUBMISSIONS} submissions with ${KILLS} random kill -9 of %i processes on MariaDB lose none and deliver all`,
      (processes) => killed(`MariaDB, ${processes} processes`, processes, onMysql()),
      TIMEOUT_MS,
    );
  });
  withPostgres((pool) => {
    it.each(PROCESSES)(
      `${SUBMISSIONS} submissions with ${KILLS} random kill -9 of %i processes on PostgreSQL lose none and deliver all`,
      (processes) => killed(`PostgreSQL, ${processes} processes`, processes, onPostgres(pool)),
      TIMEOUT_MS,
    );
  });
});

async function killed(name: string, processes: number, place: Place): Promise<void> {
  const [hooks, mails] = [await webhookReceiver(), await mailReceiver()];
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const since = String(Date.now());
  const start = (port: number | undefined) =>
    startApp({
      ...process.env,
      NODE_ENV: "production",
      ...place.env,
      SPEED: String(SPEED),
      SINCE: since,
      PORT: String(port),
      SMTP_PORT: String(mails.port),
    });
  const apps = await Promise.all(ports.map(start));
  const [first] = apps as [ChildProcess];
  const form = (await call(first, "forms.create", {
    name: "F1",
    // Replies to as many visitors: of notifications to one owner, all but 60 an hour would be one mail.
    auto_response: { enabled: true },
  })) as { id: string };
  await call(first, "webhooks.create", form.id, { url: `http://127.0.0.1:${hooks.port}/` });

  /** The id that each sender was told, by what it sent. */
  const accepted = new Map<number, string>();
  let next = 0;
  const client = async () => {
    for (let n = next++; n < SUBMISSIONS; n = next++) {
      for (let tries = 0; !accepted.has(n); tries++) {
        try {
          // As a proxy in front would: a process that does not answer is passed over.
          const answer = await fetch(`http://127.0.0.1:${ports[(n + tries) % processes]}/forms/f/${form.id}`, {
            method: "POST",
            headers: { "idempotency-key": `n${n}`, accept: "application/json" },
            body: new URLSearchParams({ n: String(n), email: `visitor${n}@example.com`, message: "x".repeat(200) }),
            signal: AbortSignal.timeout(10_000),
          });
          const { submission_id } = (await answer.json()) as { submission_id?: string };
          if (answer.ok) accepted.set(n, String(submission_id));
        } catch {
          await pause(20);
        }
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);

  // Each kill comes at a random moment of the next twentieth of the work, so that all twenty fall into it.
  let kills = 0;
  for (; kills < KILLS; kills++) {
    const at = Math.floor(((kills + Math.random()) * SUBMISSIONS * 0.95) / KILLS);
    while (accepted.size < at) await pause(2);
    const victim = kills % processes;
    await kill(apps[victim] as ChildProcess);
    apps[victim] = await start(ports[victim]);
  }
  await Promise.all(clients);
  const started = Date.now();

  // The leases of killed workers have to end; then the rest goes at once.
  const jobs = async (status: string) => (await call(apps[0] as ChildProcess, "jobs.list", { status })) as unknown[];
  const open = async () => (await jobs("pending")).length + (await jobs("retrying")).length;
  const arrived = () => hooks.counts.size + mails.counts.size;
  /** Waits until no delivery is open. */
  const drain = async (): Promise<void> => {
    let [best, bestAt] = [Number.NEGATIVE_INFINITY, Date.now()];
    for (let left = await open(); left > 0; left = await open()) {
      if (arrived() - left > best) [best, bestAt] = [arrived() - left, Date.now()];
      const waited = Date.now() - bestAt;
      const state = `${arrived()} deliveries arrived, ${left} are open, and none ended for 120 s`;
      expect(waited, waited < 120_000 ? "" : state).toBeLessThan(120_000);
      await pause(1_000);
    }
  };
  await drain();
  // By design, a delivery fails whose process is killed in the run that it has for itself, after two that it shared. There is one such run in a process, so
  // a kill ends one at most. A resend delivers it.
  const spent = (await jobs("failed")) as { id: string; code: string }[];
  expect(spent.length, "a kill ends one last run at most").toBeLessThanOrEqual(kills);
  for (const { id, code } of spent) {
    expect(code).toMatch(/_WORKER_LOST$/);
    await call(apps[0] as ChildProcess, "jobs.retry", id);
  }
  await drain();
  const drained = Date.now() - started;
  await Promise.all(apps.map(kill));

  const storage = place.open();
  await storage.open();
  const stored: string[] = [];
  const told: string[] = [];
  const statuses = new Map<string, number>();
  const ids = { webhook: new Set<string>(), email: new Set<string>() };
  for (const collection of ["submissions", "jobs"] as const) {
    for (let after: { sort: string; id: string } | undefined; ; ) {
      const rows = await storage.page(collection, {
        index: "form",
        equals: { form_id: form.id },
        after,
        order: "asc",
        limit: 1000,
      });
      for (const { id, value } of rows) {
        if (collection === "submissions") {
          const sent = (value["fields"] as { value: string }[])[0]?.value ?? "";
          stored.push(sent);
          if (accepted.get(Number(sent)) === id) told.push(id);
        } else {
          const status = `${value["lane"]} ${value["status"] === "succeeded" ? "succeeded" : value["code"]}`;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          ids[value["lane"] as "webhook" | "email"].add(id);
        }
      }
      const last = rows.at(-1);
      if (!last) break;
      after = { sort: String(last.value["created_at"]), id: last.id };
    }
  }
  const counter = (await storage.get("counters", [`form:${form.id}:all`])).get(`form:${form.id}:all`)?.value;
  await storage.close();

  const duplicates = { webhook: sum(hooks.counts) - hooks.counts.size, email: sum(mails.counts) - mails.counts.size };
  console.log(
    `F1 on ${name}: ${kills} kills, ${accepted.size} accepted, ${SUBMISSIONS - new Set(stored).size} lost, ${stored.length - new Set(stored).size} stored twice, ${JSON.stringify([...statuses])}, duplicates ${JSON.stringify(duplicates)}, ${spent.length} killed in their last run and resent, drained ${drained} ms after the last accept`,
  );
  expect(new Set(stored).size, "no accepted submission is lost").toBe(SUBMISSIONS);
  expect(stored.length, "none is stored twice under its key").toBe(SUBMISSIONS);
  expect(told.length, "each sender was told the id of what is stored").toBe(SUBMISSIONS);
  expect(counter?.["n"], "the counter is exact").toBe(SUBMISSIONS);
  expect([...statuses].sort(), "every delivery succeeded").toEqual([
    ["email succeeded", SUBMISSIONS],
    ["webhook succeeded", SUBMISSIONS],
  ]);
  expect(
    [...ids.webhook].filter((id) => !hooks.counts.has(id)),
    "every webhook arrived",
  ).toEqual([]);
  expect(mails.counts.size, "every mail arrived").toBe(SUBMISSIONS);
  // A lane has at most 64 in flight. Those of one mail server are fewer, but a result that waits for its commit frees the server's place.
  const most = KILLS * 64 + spent.length;
  expect(Math.max(duplicates.webhook, duplicates.email), "kills x deliveries in flight").toBeLessThanOrEqual(most);

  await hooks.close();
  await mails.close();
  place.remove();
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, n) => all + n, 0);
