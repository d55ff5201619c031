import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { SubmissionBulkMatching, SubmissionFiltersInput } from "../../../../src/index.ts";
import { fault, type Submitted, submitted } from "./_submissions.ts";

/** Every step of an action. */
async function all(b: Submitted, query: SubmissionFiltersInput, input: SubmissionBulkMatching) {
  const steps: { matched: number; changed: number }[] = [];
  for (let cursor: string | undefined; ; ) {
    const step = await b.submissions.bulkMatching(b.id, query, { ...input, ...(cursor && { cursor }) });
    steps.push({ matched: step.matched, changed: step.changed });
    expect(step.has_more).toBe(step.next_cursor !== null);
    if (step.next_cursor === null) return steps;
    cursor = step.next_cursor;
  }
}

/** A form with so many submissions, half of them odd: copies of one that was posted. */
async function many(count: number): Promise<Submitted> {
  const storage = memoryStorage();
  const b = await submitted({ storage });
  const first = await b.submitted({ n: "first" });
  const value = (await storage.get("submissions", [first])).get(first)?.value ?? {};
  const copies = Array.from({ length: count }, (_, n) => ({
    ...value,
    created_at: new Date(b.clock.now() - n).toISOString(),
    fields: [{ key: "n", value: n % 2 ? "odd" : "even" }],
  }));
  await storage.commit([
    { op: "remove", collection: "submissions", id: first },
    ...copies.map((copy, n) => ({ op: "put", collection: "submissions", id: `copy-${n}`, value: copy }) as const),
  ]);
  return b;
}

describe("submissions.bulkMatching", () => {
  it("changes all that match, 500 in a step", async () => {
    const b = await many(1_002);
    expect(await all(b, {}, { action: "mark_read" })).toEqual([
      { matched: 500, changed: 500 },
      { matched: 500, changed: 500 },
      { matched: 2, changed: 2 },
    ]);
    expect((await b.submissions.count(b.id, { read: false })).count).toBe(0);
    expect(await all(b, { read: false }, { action: "delete" })).toEqual([{ matched: 0, changed: 0 }]);
    const odd = { field: { n: { eq: "odd" } } };
    expect(await all(b, odd, { action: "mark_spam" })).toEqual([
      { matched: 500, changed: 500 },
      { matched: 1, changed: 1 },
    ]);
    expect(await all(b, { status: "all" }, { action: "mark_unread" })).toHaveLength(3);
    expect(await all(b, { status: "spam" }, { action: "delete" })).toHaveLength(2);
    expect((await b.submissions.count(b.id, { status: "all" })).count).toBe(501);
  });

  it("leaves alone what arrives between two steps, and goes on where one was lost", async () => {
    const b = await many(501);
    const first = await b.submissions.bulkMatching(b.id, {}, { action: "delete" });
    await b.clock.advance(1_000);
    const late = await b.submitted({ n: "late" });
    const input: SubmissionBulkMatching = { action: "delete", cursor: first.next_cursor ?? "" };
    const second = { matched: 1, changed: 1, has_more: false, next_cursor: null };
    expect(await b.submissions.bulkMatching(b.id, {}, input)).toEqual(second);
    expect(await b.submissions.bulkMatching(b.id, {}, input)).toEqual({ ...second, matched: 0, changed: 0 });
    expect((await b.submissions.list(b.id)).data.map(({ id }) => id)).toEqual([late]);
  });

  it("sends what spam had skipped, once", async () => {
    const b = await many(0);
    await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" });
    for (let n = 0; n < 3; n++) await b.submitted({ n: "x" }, { spam: true });
    await b.clock.advance(1_000);
    expect(b.webhookCalls).toHaveLength(0);
    const input: SubmissionBulkMatching = { action: "mark_not_spam", deliver: true };
    expect(await all(b, { status: "spam" }, input)).toEqual([{ matched: 3, changed: 3 }]);
    expect(await all(b, { status: "all" }, input)).toEqual([{ matched: 3, changed: 0 }]);
    await b.clock.advance(1_000);
    expect(b.webhookCalls).toHaveLength(3);
  });

  it("takes the filters of a list over HTTP, and refuses a cursor of others", async () => {
    const b = await many(501);
    const path = (query: string) => `/v1/forms/${b.id}/submissions/bulk/matching${query}`;
    const post = (query: string, body: unknown) => b.call("POST", path(query), { body });
    const { json } = await post("?read=false", { action: "mark_read" });
    expect(json).toMatchObject({ matched: 500, changed: 500, has_more: true });
    const other: [query: string, body: object, param: string][] = [
      ["", { action: "mark_read", cursor: json.next_cursor }, "cursor"],
      ["?read=false", { action: "delete", cursor: json.next_cursor }, "cursor"],
      ["?read=false", { action: "mark_read", cursor: `${json.next_cursor}x` }, "cursor"],
      ["?stats=spam", { action: "mark_read" }, "stats"],
      ["", { action: "mark_read", deliver: true }, "deliver"],
      ["", { action: "mark_read", ids: ["a"] }, "ids"],
      ["", { action: "explode" }, "action"],
      // What waits for its sender is nobody's to mark.
      ["?status=pending", { action: "mark_read" }, "status"],
    ];
    for (const [query, body, param] of other) {
      expect(fault(await post(query, body))).toEqual([400, "invalid_parameter", param]);
    }
  });

  it("refuses more searches at once than a key may run", async () => {
    const b = await many(3);
    const post = () =>
      b.call("POST", `/v1/forms/${b.id}/submissions/bulk/matching?q=e`, { body: { action: "mark_read" } });
    const statuses = (await Promise.all([post(), post(), post()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 429]);
  });
});
