import { describe, expect, it } from "vitest";
import type { ImportRow } from "../../../../src/index.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { DAY_MS } from "../../../../src/lib/clock.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const row = (n: number, more: Partial<ImportRow> = {}): ImportRow => ({
  created_at: `2025-06-${String(1 + (n % 28)).padStart(2, "0")}T10:00:00.000Z`,
  fields: { email: `v${n}@example.com`, message: `Message ${n}` },
  source_id: `s${n}`,
  ...more,
});
const rows = (count: number): ImportRow[] => Array.from({ length: count }, (_, n) => row(n));

async function* streamed(list: readonly unknown[]): AsyncGenerator<ImportRow> {
  yield* list as ImportRow[];
}

const source = { source: "formspree" };
const one = async (b: Harness, row: unknown, form?: string) => {
  const id = form ?? (await b.forms.create({ name: "A" })).id;
  return b.submissions.import(id, [row] as ImportRow[], source);
};

describe("submissions.import", () => {
  it("stores rows with their own times, and says how many", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const given = row(0, {
      spam: false,
      read: true,
      ip: "192.0.2.1",
      country: "de",
      user_agent: "UA",
      referer: "https://a.test/",
    });
    expect(await b.submissions.import(id, streamed([given]), source)).toEqual({ imported: 1, skipped: 0, failed: [] });
    const { data } = await b.submissions.list(id);
    expect(data).toMatchObject([
      {
        form_id: id,
        created_at: "2025-06-01T10:00:00.000Z",
        spam: false,
        read: true,
        ip: "192.0.2.1",
        country: "DE",
        user_agent: "UA",
        referer: "https://a.test/",
        fields: [
          { key: "email", value: "v0@example.com" },
          { key: "message", value: "Message 0" },
        ],
        verdict: [],
      },
    ]);
  });

  it("takes fields as a list, with repeated names, and as an object with lists and nested values", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const list = [
      { key: "tag", value: "a" },
      { key: "tag", value: "b" },
    ];
    await b.submissions.import(
      id,
      [
        row(1, { fields: list }),
        row(0, { fields: { tag: ["c", "d"], age: 7, on: true, none: null, to: { city: "B" } } }),
      ],
      source,
    );
    expect((await b.submissions.list(id)).data.map(({ fields }) => fields)).toEqual([
      list,
      [
        { key: "tag", value: "c" },
        { key: "tag", value: "d" },
        { key: "age", value: "7" },
        { key: "on", value: "true" },
        { key: "none", value: "" },
        { key: "to.city", value: "B" },
      ],
    ]);
  });

  it("stores nothing twice: in a second run, within a file, and without ids by content", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const none = { source_id: undefined };
    const list = [...rows(600), row(3), row(5, none), row(5, none), row(6, none)];
    expect(await b.submissions.import(id, list, source)).toEqual({ imported: 602, skipped: 2, failed: [] });
    expect(await b.submissions.import(id, list, source)).toEqual({ imported: 0, skipped: 604, failed: [] });
    expect((await b.submissions.count(id)).count).toBe(602);
  });

  it("tells apart sources, forms, and rows that differ in a value", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const other = await b.forms.create({ name: "B" });
    await b.submissions.import(id, [row(1)], source);
    expect(await b.submissions.import(id, [row(1)], { source: "basin" })).toMatchObject({ imported: 1 });
    expect(await b.submissions.import(other.id, [row(1)], source)).toMatchObject({ imported: 1 });
    const none = row(2, { source_id: undefined });
    await b.submissions.import(id, [none], source);
    expect(await b.submissions.import(id, [{ ...none, fields: { email: "x@example.com" } }], source)).toMatchObject({
      imported: 1,
    });
  });

  it("is recognised under an older secret", async () => {
    const storage = memoryStorage();
    const [older, newer] = ["o".repeat(32), "n".repeat(32)];
    const first = harness({ storage, secret: older });
    const { id } = await first.forms.create({ name: "A" });
    const none = row(2, { source_id: undefined });
    await first.submissions.import(id, [none], source);
    const second = harness({ storage, secret: [newer, older] });
    expect(await second.submissions.import(id, [none], source)).toMatchObject({ imported: 0, skipped: 1 });
  });

  it("mails, delivers and announces nothing, and takes no place of the plan's month", async () => {
    const b = harness({ plans: { mine: { submissions_per_month: 2 } } });
    await b.teams.update("default", { plan: "mine" });
    const { id } = await b.forms.create({
      name: "A",
      self_email_notification: { enabled: true, recipients: ["owner@example.com"] },
    });
    await b.webhooks.create(id, { url: "https://hooks.example.com/a", events: ["submission.created"] });
    let told = 0;
    for (const name of ["submission.created", "submission.spam"] as const) b.on(name, () => void told++);
    const now = new Date(b.clock.now()).toISOString();
    await b.submissions.import(
      id,
      rows(10).map((one) => ({ ...one, created_at: now })),
      source,
    );
    await b.clock.advance(DAY_MS);
    expect([b.mails.length, b.webhookCalls.length, told, await b.jobs.list()]).toEqual([0, 0, 0, []]);
    // Both places of the month are still free.
    for (const n of [1, 2]) await b.post(id, { email: "a@example.com", n: String(n) });
    await b.clock.advance(1_000);
    expect([b.mails.length, b.webhookCalls.length]).toEqual([2, 2]);
  });

  it("counts by date: all_time, this_month, last_submission_at, the days and the unread ones", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const now = b.clock.now();
    const at = (ms: number, more: Partial<ImportRow> = {}): ImportRow =>
      row(ms / 1000, { created_at: new Date(now - ms), source_id: `t${ms}`, ...more });
    const last = new Date(now - 1_000).toISOString();
    const list = [at(1_000), at(2_000, { spam: true }), at(400 * DAY_MS), at(401 * DAY_MS, { read: true })];
    await b.submissions.import(id, list, source);
    const form = await b.forms.get(id);
    expect([form.submissions.all_time, form.last_submission_at]).toEqual([4, last]);
    const { data } = await b.forms.overview({ days: 2 });
    expect(data[0]).toMatchObject({ unread: 2, submissions: { all_time: 4 } });
    expect(data[0]?.days.reduce((sum, n) => sum + n, 0)).toBe(1);
  });

  it("reports a row that can't be read, and goes on", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const list = [
      row(0),
      { ...row(1), created_at: "31/02/2025" },
      { unreadable: "The line is torn.", line: 9 },
      row(2),
    ];
    expect(await b.submissions.import(id, streamed(list), source)).toEqual({
      imported: 2,
      skipped: 0,
      failed: [
        { index: 1, message: expect.stringContaining("`created_at` must be a time") },
        { index: 2, line: 9, message: "The line is torn." },
      ],
    });
  });

  it.each([
    ["no object", 7, "The row must be an object"],
    ["null", null, "The row must be an object"],
    ["no time", { fields: { a: "1" } }, "`created_at` is required"],
    ["a day that is none", row(0, { created_at: "2025-02-30T00:00:00Z" }), "`created_at` must be"],
    ["a number as time", { ...row(0), created_at: 5 }, "`created_at` must be"],
    ["an invalid Date", row(0, { created_at: new Date("x") }), "`created_at` must be"],
    ["the future", row(0, { created_at: "2999-01-01" }), "`created_at` is in the future"],
    ["before 1970", row(0, { created_at: "1969-12-31" }), "`created_at` is before 1970"],
    ["no fields", { created_at: "2025-01-01" }, "`fields` must be"],
    ["nothing in the fields", row(0, { fields: { a: " ", b: "" } }), "`fields` has no value"],
    ["an entry without key", row(0, { fields: [{ value: "1" }] as never }), "`fields.0.key` must be a string"],
    ["an object as value", row(0, { fields: [{ key: "a", value: {} }] as never }), "`fields.0.value` must be a string"],
    ["a name of 201", row(0, { fields: { ["n".repeat(201)]: "1" } }), "at most 200 characters"],
    ["a value of 65 KB", row(0, { fields: { a: "x".repeat(65 * 1024) } }), "at most 64 KB"],
    [
      "1,001 fields",
      row(0, { fields: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, "1"])) }),
      "at most 1000 fields",
    ],
    ["spam as text", { ...row(0), spam: "no" }, "`spam` must be true or false"],
    ["a country's name", row(0, { country: "Germany" }), "`country` must be a code"],
    ["a member of its own", { ...row(0), email: "a@example.com" }, "`email` is unknown here"],
  ])("refuses %s by name", async (_, given, message) => {
    const b = harness();
    expect(await one(b, given)).toEqual({
      imported: 0,
      skipped: 0,
      failed: [{ index: 0, message: expect.stringContaining(message) }],
    });
  });

  it("keeps the first 1,000 faults, counts the others, and tells them all", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    let told = 0;
    const bad = Array.from({ length: 1_500 }, () => ({})) as ImportRow[];
    const result = await b.submissions.import(id, bad, { ...source, onFailed: () => void told++ });
    expect([result.failed.length, result.more_failed, told]).toEqual([1_000, 500, 1_500]);
  });

  it("takes 1,000 fields, text with NUL and lone surrogates, and drops fields that steer a post", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, "1"]));
    const odd = { a: "x\0\uD800", _gotcha: "bot", "g-recaptcha-response": "t", _replyto: "ann@example.com" };
    expect(await b.submissions.import(id, [row(0, { fields: many }), row(1, { fields: odd })], source)).toMatchObject({
      imported: 2,
    });
    const { data } = await b.submissions.list(id);
    expect(data[0]?.fields).toEqual([{ key: "a", value: "x\uFFFD\uFFFD" }]);
    expect(data[1]?.fields).toHaveLength(1_000);
  });

  it("follows the form's field policy", async () => {
    const storage = memoryStorage();
    const key = { id: "k1", key: Buffer.alloc(32, 7).toString("base64") };
    const b = harness({ storage, encryption: { keys: [key] } });
    const fields = { iban: { store: "encrypt" as const }, pin: { store: "drop" as const } };
    const { id } = await b.forms.create({ name: "A", settings: { fields } });
    const given = row(0, {
      fields: { email: "a@example.com", iban: "DE89370400440532013000", pin: "1234" },
      source_id: undefined,
      referer: "https://a.test/?iban=DE89370400440532013000",
    });
    await b.submissions.import(id, [given], source);
    const [stored] = await storage.page("submissions", {
      index: "form_spam",
      equals: { form_id: id, spam: false },
      order: "asc",
      limit: 1,
    });
    expect(JSON.stringify(stored)).not.toMatch(/DE8937|1234/);
    expect((await b.submissions.list(id)).data[0]?.fields).toEqual([
      { key: "email", value: "a@example.com" },
      { key: "iban", value: "DE89370400440532013000" },
    ]);
    expect(await b.submissions.import(id, [given], source)).toMatchObject({ imported: 0, skipped: 1 });
  });

  it("reads and checks all in a dry run, and stores nothing", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A", storage: { keep_for: "30_days" } });
    await b.submissions.import(id, [row(1)], source);
    const list = [
      row(1),
      row(2),
      row(2),
      { ...row(3), created_at: "soon" },
      row(4, { created_at: new Date(b.clock.now()) }),
    ];
    const dry = await b.submissions.import(id, list, { ...source, dry_run: true });
    expect(dry).toEqual({ imported: 2, skipped: 2, failed: [expect.objectContaining({ index: 3 })], expiring: 1 });
    expect((await b.submissions.count(id)).count).toBe(1);
    expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  });

  it("keeps ids of ours where no other form has them", async () => {
    const b = harness();
    const [a, c] = [await b.forms.create({ name: "A" }), await b.forms.create({ name: "C" })];
    const ours = row(0, { source_id: "0123456789abcdef01234567" });
    await b.submissions.import(a.id, [ours], source);
    expect((await b.submissions.list(a.id)).data[0]?.id).toBe("0123456789abcdef01234567");
    for (const imported of [1, 0]) expect(await b.submissions.import(c.id, [ours], source)).toMatchObject({ imported });
    expect((await b.submissions.list(c.id)).data[0]?.id).toMatch(/^[0-9a-f]{24}$/);
    expect((await b.submissions.list(a.id)).data).toHaveLength(1);
  });

  it("keeps what it has stored where the rows end with an error, and goes on from there", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    async function* torn(): AsyncGenerator<ImportRow> {
      yield* rows(300);
      throw new Error("the disk is gone");
    }
    await expect(b.submissions.import(id, torn(), source)).rejects.toThrow("the disk is gone");
    expect(await b.submissions.import(id, rows(400), source)).toEqual({ imported: 150, skipped: 250, failed: [] });
  });

  it("is exact where two run at the same time on one store", async () => {
    const storage = memoryStorage();
    const [a, c] = [harness({ storage }), harness({ storage })];
    const { id } = await a.forms.create({ name: "A" });
    const both = await Promise.all([a, c].map((b) => b.submissions.import(id, rows(1_000), source)));
    expect(both.reduce((sum, { imported }) => sum + imported, 0)).toBe(1_000);
    expect((await a.forms.get(id)).submissions.all_time).toBe(1_000);
    expect((await a.submissions.count(id)).count).toBe(1_000);
  });

  it("refuses what it can't begin with", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const wrong = async (rows: unknown, options: unknown, form = id) =>
      b.submissions
        .import(form, rows as ImportRow[], options as { source: string })
        .catch(({ code, param }) => [code, param]);
    expect(await wrong([], {})).toEqual(["invalid_parameter", "source"]);
    expect(await wrong([], { source: " " })).toEqual(["invalid_parameter", "source"]);
    expect(await wrong([], { source: "a", dryrun: true })).toEqual(["invalid_parameter", "dryrun"]);
    for (const rows of ["a,b", 5, null, {}]) expect(await wrong(rows, source)).toEqual(["invalid_parameter", "rows"]);
    expect(await wrong([], source, "nothing")).toEqual(["form_not_found", undefined]);
    await b.forms.update(id, { storage: { store_submissions: false } });
    expect(await wrong([row(1)], source)).toEqual(["invalid_parameter", "storage.store_submissions"]);
  });
});

describe("submissions.deleteImported", () => {
  it("takes one source back and counts it out, and leaves posts and other sources", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    await b.post(id, { email: "post@example.com" });
    await b.submissions.import(
      id,
      rows(600).map((one, n) => ({ ...one, read: n % 2 === 0, spam: n % 3 === 0 })),
      source,
    );
    await b.submissions.import(id, [row(1)], { source: "basin" });
    await b.submissions.bulk(id, {
      action: "mark_read",
      ids: (await b.submissions.list(id, { limit: 50 })).data.map((one) => one.id),
    });
    const before = (await b.forms.overview({ days: 0 })).data[0];
    expect(before?.submissions.all_time).toBe(602);
    expect(await b.submissions.deleteImported(id, "formspree")).toEqual({ deleted: 600 });
    expect(await b.submissions.deleteImported(id, "formspree")).toEqual({ deleted: 0 });
    const left = (await b.submissions.list(id)).data;
    expect(left).toHaveLength(2);
    expect((await b.forms.overview({ days: 0 })).data[0]).toMatchObject({
      unread: left.filter(({ read }) => !read).length,
      submissions: { all_time: 2 },
    });
    expect(await b.submissions.import(id, rows(5), source)).toMatchObject({ imported: 5 });
  });

  it("refuses an unknown form and an empty source", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    await expect(b.submissions.deleteImported("nothing", "a")).rejects.toMatchObject({ code: "form_not_found" });
    await expect(b.submissions.deleteImported(id, "")).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "source",
    });
  });
});
