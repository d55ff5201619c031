import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { createWorker } from "../../../../src/features/jobs/work.ts";
import type { Attempt } from "../../../../src/features/webhooks/request.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { job, START } from "../../../../src/surfaces/testing/storage/fixtures.ts";

it("a tick ends when its last run ends during a claim that finds nothing", async () => {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const storage = memoryStorage();
  const failed: Attempt = {
    ok: false,
    code: "ERROR_WEBHOOK_HTTP_5XX",
    http_status: 500,
    message: "HTTP 500",
    duration_ms: 1,
  };
  /** Runs that wait for the claim below. */
  const waiting: (() => void)[] = [];
  let isSlow = false;
  let isClaimed = false;
  let last = "";
  let settledDuringClaim = 0;
  const slow: StorageDriver = {
    ...storage,
    async claim(query) {
      const claimed = await storage.claim(query);
      if (isSlow && claimed.jobs.length > 0) isClaimed = true;
      if (!isClaimed || settledDuringClaim > 0 || claimed.jobs.length > 0) return claimed;
      while (waiting.length === 0) await turn();
      for (const end of waiting.splice(0)) end();
      for (let job = await lastJob(); job.status !== "succeeded"; job = await lastJob()) await turn();
      // One more round, so that the run's own clean-up is over too.
      for (let n = 0; n < 10; n++) await turn();
      settledDuringClaim++;
      return claimed;
    },
  };
  const backend = createBackend(
    { baseUrl: "http://localhost/forms", secret: "x".repeat(32), storage: slow, work: false, clock },
    {
      webhookClient: {
        post: async () => {
          if (!isSlow) return failed;
          await new Promise<void>((resolve) => waiting.push(resolve));
          return { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 1 };
        },
        close() {},
      },
    },
  );
  const lastJob = async () => (await backend.jobs.list({ submission_id: last }))[0] as { status: string };
  const form = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await backend.webhooks.create(form.id, { url: "https://hooks.example.com/" });
  // After five failures in a row the target is in trouble, so a tick asks once more for what other claims leave out.
  for (let n = 0; n < 5; n++) await backend.submit(form.id, { fields: { a: `${n}` } });
  await backend.tick();
  const { id } = await backend.submit(form.id, { fields: { a: "last" } });
  last = id;
  isSlow = true;
  expect(await backend.tick()).toEqual({ ran: 1 });
  expect(settledDuringClaim).toBe(1);
  await backend.close();
});

it("a run that ends without a result is told of, frees its place, and leaves its job to come again", async () => {
  const clock = testClock(START + 60_000);
  const storage = memoryStorage();
  await storage.commit([job("j1", 1, { kind: "webhook" }), job("j2", 2, { kind: "webhook" })]);
  const errors: string[] = [];
  const core = {
    ...{ clock, storage, storeClock: { now: clock.now, note() {} } },
    rows: { readable: (_: string, rows: unknown[]) => rows },
    options: { logger: { error: (message: string) => void errors.push(message) } },
  } as unknown as Core;
  const settled: string[] = [];
  let isBroken = true;
  const worker = createWorker(core, {
    lanes: { webhook: () => ({ leaseMs: 60_000, inFlight: 1, perTarget: 1 }) },
    async perform(_, { id }) {
      if (id === "j1" && isBroken) throw new Error("the form can't be read");
      return { status: "succeeded", code: "SUCCESS" };
    },
    createSettle: () => async (row) => {
      settled.push(row.id);
      await storage.commit([{ op: "put", collection: "jobs", id: row.id, value: { ...row.value, due_at: null } }]);
    },
  });
  expect(await worker.tick()).toEqual({ ran: 2 });
  expect(settled).toEqual(["j2"]);
  expect(errors).toEqual([expect.stringContaining("job j1 ended without a result, so it will run again")]);
  isBroken = false;
  clock.set(clock.now() + 60_000);
  expect(await worker.tick()).toEqual({ ran: 1 });
  expect(settled).toEqual(["j2", "j1"]);
});
