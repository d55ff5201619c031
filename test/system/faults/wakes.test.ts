import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { bullmqQueue } from "../../../src/drivers/queue/bullmq.ts";
import { localQueue } from "../../../src/drivers/queue/local.ts";
import type { QueueDriver } from "../../../src/drivers/queue/types.ts";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import { createTestBackend, type TestBackend, type TestBackendOptions } from "../../../src/surfaces/testing/backend.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";
import { describeRedis, type OwnRedis, ownRedis } from "../../_support/redis.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";

/** The longest pause between two looks of a worker. */
const POLL_MS = 1_200;
const start = Date.parse("2026-01-01T00:00:00.000Z");
const open: TestBackend[] = [];

function backend(options: TestBackendOptions): TestBackend {
  const made = createTestBackend({ plans: { unlimited: { webhooks_per_form: 5 } }, ...options });
  open.push(made);
  return made;
}

async function formWithTargets(b: TestBackend): Promise<string> {
  const recipients = ["ann@example.com", "bob@example.com"];
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients } } as never);
  for (const n of [1, 2]) await b.webhooks.create(form.id, { url: `https://example.com/hook/${n}` });
  return form.id;
}

/** Every delivery of every submission has been sent, and none a second time. */
async function allSentOnce(workers: readonly TestBackend[], submissions: readonly string[]): Promise<void> {
  const calls = workers.flatMap(({ webhookCalls }) => webhookCalls.map(({ headers }) => headers["webhook-id"]));
  const mails = workers.flatMap((worker) => worker.mails.map(({ messageId }) => messageId));
  expect([calls.length, new Set(calls).size]).toEqual([2 * submissions.length, 2 * submissions.length]);
  expect([mails.length, new Set(mails).size]).toEqual([2 * submissions.length, 2 * submissions.length]);
  const jobs = await (workers[0] as TestBackend).jobs.list();
  expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => "succeeded"));
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((b) => b.close({ graceMs: 1_000 })));
});

describe("F5: wakes are hints", () => {
  test("a queue that loses every wake: the poll finds all work within 1.2 s, and nothing is sent twice", async () => {
    const deaf: QueueDriver = { name: "deaf", wake() {}, listen: async () => async () => {}, close: async () => {} };
    const clock = testClock(start);
    const setTimer = vi.spyOn(clock, "setTimer");
    const b = backend({ queue: deaf, work: true, clock });
    await b.ready();
    // Both lanes have looked and sleep now; the third timer is the sweep's.
    await vi.waitFor(() => expect(setTimer.mock.calls.length).toBeGreaterThanOrEqual(3));
    const form = await formWithTargets(b);
    const submissions: string[] = [];
    for (let n = 0; n < 50; n++) submissions.push((await b.submit(form, { fields: { n: String(n) } })).id);
    expect([b.webhookCalls.length, b.mails.length]).toEqual([0, 0]);
    clock.set(clock.now() + POLL_MS);
    await vi.waitFor(() => allSentOnce([b], submissions), { timeout: 15_000 });
    for (let n = 0; n < 10; n++) clock.set(clock.now() + POLL_MS);
    await allSentOnce([b], submissions);
  });

  test("a queue that repeats every wake ten times, to three workers on one store: nothing is sent twice", async () => {
    const file = join(temporaryDirectory(), "forms.db");
    const clock = testClock(start);
    const shared = localQueue();
    const tenfold: QueueDriver = {
      name: "tenfold",
      wake(lane) {
        for (let n = 0; n < 10; n++) setImmediate(() => shared.wake(lane));
      },
      listen: (onWake) =>
        shared.listen((lane) => {
          for (let n = 0; n < 10; n++) onWake(lane);
        }),
      close: async () => {},
    };
    const workers = [1, 2, 3].map(() =>
      backend({ queue: tenfold, work: true, clock, storage: sqliteStorage({ path: file }) }),
    );
    await Promise.all(workers.map((worker) => worker.ready()));
    const form = await formWithTargets(workers[0] as TestBackend);
    const submissions: string[] = [];
    for (let n = 0; n < 60; n++) {
      submissions.push((await (workers[n % 3] as TestBackend).submit(form, { fields: { n: String(n) } })).id);
    }
    await vi.waitFor(() => allSentOnce(workers, submissions), { timeout: 15_000 });
    for (let n = 0; n < 5; n++) clock.set(clock.now() + POLL_MS);
    await allSentOnce(workers, submissions);
  });
});

describeRedis("F5: Redis gone for 60 s", () => {
  let redis: OwnRedis;
  beforeAll(async () => {
    redis = await ownRedis();
    await redis.start();
  });
  afterAll(() => redis?.end());

  test("submissions are accepted, the poll delivers them, and wakes come again when Redis does", async () => {
    const file = join(temporaryDirectory(), "forms.db");
    const clock = testClock(start);
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const queue = () => bullmqQueue({ connection: { host: "127.0.0.1", port: redis.port }, logger });
    const [web, worker] = [false, true].map((work) =>
      backend({ queue: queue(), work, clock, storage: sqliteStorage({ path: file }), logger }),
    ) as [TestBackend, TestBackend];
    await worker.ready();
    const form = await formWithTargets(web);
    const submissions: string[] = [];
    const submit = async () => void submissions.push((await web.submit(form, { fields: { a: "1" } })).id);
    const allSent = () => vi.waitFor(() => allSentOnce([worker], submissions), { timeout: 15_000 });

    // The clock stands still, so nothing but a wake from the other process can make the worker look.
    await submit();
    await allSent();

    await redis.stop();
    await vi.waitFor(() => expect(logger.warn).toHaveBeenCalled());
    for (let gone = 0; gone < 60_000; gone += POLL_MS) {
      if (gone % (10 * POLL_MS) === 0) await submit();
      clock.set(clock.now() + POLL_MS);
      await allSent();
    }
    expect(submissions).toHaveLength(6);

    await redis.start();
    await vi.waitFor(
      async () => {
        await submit();
        await vi.waitFor(() => allSentOnce([worker], submissions), { timeout: 2_000 });
      },
      { timeout: 30_000 },
    );
    expect(logger.warn.mock.calls.flat().filter((line) => /can't be woken/.test(line)).length).toBeLessThanOrEqual(2);
    expect(logger.error).not.toHaveBeenCalled();
  });
});
