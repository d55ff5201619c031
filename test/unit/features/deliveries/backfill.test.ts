import { describe, expect, it } from "vitest";
import { fault, submitted } from "../submissions/_submissions.ts";

const url = "https://example.com/hook";

/** A form with submissions from before its webhook. */
async function filled(count: number) {
  const b = await submitted({ plans: { unlimited: { webhooks_per_form: 10 } } });
  const before: string[] = [];
  for (let n = 0; n < count; n++) before.push(await b.submitted({ n: `${n}` }));
  const { id: hook } = await b.webhooks.create(b.id, { url });
  const at = `/v1/forms/${b.id}/webhooks/${hook}/backfill`;
  const sent = (): string[] => b.webhookCalls.map(({ body }) => JSON.parse(body).data.id);
  return Object.assign(b, { before, hook, at, sent });
}

describe("a webhook's backfill", () => {
  it("sends what it never had, oldest first and each once", async () => {
    const b = await filled(5);
    const own = await b.submitted({ n: "own" });
    await b.tick();
    expect(b.sent()).toEqual([own]);
    const answer = await b.call("POST", b.at);
    expect([answer.status, answer.json]).toEqual([202, { queued: 5, has_more: false }]);
    await b.tick();
    expect(b.sent()).toEqual([own, ...b.before]);
    expect(await b.webhooks.backfill(b.id, b.hook)).toEqual({ queued: 0, has_more: false });
    expect((await b.deliveries.list(b.id, b.hook)).data).toHaveLength(6);
  });

  it("queues each once, even where calls run at the same time", async () => {
    const b = await filled(30);
    const made = await Promise.all(Array.from({ length: 4 }, () => b.webhooks.backfill(b.id, b.hook)));
    expect(made.reduce((sum, { queued }) => sum + queued, 0)).toBe(30);
    await b.tick();
    expect(b.sent().sort()).toEqual([...b.before].sort());
  });

  it("leaves out spam, other forms, and what another delivery of it ended as", async () => {
    const b = await filled(2);
    const spam = await b.submitted({ n: "spam" }, { spam: true });
    await b.webhooks.update(b.id, b.hook, { enabled: false });
    const skipped = await b.submitted({ n: "skipped" });
    const other = (await b.forms.create({ name: "Other", spam: { protection: false } })).id;
    await b.submitted({ n: "other" }, { form: other });
    expect(await b.webhooks.backfill(b.id, b.hook)).toEqual({ queued: 2, has_more: false });
    await b.tick();
    expect(b.sent().sort()).toEqual([...b.before].sort());
    for (const id of [spam, skipped])
      expect(await b.deliveries.get(b.id, b.hook, id)).toMatchObject({ status: "skipped" });
  });

  it("leaves out what came beyond the plan's month", async () => {
    const b = await submitted({ plans: { unlimited: { submissions_per_month: 1 } } });
    const within = await b.submitted({ n: "1" });
    await b.submitted({ n: "2" });
    const { id: hook } = await b.webhooks.create(b.id, { url });
    expect(await b.webhooks.backfill(b.id, hook)).toEqual({ queued: 1, has_more: false });
    await b.tick();
    expect((await b.deliveries.list(b.id, hook)).data.map(({ submission_id }) => submission_id)).toEqual([within]);
  });

  it("takes what routing sent elsewhere, and starts after a moment", async () => {
    const b = await filled(3);
    const { created_at } = await b.submissions.get(b.id, b.before[1] as string);
    expect(await b.webhooks.backfill(b.id, b.hook, { created_after: created_at })).toMatchObject({ queued: 2 });
    const { id: late } = await b.webhooks.create(b.id, { url: `${url}/2` });
    const rule = {
      if: { all: [{ field: "n", type: "equals" as const, value: "routed" }] },
      to: { webhooks: [b.hook] },
    };
    await b.forms.update(b.id, { settings: { routing: { rules: [rule] } } });
    const routed = await b.submitted({ n: "routed" });
    await b.tick();
    expect((await b.deliveries.list(b.id, late)).data).toEqual([]);
    expect(await b.webhooks.backfill(b.id, late)).toMatchObject({ queued: 4 });
    await b.tick();
    expect(await b.deliveries.get(b.id, late, routed)).toMatchObject({ status: "succeeded" });
  });

  it("queues 10,000 a call", { timeout: 120_000 }, async () => {
    const b = await filled(0);
    const rows = Array.from({ length: 10_050 }, (_, n) => ({
      created_at: new Date(1_700_000_000_000 + n).toISOString(),
      fields: [{ key: "n", value: `${n}` }],
    }));
    const imported = await b.submissions.import(b.id, rows, { source: "old" });
    expect(imported).toMatchObject({ imported: 10_050 });
    expect(await b.webhooks.backfill(b.id, b.hook)).toEqual({ queued: 10_000, has_more: true });
    expect(await b.webhooks.backfill(b.id, b.hook)).toEqual({ queued: 50, has_more: false });
  });

  it("refuses a webhook that the form doesn't have, and other members", async () => {
    const b = await filled(0);
    expect(fault(await b.call("POST", b.at.replace(b.hook, "whk_no")))).toEqual([404, "webhook_not_found", undefined]);
    expect(fault(await b.call("POST", b.at, { body: { since: "x" } }))).toEqual([400, "invalid_parameter", "since"]);
    expect(fault(await b.call("POST", b.at, { body: { created_after: "x" } }))).toEqual([
      400,
      "invalid_parameter",
      "created_after",
    ]);
  });
});
