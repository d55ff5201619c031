import { expect, it } from "vitest";
import { createSettle } from "../../../../src/features/deliveries/settle.ts";
import { inside } from "../../../_support/inside.ts";

it("two successes of one run, which a lost lease makes possible, are stored once and both end", async () => {
  const { b, core, clock } = await inside();
  const { id: form } = await b.forms.create({ name: "A" });
  await b.webhooks.create(form, { url: "https://hooks.example.com/" });
  await b.submit(form, { fields: { a: "1" } });
  const { id } = (await b.jobs.list({ form_id: form, kind: "webhook" }))[0] ?? expect.fail("no job");
  const { rows, storage } = core;
  await storage.claim({ lane: "webhook", leaseMs: 1_000, limit: 1, exclude: [], perTarget: 1, now: clock.now() });
  const row = (await rows.get("jobs", id)) ?? expect.fail("no row");

  const settle = createSettle(core);
  const outcome = { status: "succeeded", code: "SUCCESS", ms: 1 } as const;
  await Promise.all([settle(row, outcome), settle(row, outcome), settle(row, outcome)]);
  expect((await b.jobs.get(id)).status).toBe("succeeded");
  expect((await b.jobs.get(id)).attempts).toHaveLength(1);
  await b.close();
});
