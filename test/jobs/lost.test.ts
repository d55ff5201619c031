import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../src/drivers/storage/memory.ts";
import type { ClaimQuery, Stored, Value } from "../../src/drivers/storage/types.ts";
import { testClock } from "../../src/testing/clock.ts";
import { harness } from "../_backend.ts";

const query: ClaimQuery = { lane: "webhook", leaseMs: 60_000, limit: 10, exclude: [], perTarget: 8 };

async function opened() {
  const storage = memoryStorage();
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const b = harness({ storage, clock });
  const succeeded: unknown[] = [];
  b.on("delivery.succeeded", (event) => void succeeded.push(event));
  const { id: form } = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await b.webhooks.create(form, { url: "https://hooks.example.com/" });
  await b.submit(form, { fields: { a: "1" } });
  return Object.assign(b, {
    storage,
    succeeded,
    /** Another worker takes what is due, `after` ms from now. */
    other: async (after = 0): Promise<Stored> => {
      const { jobs } = await storage.claim({ ...query, now: clock.now() + after });
      expect(jobs).toHaveLength(1);
      return jobs[0] as Stored;
    },
    /** A worker that dies with what it has claimed. */
    lose: async (): Promise<void> => {
      const { jobs } = await storage.claim({ ...query, now: clock.now() });
      expect(jobs).toHaveLength(1);
      clock.set(clock.now() + query.leaseMs);
    },
    job: async () => (await b.jobs.list({ form_id: form }))[0],
    stored: (row: Stored, change: Value) =>
      storage.commit([
        { op: "put", collection: "jobs", id: row.id, value: { ...row.value, ...change }, expect: row.version },
      ]),
  });
}

describe("a result that comes after its lease ended", () => {
  it("wins where it is a success, over whoever has the lease now", async () => {
    const b = await opened();
    let successor: Stored | undefined;
    b.answerWebhooks(() => {
      void b.other(61_000).then((row) => (successor = row));
      return 200;
    });
    await b.tick();
    expect(await b.job()).toMatchObject({ status: "succeeded", code: "SUCCESS", attempt: 1 });
    expect(b.succeeded).toHaveLength(1);
    await expect(b.stored(successor as Stored, { status: "retrying" })).rejects.toThrow(/stale/);
  });

  it("counts no second time where somebody else succeeded before", async () => {
    const b = await opened();
    let stored: Promise<void> | undefined;
    b.answerWebhooks(() => {
      const ended = { status: "succeeded", code: "SUCCESS", attempt: 1, due_at: null, leased: false };
      stored = b.other(61_000).then((row) => b.stored(row, ended));
      return 200;
    });
    await b.tick();
    await stored;
    expect(await b.job()).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(b.succeeded).toEqual([]);
  });

  it("is dropped where it is a failure", async () => {
    const b = await opened();
    b.answerWebhooks(() => {
      void b.other(61_000);
      return 500;
    });
    await b.tick();
    expect(await b.job()).toMatchObject({ status: "pending", attempt: 0 });
  });
});

describe("a delivery whose workers die", () => {
  it("runs again at once the first two times, and by the schedule from the third on", async () => {
    const b = await opened();
    await b.lose();
    await b.lose();
    b.answerWebhooks(() => {
      throw new Error("the process ends here");
    });
    await b.lose();
    await b.tick();
    expect([b.webhookCalls.length, (await b.job())?.status]).toEqual([0, "retrying"]);
    const due = Number(await b.storage.nextDueAt("webhook"));
    expect(due).toBeGreaterThan(b.clock.now());
    // Lost once more, it waits for the next step, and is not run three times again.
    await b.storage.claim({ ...query, now: due });
    b.answerWebhooks(200);
    await b.clock.advance(due - b.clock.now() + query.leaseMs);
    expect([b.webhookCalls.length, (await b.job())?.status]).toEqual([0, "retrying"]);
    await b.clock.advance(60 * 60_000);
    expect(await b.job()).toMatchObject({ status: "succeeded" });
  });

  it("is sent after two losses", async () => {
    const b = await opened();
    await b.lose();
    await b.lose();
    await b.tick();
    expect(await b.job()).toMatchObject({ status: "succeeded", attempt: 1 });
  });
});
