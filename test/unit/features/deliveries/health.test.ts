import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { type StorageDriver, StoreDownError } from "../../../../src/drivers/storage/types.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const OWNER = "owner@example.com";
const URL_WITH_SECRET = "https://hooks.example.com/T0/s3cret?token=s3cret";

interface Failing extends Harness {
  form: string;
  webhook: string;
  disabled: { form_id: string; webhook_id: string; reason: string }[];
  enabled(): Promise<boolean>;
  subjects(): string[];
}

async function failing(options: TestBackendOptions = {}, owner: string | null = OWNER): Promise<Failing> {
  const b = harness(options);
  await b.teams.update("default", { owner: { email: owner } });
  const { id: form } = await b.forms.create({ name: "Contact", self_email_notification: { enabled: false } });
  const { id: webhook } = await b.webhooks.create(form, { url: URL_WITH_SECRET, description: "CRM" });
  const disabled: Failing["disabled"] = [];
  b.on("webhook.disabled", (event) => void disabled.push(event));
  b.answerWebhooks(503);
  return Object.assign(b, {
    form,
    webhook,
    disabled,
    enabled: async () => (await b.webhooks.get(form, webhook)).enabled,
    subjects: () => b.mails.filter(({ to }) => to.address === OWNER).map(({ subject }) => subject),
  });
}

/** Submissions all along, as a form in use has them. */
async function traffic(b: Failing, ms: number, every = 2 * HOUR): Promise<void> {
  for (let passed = 0; passed < ms; passed += every) {
    await b.submit(b.form, { fields: { n: "1" } });
    await b.clock.advance(every);
  }
}

const WARNING = "The webhook of “Contact” keeps failing";
const OFF = "The webhook of “Contact” was turned off";

describe("a webhook that only fails", () => {
  it("is warned of after 24 h, once, and turned off after 5 days, with one event and one mail", async () => {
    const b = await failing();
    await traffic(b, DAY - 2 * HOUR);
    expect(b.subjects()).toEqual([]);
    await traffic(b, 4 * HOUR);
    expect(b.subjects()).toEqual([WARNING]);
    await traffic(b, 4 * DAY - 4 * HOUR);
    expect([await b.enabled(), b.subjects()]).toEqual([true, [WARNING]]);
    await traffic(b, 6 * HOUR);
    expect([await b.enabled(), b.subjects()]).toEqual([false, [WARNING, OFF]]);
    expect(b.disabled).toEqual([
      { form_id: b.form, webhook_id: b.webhook, reason: "No delivery has succeeded for 5 days." },
    ]);
    const sent = b.webhookCalls.length;
    await traffic(b, 4 * DAY, 12 * HOUR);
    expect([b.webhookCalls.length, b.subjects().length, b.disabled.length]).toEqual([sent, 2, 1]);
    const left = await b.jobs.list({ form_id: b.form, kind: "webhook", status: "retrying" });
    expect(left).toEqual([]);
    const codes = new Set((await b.jobs.list({ form_id: b.form, kind: "webhook" })).map(({ code }) => code));
    expect(codes).toEqual(new Set(["SKIPPED_WEBHOOK_DISABLED", "ERROR_WEBHOOK_HTTP_5XX"]));
  });

  it("keeps failing since the first time for a process that can't reach the store for a moment", async () => {
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const storage = memoryStorage();
    const first = await failing({ storage, clock });
    await traffic(first, DAY - 2 * HOUR);
    await first.close();
    let refused = 0;
    const get: StorageDriver["get"] = (collection, ids) => {
      if (collection !== "webhook_states" || refused > 0) return storage.get(collection, ids);
      refused++;
      return Promise.reject(new StoreDownError("down for a moment"));
    };
    const second = harness({ storage: { ...storage, get }, clock, logger: silent });
    second.answerWebhooks(503);
    await traffic(Object.assign(second, { form: first.form }) as Failing, 4 * HOUR);
    expect(refused).toBe(1);
    expect(second.mails.map(({ subject }) => subject)).toEqual([WARNING]);
  });

  it("is not turned off before a delivery was given up", async () => {
    const b = await failing();
    await b.submit(b.form, { fields: { n: "1" } });
    await b.clock.advance(71 * HOUR);
    const [job] = await b.jobs.list({ form_id: b.form, kind: "webhook" });
    await b.deliveries.redeliver(b.form, b.webhook, String(job?.submission_id));
    await b.clock.advance(60 * HOUR);
    expect([await b.enabled(), b.subjects()]).toEqual([true, [WARNING]]);
    await b.clock.advance(13 * HOUR);
    expect([await b.enabled(), b.subjects()]).toEqual([false, [WARNING, OFF]]);
  });

  it("and succeeds once in five days stays on, and is warned of anew", async () => {
    const b = await failing();
    await traffic(b, 4 * DAY, 6 * HOUR);
    b.answerWebhooks(200);
    await b.submit(b.form, { fields: { n: "ok" } });
    await b.clock.advance(1);
    b.answerWebhooks(500);
    await traffic(b, 4 * DAY, 6 * HOUR);
    expect([await b.enabled(), b.subjects()]).toEqual([true, [WARNING, WARNING]]);
  });

  it("is not turned off by silence, nor at the first failure after it", async () => {
    const b = await failing();
    await b.submit(b.form, { fields: { n: "1" } });
    await b.clock.advance(20 * DAY);
    expect(await b.enabled()).toBe(true);
    await b.submit(b.form, { fields: { n: "2" } });
    await b.clock.advance(23 * HOUR);
    expect([await b.enabled(), b.subjects()]).toEqual([true, [WARNING]]);
    await b.clock.advance(DAY);
    expect([await b.enabled(), b.subjects()]).toEqual([true, [WARNING, WARNING]]);
  });

  it("starts anew when it is turned on again, or gets another URL", async () => {
    const b = await failing();
    await traffic(b, 6 * DAY, 6 * HOUR);
    expect(await b.enabled()).toBe(false);
    await b.webhooks.update(b.form, b.webhook, { enabled: true });
    await traffic(b, 23 * HOUR, HOUR);
    expect([await b.enabled(), b.subjects()]).toEqual([true, [WARNING, OFF]]);
    await b.webhooks.update(b.form, b.webhook, { url: "https://other.example.com/" });
    await traffic(b, 23 * HOUR, HOUR);
    expect(b.subjects()).toEqual([WARNING, OFF]);
    await traffic(b, 2 * HOUR, HOUR);
    expect(b.subjects()).toEqual([WARNING, OFF, WARNING]);
  });

  it("is turned off without a mail where nobody knows the owner's address", async () => {
    const b = await failing({}, null);
    await traffic(b, 6 * DAY, 6 * HOUR);
    expect([await b.enabled(), b.mails.length, b.disabled.length]).toEqual([false, 0, 1]);
  });

  it("is not to blame for our own faults", async () => {
    const storage = memoryStorage();
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const first = await failing({ storage, clock });
    const second = harness({ storage, clock, logger: silent, secret: "another secret, so that nothing sealed opens" });
    await first.submit(first.form, { fields: { n: "1" } });
    await second.clock.advance(80 * HOUR);
    const [job] = await second.jobs.list({ form_id: first.form, kind: "webhook" });
    expect(job).toMatchObject({ status: "failed", code: "ERROR_WEBHOOK_INTERNAL" });
    expect([second.mails.length, first.mails.length, await first.enabled()]).toEqual([0, 0, true]);
  });
});

describe("410 Gone", () => {
  it("turns the webhook off at once; a redelivery to it changes and mails nothing more", async () => {
    const b = await failing();
    b.answerWebhooks(410);
    const { id } = await b.submit(b.form, { fields: { n: "1" } });
    await b.tick();
    expect([await b.enabled(), b.subjects()]).toEqual([false, [OFF]]);
    expect(b.disabled).toEqual([{ form_id: b.form, webhook_id: b.webhook, reason: "The receiver returned 410 Gone." }]);
    await b.deliveries.redeliver(b.form, b.webhook, id);
    await b.tick();
    expect([b.webhookCalls.length, b.subjects().length, b.disabled.length]).toEqual([2, 1, 1]);
    const calls = b.webhookCalls.length;
    b.answerWebhooks(500);
    await b.deliveries.redeliver(b.form, b.webhook, id);
    await b.clock.advance(80 * HOUR);
    expect(b.webhookCalls.length).toBeGreaterThan(calls + 10);
    expect([b.subjects().length, b.disabled.length]).toEqual([1, 1]);
  });

  it("of many at once is one event and one mail", async () => {
    const b = await failing();
    b.answerWebhooks(410);
    for (let i = 0; i < 30; i++) await b.submit(b.form, { fields: { n: String(i) } });
    await b.tick();
    expect([b.subjects(), b.disabled.length]).toEqual([[OFF], 1]);
  });
});

describe("the mail to the owner", () => {
  it("says what failed since when, names the host but not the URL, which may hold a password", async () => {
    const b = await failing();
    await traffic(b, 6 * DAY, 6 * HOUR);
    const [warning, off] = b.mails;
    expect(warning).toMatchObject({ to: { address: OWNER }, headers: { "Auto-Submitted": "auto-generated" } });
    expect(warning?.text).toContain(
      "Every delivery to hooks.example.com has failed since 1 January 2026 at 00:00 UTC. The latest attempt ended with ERROR_WEBHOOK_HTTP_5XX (HTTP 503).",
    );
    expect(off?.text).toContain("turned off");
    for (const mail of [warning, off]) {
      expect(mail?.text).toContain(`Webhook ${b.webhook}: CRM`);
      expect(mail?.html).toContain("hooks.example.com");
      expect(`${mail?.text}${mail?.html}`).not.toContain("s3cret");
    }
    expect(warning?.messageId).not.toBe(off?.messageId);
  });

  it("outlives a mail server that is down, and is not sent once the webhook works again", async () => {
    const mailer = memoryMailer();
    const b = await failing({ mailer });
    let down = true;
    mailer.fail = () => (down ? new MailError("ERROR_EMAIL_CONNECTION", "refused", { temporary: true }) : undefined);
    await traffic(b, 26 * HOUR);
    const notices = () => b.jobs.list({ form_id: b.form, kind: "webhook_notice" });
    expect(await notices()).toMatchObject([{ status: "retrying", target: OWNER, webhook_id: b.webhook }]);
    down = false;
    await b.clock.advance(3 * HOUR);
    expect(mailer.sent.map(({ subject }) => subject)).toEqual([WARNING]);

    b.answerWebhooks(200);
    await traffic(b, 2 * HOUR);
    b.answerWebhooks(500);
    down = true;
    await traffic(b, 26 * HOUR);
    b.answerWebhooks(200);
    await traffic(b, 2 * HOUR);
    down = false;
    await b.clock.advance(9 * HOUR);
    expect(mailer.sent).toHaveLength(1);
    expect((await notices())[0]).toMatchObject({ status: "skipped", code: "SKIPPED_WEBHOOK_RECOVERED" });
  });
});

describe.each(["memory", "sqlite"])("with three processes on one store (%s)", (name) => {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-health-"));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("each warning, each event and each mail happens once", async () => {
    const one = memoryStorage();
    const storage = (): StorageDriver => (name === "memory" ? one : sqliteStorage({ path: join(dir, "forms.db") }));
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const mailer = memoryMailer();
    const b = await failing({ storage: storage(), clock, mailer });
    const processes = [
      b,
      harness({ storage: storage(), clock, mailer }),
      harness({ storage: storage(), clock, mailer }),
    ];
    let disabled = 0;
    for (const process of processes) {
      process.answerWebhooks(500);
      process.on("webhook.disabled", () => void disabled++);
    }
    for (let hours = 0; hours < 130; hours += 5) {
      for (let i = 0; i < 6; i++) await b.submit(b.form, { fields: { n: String(i) } });
      await Promise.all(processes.map((process) => process.tick()));
      clock.set(clock.now() + 5 * HOUR);
      await Promise.all(processes.map((process) => process.tick()));
      // Each comes first in its turn, so that each has its share whatever the machine does.
      processes.push(...processes.splice(0, 1));
    }
    expect(await b.enabled()).toBe(false);
    expect(mailer.sent.map(({ subject }) => subject)).toEqual([WARNING, OFF]);
    expect(disabled).toBe(1);
    const sent = processes.reduce((sum, { webhookCalls }) => sum + webhookCalls.length, 0);
    const tried = (await b.jobs.list({ form_id: b.form, kind: "webhook" })).filter(({ attempt }) => attempt > 0);
    expect(tried.length).toBeGreaterThan(100);
    expect(
      tried.reduce((sum, { attempt }) => sum + attempt, 0),
      "no result was lost",
    ).toBe(sent);
    expect(new Set(tried.map(({ occurred_at }) => occurred_at)).size).toBe(tried.length);
    for (const process of processes) expect(process.webhookCalls.length).toBeGreaterThan(sent / 10);

    await b.webhooks.update(b.form, b.webhook, { enabled: true });
    for (const process of processes) process.answerWebhooks(410);
    for (let i = 0; i < 30; i++) await b.submit(b.form, { fields: { n: String(i) } });
    await Promise.all(processes.map((process) => process.tick()));
    await Promise.all(processes.map((process) => process.tick()));
    expect([mailer.sent.length, disabled]).toEqual([3, 2]);
    for (const process of processes) await process.close();
  });
});
