import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holdingReceiver, jobsIn, pause, startWorker, until, type Worker } from "./_workers.ts";

const DELIVERIES = 8;
// The lease is four deadlines: 8 s.
const WEBHOOK_TIMEOUT_MS = "2000";

describe("F10: a worker that stands still for longer than its lease", () => {
  let dir: string;
  let env: Record<string, string>;
  let receiver: Awaited<ReturnType<typeof holdingReceiver>>;
  const workers: Worker[] = [];
  const start = async (): Promise<Worker> => {
    const worker = await startWorker(env);
    workers.push(worker);
    return worker;
  };

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "form-backend-lease-"));
    env = { DATABASE: join(dir, "forms.db"), WEBHOOK_TIMEOUT_MS };
    receiver = await holdingReceiver();
  });
  afterEach(async () => {
    for (const { process, ended } of workers.splice(0)) {
      process.kill("SIGKILL");
      await ended;
    }
    await receiver.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The first worker has sent everything and stands still; the second has sent everything again. */
  async function takenOver(secondAnswer: number): Promise<{ first: Worker; second: Worker }> {
    const first = await start();
    const form = (await first.call("forms.create", { name: "F10", spam: { protection: false } })) as { id: string };
    await first.call("webhooks.create", form.id, { url: receiver.url });
    await Promise.all(
      Array.from({ length: DELIVERIES }, (_, n) => first.call("submit", form.id, { fields: { n: String(n) } })),
    );
    await until("the first worker sends", () => receiver.held.length === DELIVERIES);
    // Stopped in the midst of a transaction it would keep SQLite's one write lock; by now it only waits for answers.
    await pause(200);
    first.process.kill("SIGSTOP");
    const second = await start();
    await until("the second worker sends again", () => receiver.held.length === 2 * DELIVERIES);
    for (const held of receiver.held.slice(DELIVERIES)) held.answer(secondAnswer);
    const status = secondAnswer < 300 ? "succeeded" : "retrying";
    await until("the second worker settles", async () => {
      const jobs = (await second.call("jobs.list", { form_id: form.id })) as { status: string }[];
      return jobs.every((job) => job.status === status);
    });
    return { first, second };
  }

  /** The first worker reads its late answers and ends what it has under way. */
  async function resumed(first: Worker, second: Worker): Promise<void> {
    second.process.kill("SIGTERM");
    await second.ended;
    first.process.kill("SIGCONT");
    first.process.kill("SIGTERM");
    expect(await first.ended).toBe(0);
  }

  it("drops its late failures: what the other one delivered stays delivered", async () => {
    const { first, second } = await takenOver(204);
    for (const held of receiver.held.slice(0, DELIVERIES)) held.answer(500);
    await resumed(first, second);
    const jobs = await jobsIn(env["DATABASE"] as string);
    expect(jobs.map(({ value: { status, attempt, code } }) => ({ status, attempt, code }))).toEqual(
      Array.from({ length: DELIVERIES }, () => ({ status: "succeeded", attempt: 1, code: "SUCCESS" })),
    );
    expect(receiver.held, "at most one extra send each").toHaveLength(2 * DELIVERIES);
  });

  it("wins with its late successes, and nothing is sent a third time", async () => {
    const { first, second } = await takenOver(500);
    for (const held of receiver.held.slice(0, DELIVERIES)) held.answer(204);
    await resumed(first, second);
    const jobs = await jobsIn(env["DATABASE"] as string);
    expect(jobs.map(({ value: { status, attempt, due_at } }) => ({ status, attempt, due_at }))).toEqual(
      Array.from({ length: DELIVERIES }, () => ({ status: "succeeded", attempt: 2, due_at: null })),
    );
    expect(receiver.held, "at most one extra send each").toHaveLength(2 * DELIVERIES);
    expect(new Set(receiver.held.map(({ id }) => id)).size, "under the same ids").toBe(DELIVERIES);
  });
});
