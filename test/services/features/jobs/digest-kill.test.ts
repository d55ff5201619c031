import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { bundle } from "../../../_support/bundle.ts";
import { freePort } from "../../../_support/port.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const POSTS = 60;
const KILLS = 5;
const HOUR = 60 * 60_000;

it(`a digest has each of ${POSTS} submissions once after ${KILLS} kill -9 in the middle of its window`, async () => {
  const path = join(temporaryDirectory(), "forms.db");
  const script = await bundle("test/services/features/jobs/_digest-app.ts");
  const port = await freePort();
  // The window ends in twelve hours, whatever the time is.
  const at = new Date(Date.now() + 12 * HOUR).toISOString().slice(11, 16);
  const env = { ...process.env, NODE_ENV: "production", PORT: String(port), DATABASE: path, AT: at };
  let app = await start();
  for (let n = 0, kills = 0; n < POSTS; ) {
    const answer = await fetch(app.endpoint, {
      method: "POST",
      body: new URLSearchParams({ message: `no. ${n};` }),
      headers: { accept: "application/json", "idempotency-key": `n${n}` },
    }).catch(() => null);
    await answer?.arrayBuffer().catch(() => null);
    if (answer?.ok) n++;
    if (kills < KILLS && n >= ((kills + 0.5) * POSTS) / KILLS) {
      kills++;
      app.child.kill("SIGKILL");
      await once(app.child, "exit");
      app = await start();
    }
  }
  app.child.kill("SIGKILL");
  await once(app.child, "exit");

  const mailer = memoryMailer();
  // The leases of what was just looked at have ended.
  const clock = testClock(Date.now() + HOUR);
  const backend = createTestBackend({
    baseUrl: `http://127.0.0.1:${port}/forms`,
    storage: sqliteStorage({ path }),
    mailer,
    clock,
  });
  onTestFinished(() => backend.close());
  await backend.tick();
  expect(mailer.sent).toHaveLength(0);
  await backend.clock.advance(12 * HOUR);
  expect(mailer.sent.map(({ to }) => to.address)).toEqual(["owner@example.com"]);
  const numbers = [...(mailer.sent[0]?.text ?? "").matchAll(/no\. (\d+);/g)].map(([, n]) => Number(n));
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: POSTS }, (_, n) => n));
  const jobs = await backend.jobs.list({ form_id: (await backend.forms.list()).data[0]?.id ?? "" });
  expect(jobs.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
    "digest succeeded",
    ...Array<string>(POSTS).fill("owner_email succeeded"),
  ]);

  async function start(): Promise<{ child: ChildProcess; endpoint: string }> {
    const child = fork(script, { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [endpoint] = (await once(child, "message")) as [string];
    return { child, endpoint };
  }
}, 240_000);
