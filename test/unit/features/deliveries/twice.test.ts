import { expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createSettle } from "../../../../src/features/deliveries/settle.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";

it("two successes of one run, which a lost lease makes possible, are stored once and both end", async () => {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  let core: Core | undefined;
  const b = createBackend(
    { baseUrl: "http://localhost/forms", secret: "s".repeat(32), storage: memoryStorage(), clock, work: false },
    {
      onReady: async (opened) => {
        core = opened;
      },
    },
  );
  await b.ready();
  const { id: form } = await b.forms.create({ name: "A" });
  await b.webhooks.create(form, { url: "https://hooks.example.com/" });
  await b.submit(form, { fields: { a: "1" } });
  const { id } = (await b.jobs.list({ form_id: form, kind: "webhook" }))[0] ?? expect.fail("no job");
  const { rows, storage } = core as unknown as Core;
  await storage.claim({ lane: "webhook", leaseMs: 1_000, limit: 1, exclude: [], perTarget: 1, now: clock.now() });
  const row = (await rows.get("jobs", id)) ?? expect.fail("no row");

  const settle = createSettle(core as unknown as Core);
  const outcome = { status: "succeeded", code: "SUCCESS", ms: 1 } as const;
  await Promise.all([settle(row, outcome), settle(row, outcome), settle(row, outcome)]);
  expect((await b.jobs.get(id)).status).toBe("succeeded");
  expect((await b.jobs.get(id)).attempts).toHaveLength(1);
  await b.close();
});
