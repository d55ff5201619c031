import { beforeEach, describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { ApiError } from "../../../../src/errors.ts";
import { type Submitted, submitted } from "../submissions/_submissions.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

describe("deliveries.recover", () => {
  let b: Submitted;
  let webhook: string;
  const storage = () => memoryStorage();
  const recover = (since: number, statuses?: ("failed" | "skipped")[]) =>
    b.deliveries.recover(b.id, webhook, { since: new Date(since).toISOString(), ...(statuses && { statuses }) });
  const status = async (id: string) => (await b.deliveries.get(b.id, webhook, id)).status;
  const idsSent = () => b.webhookCalls.map(({ body }) => JSON.parse(body).data.id as string);

  beforeEach(async () => {
    b = await submitted({ storage: storage() });
    webhook = (await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" })).id;
  });

  it("sends what failed and what was skipped since then again: same webhook-id, a new window of 72 h", async () => {
    b.answerWebhooks(500);
    const old = await b.submitted({ n: "old" });
    await b.clock.advance(73 * HOUR);
    b.answerWebhooks(200);
    await b.submitted({ n: "fine" });
    await b.clock.advance(1);
    const outage = b.clock.now();
    b.answerWebhooks(500);
    const failed = await b.submitted({ n: "failed" });
    await b.clock.advance(73 * HOUR);
    await b.webhooks.update(b.id, webhook, { enabled: false });
    const skipped = await b.submitted({ n: "skipped" });
    await b.tick();
    expect([await status(old), await status(failed), await status(skipped)]).toEqual(["failed", "failed", "skipped"]);
    const before = b.webhookCalls.length;
    const tried = (await b.deliveries.get(b.id, webhook, failed)).attempt;
    await b.webhooks.update(b.id, webhook, { enabled: true });

    expect(await recover(outage)).toEqual({ recovered: 2, has_more: false });
    await b.tick();
    expect(idsSent().slice(before).sort()).toEqual([failed, skipped].sort());
    expect(await b.deliveries.get(b.id, webhook, failed)).toMatchObject({ status: "retrying", attempt: tried + 1 });
    const [first, again] = [idsSent().indexOf(failed), idsSent().lastIndexOf(failed)];
    expect(b.webhookCalls[again]?.headers["webhook-id"]).toBe(b.webhookCalls[first]?.headers["webhook-id"]);
    await b.clock.advance(71 * HOUR);
    expect(await status(failed)).toBe("retrying");
    b.answerWebhooks(200);
    await b.clock.advance(HOUR);
    expect([await status(old), await status(failed), await status(skipped)]).toEqual([
      "failed",
      "succeeded",
      "succeeded",
    ]);
  });

  it("statuses: only those; others are left alone", async () => {
    const ok = await b.submitted({ n: "ok" });
    await b.tick();
    b.answerWebhooks(410);
    const failed = await b.submitted({ n: "failed" });
    await b.tick();
    const skipped = await b.submitted({ n: "skipped" });
    await b.tick();
    b.answerWebhooks(200);
    const since = b.clock.now() - DAY;
    expect(await recover(since, ["skipped"])).toEqual({ recovered: 1, has_more: false });
    await b.tick();
    expect([await status(ok), await status(failed), await status(skipped)]).toEqual([
      "succeeded",
      "failed",
      "succeeded",
    ]);
    expect(await recover(since, ["failed", "failed"])).toEqual({ recovered: 1, has_more: false });
    await b.tick();
    expect(await status(failed)).toBe("succeeded");
    expect(await recover(since)).toEqual({ recovered: 0, has_more: false });
    expect(idsSent().filter((id) => id === ok)).toHaveLength(1);
  });

  it("leaves spam skipped, until its mark is gone, and what is no longer stored", async () => {
    b.answerWebhooks(410);
    const gone = await b.submitted({ n: "gone" });
    await b.tick();
    await b.submissions.delete(b.id, gone);
    const spam = await b.submitted({ n: "spam" }, { spam: true });
    const cleared = await b.submitted({ n: "cleared" }, { spam: true });
    await b.submissions.update(b.id, cleared, { spam: false });
    expect(await recover(b.clock.now() - DAY)).toEqual({ recovered: 1, has_more: false });
    expect([await status(gone), await status(spam), await status(cleared)]).toEqual(["failed", "skipped", "pending"]);
  });

  it("ends where each of them fails anew at once", async () => {
    b.answerWebhooks(410);
    for (let i = 0; i < 150; i++) await b.submitted({ n: "1" });
    await b.webhooks.update(b.id, webhook, { enabled: true });
    await b.tick();
    const since = b.clock.now() - DAY;
    const ticking = setInterval(() => void b.tick(), 1);
    expect(await recover(since)).toEqual({ recovered: 150, has_more: false });
    clearInterval(ticking);
    await b.tick();
  });

  it("sends none twice that fails again while the walk over the failed ones goes on", async () => {
    const memory = memoryStorage();
    let between: (() => Promise<unknown>) | null = null;
    b = await submitted({
      storage: {
        ...memory,
        async page(collection, query) {
          const run = collection === "jobs" && query.after ? between : null;
          if (run) between = null;
          await run?.();
          return memory.page(collection, query);
        },
      },
    });
    webhook = (await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" })).id;
    b.answerWebhooks(410);
    for (let i = 0; i < 120; i++) await b.submitted({ n: "1" });
    await b.webhooks.update(b.id, webhook, { enabled: true });
    await b.tick();
    // The first 410 turned the webhook off, so the others are skipped until they are asked for; then each fails on its own.
    expect(await recover(b.clock.now() - DAY)).toEqual({ recovered: 120, has_more: false });
    await b.tick();
    await b.clock.advance(1);
    between = () => b.tick();
    expect(await recover(b.clock.now() - DAY)).toEqual({ recovered: 120, has_more: false });
    expect(between).toBeNull();
  });

  it("takes at most 10,000 in one call, the longest ago first, and says that there are more", async () => {
    const store = memoryStorage();
    b = await submitted({ storage: store });
    webhook = (await b.webhooks.create(b.id, { url: "https://hooks.example.com/a", enabled: false })).id;
    const model = await b.submitted({ n: "1" });
    const [row] = await store.page("jobs", {
      index: "submission",
      equals: { submission_id: model },
      order: "asc",
      limit: 1,
    });
    const start = b.clock.now();
    await store.commit(
      Array.from({ length: 10_049 }, (_, i) => ({
        op: "put" as const,
        collection: "jobs",
        id: `msg_${String(i).padStart(24, "0")}`,
        value: { ...row?.value, occurred_at: new Date(start + i + 1).toISOString() },
      })),
    );
    await b.clock.advance(DAY);
    const pending = () => b.jobs.list({ form_id: b.id, status: "pending" });
    expect(await recover(start)).toEqual({ recovered: 10_000, has_more: true });
    const [first] = await store.page("jobs", {
      index: "target_status",
      equals: { target: webhook, status: "skipped" },
      order: "asc",
      limit: 1,
    });
    expect(first?.id).toBe(`msg_${String(9_999).padStart(24, "0")}`);
    expect(await recover(start)).toEqual({ recovered: 50, has_more: false });
    expect((await pending()).length).toBe(1_000);
  });

  it("400: more than 14 days back, no timestamp, another status; 404: unknown webhook", async () => {
    await expect(recover(b.clock.now() - 14 * DAY)).resolves.toEqual({ recovered: 0, has_more: false });
    const wrong = (input: object) => b.deliveries.recover(b.id, webhook, input as never).catch((error) => error);
    const since = new Date(b.clock.now()).toISOString();
    for (const [input, param] of [
      [{ since: new Date(b.clock.now() - 14 * DAY - 1).toISOString() }, "since"],
      [{ since: "yesterday" }, "since"],
      [{}, "since"],
      [{ since, statuses: ["pending"] }, "statuses.0"],
      [{ since, statuses: [] }, "statuses"],
      [{ since, limit: 1 }, "limit"],
    ] as const) {
      const error = await wrong(input);
      expect(error).toBeInstanceOf(ApiError);
      expect([error.status, error.code, error.param]).toEqual([400, "invalid_parameter", param]);
    }
    await expect(b.deliveries.recover(b.id, "whk_x", { since })).rejects.toMatchObject({ code: "webhook_not_found" });
  });

  it("reopens each delivery once, also when two calls run at the same time", async () => {
    b.answerWebhooks(500);
    for (let i = 0; i < 130; i++) await b.submit(b.id, { fields: { n: "1" } });
    await b.clock.advance(73 * HOUR);
    b.answerWebhooks(200);
    const before = b.webhookCalls.length;
    const answers = await Promise.all([recover(b.clock.now() - 4 * DAY), recover(b.clock.now() - 4 * DAY)]);
    expect(answers.reduce((sum, { recovered }) => sum + recovered, 0)).toBe(130);
    await b.tick();
    expect(b.webhookCalls.length).toBe(before + 130);
  });
});
