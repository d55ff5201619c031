import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sqliteStorage } from "../../src/drivers/storage/sqlite.ts";
import { mailReceiver, webhookReceiver } from "./_receivers.ts";

const SUBMISSIONS = 10_000;
const KILLS = 20;
const CLIENTS = 32;

it(`F1: ${SUBMISSIONS} submissions with ${KILLS} random kill -9 on SQLite lose none and deliver all`, async () => {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-kill-"));
  const [hooks, mails] = [await webhookReceiver(), await mailReceiver()];
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_ENV: "production",
    DATABASE: join(dir, "forms.db"),
    PORT: String(port),
    SMTP_PORT: String(mails.port),
  };
  const start = () => startApp(env);
  let app = await start();
  const form = (await call(app, "forms.create", {
    name: "F1",
    self_email_notification: { recipients: ["owner@example.com"] },
  })) as { id: string; endpoint: string };
  await call(app, "webhooks.create", form.id, { url: `http://127.0.0.1:${hooks.port}/` });

  const accepted = new Set<number>();
  let next = 0;
  const client = async () => {
    for (let n = next++; n < SUBMISSIONS; n = next++) {
      while (!accepted.has(n)) {
        try {
          const answer = await fetch(form.endpoint, {
            method: "POST",
            headers: { "idempotency-key": `n${n}`, accept: "application/json" },
            body: new URLSearchParams({ n: String(n), email: "visitor@example.com", message: "x".repeat(200) }),
            signal: AbortSignal.timeout(10_000),
          });
          if (answer.ok) accepted.add(n);
          await answer.arrayBuffer();
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
    const gone = new Promise((resolve) => app.once("exit", resolve));
    app.kill("SIGKILL");
    await gone;
    app = await start();
  }
  await Promise.all(clients);
  const started = Date.now();

  // Leases of killed workers have to run out: four deadlines for webhooks, two minutes for email.
  const jobs = async (status: string) => (await call(app, "jobs.list", { status })) as unknown[];
  const unsettled = async () => (await jobs("pending")).length + (await jobs("retrying")).length;
  while (hooks.counts.size < SUBMISSIONS || mails.counts.size < SUBMISSIONS || (await unsettled()) > 0) {
    const arrived = `${hooks.counts.size} webhooks and ${mails.counts.size} mails arrived`;
    expect(Date.now() - started, `${arrived}; the rest within 150 s`).toBeLessThan(150_000);
    await pause(1_000);
  }
  const drained = Date.now() - started;
  const stopped = new Promise((resolve) => app.once("exit", resolve));
  app.kill("SIGKILL");
  await stopped;

  const storage = sqliteStorage({ path: env.DATABASE });
  await storage.open();
  const stored: string[] = [];
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
        if (collection === "submissions") stored.push((value["fields"] as { value: string }[])[0]?.value ?? "");
        else {
          const status = `${value["lane"]} ${value["status"]}`;
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
    `F1 on SQLite: ${kills} kills, ${accepted.size} accepted, ${SUBMISSIONS - new Set(stored).size} lost, ${stored.length - new Set(stored).size} stored twice, ${JSON.stringify([...statuses])}, duplicates ${JSON.stringify(duplicates)}, drained ${drained} ms after the last accept`,
  );
  expect(new Set(stored).size, "no accepted submission is lost").toBe(SUBMISSIONS);
  expect(stored.length, "none is stored twice under its key").toBe(SUBMISSIONS);
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
  expect(duplicates.webhook, "duplicates are bounded by kills x deliveries in flight").toBeLessThanOrEqual(KILLS * 64);
  expect(duplicates.email).toBeLessThanOrEqual(KILLS * 16);

  await hooks.close();
  await mails.close();
  rmSync(dir, { recursive: true, force: true });
});

async function startApp(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const app = fork("test/faults/app.mjs", { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await new Promise<void>((resolve, reject) => {
    app.once("message", () => resolve());
    app.once("exit", (code) => reject(new Error(`the app ended with ${code} before it was ready`)));
  });
  app.removeAllListeners("exit");
  return app;
}

async function call(app: ChildProcess, name: string, ...args: unknown[]): Promise<unknown> {
  const answer = new Promise<{ result: unknown }>((resolve) =>
    app.once("message", (message) => resolve(message as { result: unknown })),
  );
  app.send({ call: name, args });
  return (await answer).result;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, n) => all + n, 0);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
