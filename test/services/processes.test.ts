import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mysqlStorage } from "../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import { testClock } from "../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../_support/backend.ts";
import { freshPrefix, withMysql } from "../_support/mysql.ts";
import { describePostgres, type TemporaryDatabase, temporaryDatabase } from "../_support/postgres.ts";
import { PATIENT_MS } from "../_support/postgres-schema.ts";
import { temporaryDirectory } from "../_support/temporary.ts";

/** What the contract allows a change to take until every process honours it. */
const WITHIN_MS = 5_000;

/** What process A changes, process B honours in time, although it has just seen what was there before. */
function honoured(open: () => StorageDriver): void {
  let clock: ReturnType<typeof testClock>;
  let a: Harness;
  let b: Harness;
  let form: string;
  beforeEach(async () => {
    clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const plans = { small: { webhooks: false } };
    [a, b] = [1, 2].map(() => harness({ storage: open(), clock, plans, rateLimit: false })) as [Harness, Harness];
    await a.ready();
    await b.ready();
    form = (await a.forms.create({ name: "A", self_email_notification: { recipients: ["old@example.com"] } } as never))
      .id;
  });
  afterEach(async () => {
    await a?.close();
    await b?.close();
  });
  const post = (more: Record<string, string> = {}) => b.post(form, { email: "visitor@example.com" }, more);
  const later = () => clock.set(clock.now() + WITHIN_MS);
  const code = (answer: { status: number; json: { error?: { code: string } } | null }) => [
    answer.status,
    answer.json?.error?.code,
  ];

  test("a revoked key", async () => {
    const { id, key } = await a.keys.create({ name: "k", scopes: "all" });
    expect((await b.call("GET", "/v1/me", { key })).status).toBe(200);
    await a.keys.revoke(id);
    later();
    expect(code(await b.call("GET", "/v1/me", { key }))).toEqual([401, "invalid_key"]);
  });

  test("a revoked key that is used all the time", async () => {
    const { id, key } = await a.keys.create({ name: "k", scopes: "all" });
    expect((await b.call("GET", "/v1/me", { key })).status).toBe(200);
    await a.keys.revoke(id);
    for (let ms = 0; ms < WITHIN_MS; ms += 100) {
      clock.set(clock.now() + 100);
      await b.call("GET", "/v1/me", { key });
    }
    expect((await b.call("GET", "/v1/me", { key })).status).toBe(401);
    expect((await a.keys.get(id)).revoked_at).not.toBeNull();
  });

  test("a new key, at once", async () => {
    const { key } = await a.keys.create({ name: "k", scopes: ["forms:read"] });
    expect((await b.call("GET", "/v1/me", { key })).status).toBe(200);
  });

  test("a suspended team: its credentials, its forms, and what was already planned", async () => {
    expect((await b.call("GET", "/v1/me")).status).toBe(200);
    expect((await post()).status).toBe(200);
    await a.teams.update("default", { active: false });
    later();
    expect(code(await b.call("GET", "/v1/me"))).toEqual([403, "team_inactive"]);
    expect(code(await post())).toEqual([403, "form_inactive"]);
    await b.tick();
    expect(b.mails).toEqual([]);
    expect((await b.jobs.list()).map(({ code }) => code)).toEqual(["SKIPPED_TEAM_INACTIVE"]);
  });

  test("another plan", async () => {
    await a.webhooks.create(form, { url: "https://example.com/hook" });
    expect((await b.call("GET", "/v1/me")).json.teams).toEqual([expect.objectContaining({ plan: "unlimited" })]);
    await post();
    await a.teams.update("default", { plan: "small" });
    later();
    expect((await b.call("GET", "/v1/me")).json.teams).toEqual([expect.objectContaining({ plan: "small" })]);
    await post();
    await b.tick();
    expect(b.webhookCalls).toEqual([]);
  });

  test("a form that was switched off, and on again", async () => {
    expect((await post()).status).toBe(200);
    await a.forms.update(form, { active: false });
    later();
    expect(code(await post())).toEqual([403, "form_inactive"]);
    await a.forms.update(form, { active: true });
    later();
    expect((await post()).status).toBe(200);
  });

  test("a form that was deleted", async () => {
    expect((await post()).status).toBe(200);
    await a.forms.delete(form);
    later();
    expect(code(await post())).toEqual([404, "form_not_found"]);
    expect(code(await b.call("GET", `/v1/forms/${form}`))).toEqual([404, "form_not_found"]);
  });

  test("a new form, at once", async () => {
    const { id } = await a.forms.create({ name: "B" });
    expect((await b.post(id, { a: "1" })).status).toBe(200);
  });

  test("other recipients, also for what was planned before", async () => {
    expect((await post()).status).toBe(200);
    await a.forms.update(form, { self_email_notification: { recipients: ["new@example.com"] } });
    later();
    await post();
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual(["new@example.com"]);
    await a.forms.addRecipient(form, "more@example.com");
    later();
    await post();
    await b.tick();
    expect(b.mails.map(({ to }) => to.address).sort()).toEqual([
      "more@example.com",
      "new@example.com",
      "new@example.com",
    ]);
  });

  test("a webhook: added, moved, disabled, deleted", async () => {
    expect((await post()).status).toBe(200);
    const { id } = await a.webhooks.create(form, { url: "https://example.com/one" });
    later();
    await post();
    await b.tick();
    await a.webhooks.update(form, id, { url: "https://example.com/two" });
    later();
    await post();
    await b.tick();
    expect(b.webhookCalls.map(({ url }) => url)).toEqual(["https://example.com/one", "https://example.com/two"]);
    await post();
    await a.webhooks.update(form, id, { enabled: false });
    later();
    await post();
    await b.tick();
    expect(b.webhookCalls).toHaveLength(2);
    expect((await b.jobs.list({ kind: "webhook", status: "skipped" })).map(({ code }) => code)).toContain(
      "SKIPPED_WEBHOOK_DISABLED",
    );
  });

  test("validation rules, allowed origins and what happens after a post", async () => {
    expect((await post()).status).toBe(200);
    await a.forms.update(form, {
      validation: { rules: [{ field: "name", checks: [{ type: "required" }] }] },
    });
    later();
    expect(code(await post())).toEqual([422, "validation_failed"]);
    await a.forms.update(form, {
      validation: { enabled: false },
      allowed_origins: ["https://shop.example"],
      after_submit: { redirect: { success_url: "https://shop.example/thanks" } },
    });
    later();
    expect(code(await post({ origin: "https://evil.example" }))).toEqual([403, "origin_not_allowed"]);
    expect((await post({ origin: "https://shop.example" })).json.redirect).toBe("https://shop.example/thanks");
  });
}

describe("two processes on one SQLite file", () => {
  let path: string;
  beforeEach(() => {
    path = join(temporaryDirectory(), "forms.db");
  });
  honoured(() => sqliteStorage({ path }));
});

withMysql((pool) => {
  describe("two processes on one MariaDB", () => {
    let prefix = "";
    beforeEach(() => {
      prefix = freshPrefix();
    });
    honoured(() => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS }));
  });
});

describePostgres("two processes on one PostgreSQL", () => {
  let database: TemporaryDatabase;
  let n = 0;
  beforeAll(async () => {
    database = await temporaryDatabase();
  });
  beforeEach(() => {
    n += 1;
  });
  afterAll(() => database?.drop());
  honoured(() => postgresStorage({ pool: database.pool, schema: `processes_${n}` }));
});
