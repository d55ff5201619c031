import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { ClaimQuery, Stored, Value } from "../../../../src/drivers/storage/types.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

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
  const loseAll = async (count: number): Promise<void> => {
    const { jobs } = await storage.claim({ ...query, now: clock.now() });
    expect(jobs).toHaveLength(count);
    clock.set(clock.now() + query.leaseMs);
  };
  return Object.assign(b, {
    storage,
    succeeded,
    form,
    pass: (ms: number) => clock.set(clock.now() + ms),
    rows: () => storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 100 }),
    /** A worker that dies with all it has claimed. */
    loseAll,
    /** Another worker takes what is due, `after` ms from now. */
    other: async (after = 0): Promise<Stored> => {
      const { jobs } = await storage.claim({ ...query, now: clock.now() + after });
      expect(jobs).toHaveLength(1);
      return jobs[0] as Stored;
    },
    /** A worker that dies with what it has claimed. */
    lose: () => loseAll(1),
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
  it("runs again at once twice, and fails with a code of its own where the third run ends its process, too", async () => {
    const b = await opened();
    await b.lose();
    await b.lose();
    // Another worker takes it over in the midst of the last run, so that this worker's failure is dropped as if it had died.
    b.answerWebhooks(() => {
      void b.other(61_000);
      return 500;
    });
    await b.tick();
    b.pass(61_000 + query.leaseMs);
    await b.tick();
    expect(b.webhookCalls).toHaveLength(1);
    expect(await b.job()).toMatchObject({ status: "failed", code: "ERROR_WEBHOOK_WORKER_LOST" });
    expect(await b.storage.nextDueAt("webhook")).toBeNull();
    await b.jobs.retry(String((await b.job())?.id));
    b.answerWebhooks(() => 200);
    await b.tick();
    expect(await b.job()).toMatchObject({ status: "succeeded", attempt: 2 });
  });

  it("keeps its last run however often workers die that have only claimed it", async () => {
    const b = await opened();
    for (let n = 0; n < 7; n++) await b.submit(b.form, { fields: { n: String(n) } });
    for (let n = 0; n < 5; n++) await b.loseAll(8);
    await b.tick();
    expect(b.webhookCalls).toHaveLength(8);
    expect((await b.rows()).map(({ value }) => [value["status"], value["lost"], value["last_chance"]])).toEqual(
      Array(8).fill(["succeeded", 0, undefined]),
    );
  });

  it("is sent after two losses", async () => {
    const b = await opened();
    await b.lose();
    await b.lose();
    await b.tick();
    expect(await b.job()).toMatchObject({ status: "succeeded", attempt: 1 });
  });

  it("runs with no other that has a last claim left, so that only the one that ends the process fails", async () => {
    const b = await opened();
    for (let n = 0; n < 5; n++) await b.submit(b.form, { fields: { n: String(n) } });
    await b.loseAll(6);
    await b.loseAll(6);
    // The process ends in the midst of the first run: nothing else may be leased then.
    const seen: Promise<Stored[]>[] = [];
    const now = new Date(b.clock.now()).toISOString();
    const isHeld = ({ value }: Stored): boolean => value["leased"] === true && String(value["due_at"]) > now;
    b.answerWebhooks(() => {
      seen.push(b.rows());
      return 200;
    });
    await b.tick();
    const leased = (await Promise.all(seen)).map((rows) => rows.filter(isHeld).length);
    expect(leased).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await b.rows()).map(({ value }) => value["status"])).toEqual(Array(6).fill("succeeded"));
  });

  it("is not counted when it is given back to wait for the last claim of another", async () => {
    const b = await opened();
    await b.submit(b.form, { fields: { n: "2" } });
    await b.loseAll(2);
    await b.loseAll(2);
    let seen: Promise<Stored[]> | undefined;
    b.answerWebhooks(() => {
      seen ??= b.rows();
      return 200;
    });
    await b.tick();
    const waiting = (await seen)?.find(({ value }) => !value["leased"]);
    expect(waiting?.value).toMatchObject({ lost: 2, leased: false, status: "pending" });
  });
});
