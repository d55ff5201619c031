import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { memoryMailer } from "../../../src/drivers/mailer/memory.ts";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import { createTestBackend } from "../../../src/surfaces/testing/backend.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";
import { freePort } from "../../_support/port.ts";
import { startSmtpServer } from "../../_support/smtp.ts";
import { pause } from "./_workers.ts";

const POSTS = 300;
const KILLS = 5;

it(`of ${POSTS} notifications to one mailbox, at most 60 go out by themselves and the summary has the rest, after ${KILLS} random kill -9`, async () => {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-summary-"));
  const smtp = await startSmtpServer();
  onTestFinished(async () => {
    await smtp.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const path = join(dir, "forms.db");
  const port = await freePort();
  const env = { ...process.env, DATABASE: path, PORT: String(port), SMTP_PORT: String(smtp.port) };
  let app = await start(env);
  const form = await create(app);
  for (let n = 0, kills = 0; n < POSTS; ) {
    const answer = await fetch(`http://127.0.0.1:${port}/forms/f/${form}`, {
      method: "POST",
      headers: { "idempotency-key": `n${n}`, accept: "application/json" },
      body: new URLSearchParams({ message: `message no. ${n};` }),
    }).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok) n++;
    if (kills < KILLS && n >= ((kills + Math.random()) * POSTS) / KILLS) {
      kills++;
      await kill(app);
      app = await start(env);
    }
  }
  while (smtp.messages.length === 0) await pause(20);
  await kill(app);

  // Three hours on: every lease has ended, and the summary is due.
  const mailer = memoryMailer();
  const backend = createTestBackend({
    storage: sqliteStorage({ path }),
    secret: "a secret for the fault tests, 32 long",
    mailer,
    clock: testClock(Date.now() + 3 * 60 * 60_000),
  });
  onTestFinished(() => backend.close());
  await backend.tick();
  await backend.clock.advance(3 * 60 * 60_000);
  const texts = [...smtp.messages.map(({ text }) => text ?? ""), ...mailer.sent.map(({ text }) => text)];
  const numbers = texts.flatMap((text) => [...text.matchAll(/message no\. (\d+);/g)].map(([, n]) => Number(n)));
  expect([...new Set(numbers)].sort((a, b) => a - b)).toEqual(Array.from({ length: POSTS }, (_, n) => n));
  // A worker that was killed between the server's answer and its result sends again.
  expect(new Set(smtp.messages.map(({ messageId }) => messageId)).size).toBeLessThanOrEqual(60);
  const jobs = await backend.jobs.list({ form_id: form });
  expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(["succeeded"]));
}, 240_000);

async function start(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const app = fork("test/system/faults/app.mjs", { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await new Promise((resolve, reject) => {
    app.once("message", resolve);
    app.once("exit", (code) => reject(new Error(`the app ended with ${code}`)));
  });
  return app;
}

const create = (app: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    app.once("message", (answer) => resolve((answer as { result: { id: string } }).result.id));
    const input = {
      name: "Contact",
      spam: { protection: false },
      self_email_notification: { recipients: ["owner@example.com"] },
    };
    app.send({ call: "forms.create", args: [input] });
  });

function kill(app: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => app.once("exit", () => resolve()));
  app.kill("SIGKILL");
  return gone;
}
