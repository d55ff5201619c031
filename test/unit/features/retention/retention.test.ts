import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { harness } from "../../../_support/backend.ts";

const DAY = 24 * 3600 * 1000;

describe("sweep", () => {
  it("removes submissions when their form's keep_for is over, and no earlier", async () => {
    const b = harness();
    const short = await b.forms.create({ name: "short", storage: { keep_for: "7_days" } });
    const forever = await b.forms.create({ name: "forever" });
    const { id } = await b.submit(short.id, { fields: { a: "1" } });
    await b.submit(forever.id, { fields: { a: "1" } });
    await b.clock.advance(7 * DAY);
    expect(await b.sweep()).toEqual({ submissions: 0, files: 0, deliveries: 0 });
    await b.clock.advance(1);
    expect(await b.sweep()).toEqual({ submissions: 1, files: 0, deliveries: 0 });
    await expect(b.submissions.get(short.id, id)).rejects.toMatchObject({ code: "submission_not_found" });
    expect((await b.submissions.list(forever.id, {})).data).toHaveLength(1);
    expect((await b.forms.get(short.id)).submissions.all_time, "what was counted stays counted").toBe(1);
  });

  it("goes on with the submissions of a deleted form, each in its time", async () => {
    const { memoryStorage } = await import("../../../../src/index.ts");
    const storage = memoryStorage();
    const b = harness({ storage });
    const form = await b.forms.create({ name: "short", storage: { keep_for: "7_days" } });
    const forever = await b.forms.create({ name: "forever" });
    await b.submit(forever.id, { fields: { a: "1" } });
    await b.submit(form.id, { fields: { a: "1" } });
    await b.clock.advance(3 * DAY);
    await b.submit(form.id, { fields: { a: "2" } });
    for (const { id } of [form, forever]) await b.forms.delete(id);
    const left = async () => {
      const { data } = await b.submissions.list(null);
      return data.filter(({ form_id }) => form_id === form.id).map(({ fields }) => fields[0]?.value);
    };
    await b.clock.advance(4 * DAY);
    expect([(await b.sweep()).submissions, await left()]).toEqual([0, ["2", "1"]]);
    await b.clock.advance(1);
    expect([(await b.sweep()).submissions, await left()]).toEqual([1, ["2"]]);
    await b.clock.advance(3 * DAY - 1);
    expect([(await b.sweep()).submissions, await left()]).toEqual([0, ["2"]]);
    await b.clock.advance(1);
    expect([(await b.sweep()).submissions, await left()]).toEqual([1, []]);
    await b.clock.advance(100 * DAY);
    expect(await b.sweep()).toEqual({ submissions: 0, files: 0, deliveries: 0 });
    const marks = async () => (await storage.count("marks", { index: "expiry", equals: {}, budgetMs: 1000 })).count;
    const listed = async () => (await b.forms.list({ deleted: true })).data.map(({ id }) => id);
    const [last] = (await b.submissions.list(forever.id)).data;
    expect([await marks(), await listed()]).toEqual([1, [forever.id]]);
    // Nothing ends by itself of what is kept forever: a look a day finds that the last has gone.
    await b.submissions.delete(forever.id, last?.id ?? "");
    await b.clock.advance(DAY + 1);
    await b.sweep();
    expect([await marks(), await listed()]).toEqual([0, []]);
  });

  it("leaves an expired mark to the later version that knows its kind, and removes the others", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const value = { expires_at: "2020-01-01T00:00:00.000Z" };
    const ids = ["token:form:1", "from-a-later-version:1", "constructor:1", "tests:acme"];
    await storage.open();
    await storage.commit(ids.map((id) => ({ op: "put", collection: "marks", id, value })));
    await b.sweep();
    expect([...(await storage.get("marks", ids)).keys()].sort()).toEqual(["constructor:1", "from-a-later-version:1"]);
  });

  it("keeps delivery logs for 18 months, without the visitor's address once the content is gone", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", storage: { keep_for: "7_days" }, auto_response: { enabled: true } });
    await b.webhooks.create(form.id, { url: "https://example.com/" });
    await b.submit(form.id, { fields: { email: "ann@example.com" } });
    await b.tick();
    await b.clock.advance(8 * DAY);
    await b.sweep();
    const log = await b.jobs.list({ form_id: form.id });
    expect(log.map(({ kind, target }) => [kind, target.includes("@")]).sort()).toEqual([
      ["auto_response", false],
      ["webhook", false],
    ]);
    await b.clock.advance(18 * 31 * DAY);
    expect((await b.sweep()).deliveries).toBe(2);
    expect(await b.jobs.list({ form_id: form.id })).toEqual([]);
  });

  it("forgets idempotency keys that have ended", async () => {
    const { memoryStorage } = await import("../../../../src/index.ts");
    const storage = memoryStorage();
    const b = harness({ storage });
    const form = await b.forms.create({ name: "A" });
    for (let i = 0; i < 450; i++) await b.submit(form.id, { fields: { a: "1" }, idempotency_key: `k${i}` });
    const marks = () => storage.count("marks", { index: "expiry", equals: {}, budgetMs: 1000 });
    expect((await marks()).count).toBe(450);
    await b.clock.advance(DAY + 1);
    await b.sweep();
    expect((await marks()).count).toBe(0);
  });
});

describe("one person's data", () => {
  const people = async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", auto_response: { enabled: true } });
    const submit = (fields: Record<string, string>, more = {}) => b.submit(form.id, { fields, ...more });
    const held = [
      await submit({ email: "ann@example.com" }),
      await submit({ message: "Write to ANN@example.com, please." }),
      await submit({ a: "1" }, { referer: "https://site.example/?email=ann%40example.com" }),
    ];
    const others = [
      await submit({ email: "joann@example.com" }),
      await submit({ email: "ann@example.com.au" }),
      await submit({ email: "x.ann@example.com" }),
      await submit({ email: "bob@example.com" }),
    ];
    return { b, form, held: held.map(({ id }) => id), others: others.map(({ id }) => id) };
  };

  it("is exported wherever it stands, and nobody else's with it", async () => {
    const { b, held } = await people();
    const { status, json } = await b.call("POST", "/v1/data-subjects/export", { body: { email: "ann@example.com" } });
    expect([status, json.data.map(({ id }: { id: string }) => id)]).toEqual([200, held]);
  });

  it("is erased with its deliveries against a receipt, over deleted forms too", async () => {
    const { b, form, others } = await people();
    await b.tick();
    await b.forms.delete(form.id);
    const { status, json } = await b.call("POST", "/v1/data-subjects/erase", { body: { email: "Ann@Example.com" } });
    expect([status, json]).toEqual([
      200,
      { erased: { submissions: 3, files: 0, deliveries: 1 }, at: "2026-01-01T00:00:00.000Z" },
    ]);
    expect((await b.submissions.list(null, { limit: 100 })).data.map(({ id }) => id).sort()).toEqual(
      [...others].sort(),
    );
    const again = await b.call("POST", "/v1/data-subjects/erase", { body: { email: "ann@example.com" } });
    expect(again.json.erased.submissions).toBe(0);
  });

  it.each([
    [{}, "email"],
    [{ email: "nobody" }, "email"],
    [{ email: "a@example.com", all: true }, "all"],
  ])("%j is refused", async (body, param) => {
    const { status, json } = await harness().call("POST", "/v1/data-subjects/erase", { body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });

  it("needs submissions:read to be exported and submissions:write to be erased, and stays within the key's forms", async () => {
    const { b, form } = await people();
    const other = await b.forms.create({ name: "B" });
    const read = await b.keyWith(["submissions:read"]);
    const erase = (key: string) =>
      b.call("POST", "/v1/data-subjects/erase", { key, body: { email: "ann@example.com" } });
    expect((await erase(read)).json.error.required).toEqual(["submissions:write"]);
    const elsewhere = await b.keyWith("all", { form_ids: [other.id] });
    expect((await erase(elsewhere)).json.erased.submissions).toBe(0);
    expect((await b.submissions.list(form.id, {})).data).toHaveLength(7);
  });

  it("leaves no trace of the address in the SQLite file", async () => {
    const dir = mkdtempSync(join(tmpdir(), "form-backend-erase-"));
    const path = join(dir, "forms.db");
    const b = harness({ storage: sqliteStorage({ path }) });
    const form = await b.forms.create({ name: "A", auto_response: { enabled: true } });
    await b.submit(form.id, {
      fields: { email: "ann@example.com", _replyto: "ann@example.com" },
      idempotency_key: "ann@example.com",
    });
    await b.tick();
    const journal = `${path}-wal`;
    expect([path, journal].some((file) => readFileSync(file).includes("ann@example.com"))).toBe(true);
    await b.call("POST", "/v1/data-subjects/erase", { body: { email: "ann@example.com" } });
    for (const file of [path, journal]) expect(readFileSync(file).includes("ann@example.com"), file).toBe(false);
    await b.close();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM");
    db.close();
    expect(readFileSync(path).includes("ann@example.com")).toBe(false);
    rmSync(dir, { recursive: true, force: true });
  });
});
