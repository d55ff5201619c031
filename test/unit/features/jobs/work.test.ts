import { describe, expect, it } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

const HOUR = 3600 * 1000;
const hook = "https://example.com/hook";
const claim = { lane: "webhook", leaseMs: 60_000, limit: 10, exclude: [], perTarget: 8 };

async function formWith(b: ReturnType<typeof harness>, recipients: string[] = []) {
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients } });
  const webhook = await b.webhooks.create(form.id, { url: hook });
  return { form, webhook };
}

describe("a delivery", () => {
  it("succeeds with the first 2xx and stays so", async () => {
    const b = harness();
    const { form, webhook } = await formWith(b);
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    expect((await b.jobs.list({ submission_id: id }))[0]).toMatchObject({
      status: "pending",
      code: "PENDING",
      attempt: 0,
      target: webhook.id,
    });
    expect(await b.tick()).toEqual({ ran: 1 });
    expect((await b.jobs.list({ submission_id: id }))[0]).toMatchObject({
      status: "succeeded",
      code: "SUCCESS",
      attempt: 1,
      http_status: 200,
    });
    await b.clock.advance(100 * HOUR);
    expect(b.webhookCalls).toHaveLength(1);
  });

  it("sends the same bytes and the same id on every attempt, each signed for its own time", async () => {
    const b = harness();
    const { form } = await formWith(b);
    b.answerWebhooks(() => (b.webhookCalls.length < 4 ? 500 : 200));
    await b.submit(form.id, { fields: { a: "1" } });
    await b.clock.advance(HOUR);
    expect(b.webhookCalls).toHaveLength(4);
    const of = (name: string) => new Set(b.webhookCalls.map(({ headers }) => headers[name]));
    expect(new Set(b.webhookCalls.map(({ body }) => body)).size).toBe(1);
    expect([of("webhook-id").size, of("webhook-timestamp").size]).toEqual([1, 4]);
    expect(b.webhookCalls.map(({ headers }) => headers["X-Service-Attempt"])).toEqual(["1", "2", "3", "4"]);
  });

  it("that fails until shortly before 72 h still succeeds", async () => {
    const b = harness();
    const { form } = await formWith(b);
    const start = b.clock.now();
    b.answerWebhooks(() => (b.clock.now() - start < 71 * HOUR + 59 * 60 * 1000 ? 500 : 200));
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    await b.clock.advance(80 * HOUR);
    expect((await b.jobs.list({ submission_id: id }))[0]?.status).toBe("succeeded");
  });

  it("that fails for ever ends between 71 h and 72 h after 16 to 20 attempts", async () => {
    const b = harness();
    const { form, webhook } = await formWith(b);
    const start = b.clock.now();
    const times: number[] = [];
    b.answerWebhooks(() => times.push(b.clock.now() - start) && 503);
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    await b.clock.advance(100 * HOUR);
    const [job] = await b.jobs.list({ submission_id: id });
    expect(job).toMatchObject({
      status: "failed",
      code: "ERROR_WEBHOOK_HTTP_5XX",
      http_status: 503,
      attempt: times.length,
    });
    expect(times.length).toBeGreaterThanOrEqual(16);
    expect(times.length).toBeLessThanOrEqual(20);
    const last = (times.at(-1) ?? 0) / HOUR;
    expect(last).toBeGreaterThanOrEqual(71);
    expect(last).toBeLessThanOrEqual(72);
    expect((await b.webhooks.get(form.id, webhook.id)).last_delivery).toMatchObject({
      status: "failed",
      response_status: 503,
      attempt: times.length,
    });
  });

  it("answered 410 fails at once and disables its webhook", async () => {
    const b = harness();
    const { form, webhook } = await formWith(b);
    const disabled: unknown[] = [];
    b.on("webhook.disabled", (event) => void disabled.push(event));
    b.answerWebhooks(410);
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    await b.clock.advance(HOUR);
    expect((await b.jobs.list({ submission_id: id }))[0]).toMatchObject({
      status: "failed",
      code: "ERROR_WEBHOOK_HTTP_4XX",
      attempt: 1,
    });
    expect((await b.webhooks.get(form.id, webhook.id)).enabled).toBe(false);
    expect(disabled).toHaveLength(1);
  });

  it.each([
    ["SKIPPED_WEBHOOK_DISABLED", (b, form, webhook) => b.webhooks.update(form, webhook, { enabled: false })],
    ["SKIPPED_WEBHOOK_DELETED", (b, form, webhook) => b.webhooks.delete(form, webhook)],
    ["SKIPPED_WEBHOOK_DELETED", (b, form) => b.forms.delete(form)],
    ["SKIPPED_TEAM_INACTIVE", (b) => b.teams.update("default", { active: false })],
  ] as [string, (b: ReturnType<typeof harness>, form: string, webhook: string) => Promise<unknown>][])(
    "that stopped being wanted is %s and not sent",
    async (code, change) => {
      const b = harness();
      const { form, webhook } = await formWith(b);
      const { id } = await b.submit(form.id, { fields: { a: "1" } });
      await change(b, form.id, webhook.id);
      await b.tick();
      expect((await b.jobs.list({ submission_id: id }))[0]).toMatchObject({ status: "skipped", code, attempt: 0 });
      expect(b.webhookCalls).toHaveLength(0);
    },
  );

  it("gets an occurred_at of its own, also when many end in one millisecond", async () => {
    const b = harness();
    const { form } = await formWith(b);
    await Promise.all(Array.from({ length: 100 }, (_, i) => b.submit(form.id, { fields: { i: String(i) } })));
    await b.tick();
    const times = (await b.jobs.list({ form_id: form.id, kind: "webhook" })).map(({ occurred_at }) => occurred_at);
    expect([times.length, new Set(times).size]).toEqual([100, 100]);
  });
});

describe("email", () => {
  it("goes to each recipient once; a temporary fault of one is retried for that one alone", async () => {
    const mailer = memoryMailer();
    const b = harness({ mailer });
    const { form } = await formWith(b, ["a@example.com", "b@example.com", "c@example.com"]);
    let faults = 2;
    mailer.fail = (mail) =>
      mail.to.address === "b@example.com" && faults-- > 0
        ? new MailError("ERROR_EMAIL_SMTP_4XX", "450 try later", { temporary: true, status: 450 })
        : undefined;
    await b.submit(form.id, { fields: { a: "1" } });
    await b.clock.advance(HOUR);
    expect(mailer.sent.map(({ to }) => to.address).sort()).toEqual(["a@example.com", "b@example.com", "c@example.com"]);
  });

  it("with a permanent fault fails at once, is seen in jobs.list and as an event", async () => {
    const mailer = memoryMailer();
    const b = harness({ mailer });
    const failed: unknown[] = [];
    b.on("email.failed", (event) => void failed.push(event));
    const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["a@example.com"] } });
    mailer.fail = () => new MailError("ERROR_EMAIL_SMTP_5XX", "550 no such user", { temporary: false, status: 550 });
    await b.submit(form.id, { fields: { a: "1" } });
    await b.clock.advance(80 * HOUR);
    expect(await b.jobs.list({ form_id: form.id, kind: "owner_email", status: "failed" })).toMatchObject([
      { target: "a@example.com", code: "ERROR_EMAIL_SMTP_5XX", attempt: 1, message: "550 no such user" },
    ]);
    expect(failed).toHaveLength(1);
  });
});

describe("a worker", () => {
  it("that died is replaced when its lease ends, and the loss is not an attempt", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const { form } = await formWith(b);
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    expect((await storage.claim({ ...claim, now: b.clock.now() })).jobs).toHaveLength(1);
    expect(await b.tick()).toEqual({ ran: 0 });
    await b.clock.advance(60_000);
    expect((await b.jobs.list({ submission_id: id }))[0]).toMatchObject({ status: "succeeded", attempt: 1 });
  });

  it("whose payload ends it fails after two claims and a run that never ended, and is sent again when a caller says so", async () => {
    const storage = memoryStorage();
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const b = harness({ storage, clock });
    const { form, webhook } = await formWith(b);
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    for (let loss = 0; loss < 2; loss++) {
      const { jobs } = await storage.claim({ ...claim, now: clock.now() });
      expect(jobs).toHaveLength(1);
      clock.set(clock.now() + 60_000);
    }
    // Its lease passes to another during the run, so that this worker's failure counts as little as that of a dead one.
    b.answerWebhooks(() => {
      void storage.claim({ ...claim, now: clock.now() + 60_000 });
      return 500;
    });
    await b.tick();
    clock.set(clock.now() + 120_000);
    await b.tick();
    b.answerWebhooks(() => 200);
    expect((await b.jobs.list({ submission_id: id }))[0]).toMatchObject({
      status: "failed",
      code: "ERROR_WEBHOOK_WORKER_LOST",
    });
    await b.clock.advance(80 * HOUR);
    expect(b.webhookCalls).toHaveLength(1);
    await b.deliveries.redeliver(form.id, webhook.id, id);
    await b.tick();
    expect((await b.jobs.list({ submission_id: id }))[0]?.status).toBe("succeeded");
  });

  it("drops the late failure of a lost lease, and lets a late success win", async () => {
    const storage = memoryStorage();
    const gates: ((status: number) => void)[] = [];
    const b = harness({ storage });
    const { form } = await formWith(b);
    b.answerWebhooks(500);
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    // Somebody else takes the job over while our attempt is under way.
    b.answerWebhooks(() => {
      gates.push(() => {});
      if (gates.length === 1) void storage.claim({ ...claim, now: b.clock.now() + 61_000 });
      return gates.length === 1 ? 500 : 200;
    });
    await b.tick();
    const [first] = await b.jobs.list({ submission_id: id });
    expect(first).toMatchObject({ status: "pending", attempt: 0 });
    await b.clock.advance(3 * 60_000);
    expect((await b.jobs.list({ submission_id: id }))[0]).toMatchObject({ status: "succeeded" });
  });

  it("runs by itself, without tick, and keeps no more than 8 of one webhook in flight", async () => {
    let inFlight = 0;
    let most = 0;
    const { createBackend } = await import("../../../../src/surfaces/form-backend.ts");
    const backend = createBackend(
      { baseUrl: "http://localhost/forms", secret: "x".repeat(32) },
      {
        webhookClient: {
          async post() {
            most = Math.max(most, ++inFlight);
            await new Promise((resolve) => setTimeout(resolve, 2));
            inFlight--;
            return { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 2 };
          },
          close() {},
        },
      },
    );
    const form = await backend.forms.create({ name: "A" });
    await backend.webhooks.create(form.id, { url: hook });
    const done = new Promise<void>((resolve) => {
      let left = 100;
      backend.on("delivery.succeeded", () => --left === 0 && resolve());
    });
    await Promise.all(Array.from({ length: 100 }, (_, i) => backend.submit(form.id, { fields: { i: String(i) } })));
    await done;
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(1);
    await backend.close();
  });

  it("has 8 of a webhook in flight also when they come one by one", async () => {
    let inFlight = 0;
    let filled = (): void => {};
    const full = new Promise<void>((resolve) => (filled = resolve));
    const { createBackend } = await import("../../../../src/surfaces/form-backend.ts");
    const backend = createBackend(
      { baseUrl: "http://localhost/forms", secret: "x".repeat(32), storage: memoryStorage() },
      {
        webhookClient: {
          post: (_url, _request, signal) =>
            new Promise((resolve) => {
              if (++inFlight === 8) filled();
              signal?.addEventListener("abort", () =>
                resolve({ ok: false, code: "ERROR_WEBHOOK_INTERNAL", message: "stopped", duration_ms: 1 }),
              );
            }),
          close() {},
        },
      },
    );
    const form = await backend.forms.create({ name: "A", spam: { protection: false } });
    await backend.webhooks.create(form.id, { url: hook });
    for (let i = 0; i < 12; i++) {
      await backend.submit(form.id, { fields: { i: String(i) } });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await full;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(inFlight).toBe(8);
    await backend.close({ graceMs: 1 });
  });

  it("keeps 2 of a webhook in flight once 5 in a row failed, and more again after successes", async () => {
    let up = false;
    let inFlight = 0;
    const most = { before: 0, down: 0, up: 0 };
    let ended = 0;
    const { createBackend } = await import("../../../../src/surfaces/form-backend.ts");
    const storage = memoryStorage();
    const backend = createBackend(
      { baseUrl: "http://localhost/forms", secret: "x".repeat(32), storage },
      {
        webhookClient: {
          async post() {
            inFlight++;
            const phase = up ? "up" : ended < 8 ? "before" : "down";
            most[phase] = Math.max(most[phase], inFlight);
            await new Promise((resolve) => setTimeout(resolve, 2));
            inFlight--;
            if (++ended === 60) up = true;
            return up
              ? { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 2 }
              : { ok: false, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500, message: "", duration_ms: 2 };
          },
          close() {},
        },
      },
    );
    const form = await backend.forms.create({ name: "A", spam: { protection: false } });
    await backend.webhooks.create(form.id, { url: hook });
    const done = new Promise<void>((resolve) => {
      let left = 100;
      backend.on("delivery.succeeded", () => --left === 0 && resolve());
    });
    await Promise.all(Array.from({ length: 200 }, (_, i) => backend.submit(form.id, { fields: { i: String(i) } })));
    await done;
    expect(most.down).toBe(2);
    for (const full of [most.before, most.up]) {
      expect(full).toBeGreaterThan(2);
      expect(full).toBeLessThanOrEqual(8);
    }
    await backend.close();
  });

  it("gives its leases back on close, and refuses new work with 503", async () => {
    const { createBackend } = await import("../../../../src/surfaces/form-backend.ts");
    const storage = memoryStorage();
    let started = (): void => {};
    const running = new Promise<void>((resolve) => (started = resolve));
    const backend = createBackend(
      { baseUrl: "http://localhost/forms", secret: "x".repeat(32), storage: { ...storage, close: async () => {} } },
      {
        webhookClient: {
          post: (_url, _request, signal) =>
            new Promise((resolve) => {
              started();
              signal?.addEventListener("abort", () =>
                resolve({ ok: false, code: "ERROR_WEBHOOK_INTERNAL", message: "stopped", duration_ms: 1 }),
              );
            }),
          close() {},
        },
      },
    );
    const form = await backend.forms.create({ name: "A" });
    await backend.webhooks.create(form.id, { url: hook });
    await backend.submit(form.id, { fields: { a: "1" } });
    await running;
    await backend.close({ graceMs: 20 });
    await backend.close();
    const answer = await backend.fetch(
      new Request(form.endpoint, { method: "POST", body: new URLSearchParams({ a: "1" }) }),
    );
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    const { jobs } = await storage.claim(claim);
    expect(jobs.map(({ value }) => [value["attempt"], value["lost"]])).toEqual([[0, 0]]);
  });
});
