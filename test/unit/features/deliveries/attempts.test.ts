import { describe, expect, it } from "vitest";
import { put } from "../../../../src/core/rows.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver, Stored } from "../../../../src/drivers/storage/types.ts";
import { type Attempt, withAttempt } from "../../../../src/model/attempts.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import { harness } from "../../../_support/backend.ts";

const HOUR = 3_600_000;

async function world(storage: StorageDriver = memoryStorage()) {
  const mailer = memoryMailer();
  const b = harness({ storage, mailer, rateLimit: false });
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["owner@example.com"] } });
  const { id } = await b.submit(form.id, { fields: { text: "Hello" } });
  const [job] = await b.jobs.list({ submission_id: id });
  const job_id = job?.id as string;
  return {
    b,
    form,
    job_id,
    attempts: async (): Promise<Attempt[]> => (await b.jobs.get(job_id)).attempts,
    fails: (message: string, temporary = true) => {
      mailer.fail = () =>
        new MailError(temporary ? "ERROR_EMAIL_SMTP_4XX" : "ERROR_EMAIL_SMTP_5XX", message, { temporary });
    },
    works: () => {
      mailer.fail = () => undefined;
    },
  };
}

describe.each<[string, () => StorageDriver]>([
  ["memory", memoryStorage],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("the attempts of a delivery, in %s", (_, storageOf) => {
  it("are kept as they ended, oldest first, and go on when it is sent again", async () => {
    const { b, form, job_id, attempts, fails, works } = await world(storageOf());
    expect(await attempts()).toEqual([]);
    fails("450 later");
    await b.tick();
    fails("550 no such mailbox", false);
    await b.clock.advance(HOUR);
    await b.tick();
    works();
    await b.jobs.retry(job_id);
    expect(await attempts()).toHaveLength(2);
    await b.tick();
    const all = await attempts();
    expect(all).toEqual([
      {
        at: expect.any(String),
        ms: expect.any(Number),
        status: "retrying",
        code: "ERROR_EMAIL_SMTP_4XX",
        message: "450 later",
      },
      {
        at: expect.any(String),
        ms: expect.any(Number),
        status: "failed",
        code: "ERROR_EMAIL_SMTP_5XX",
        message: "550 no such mailbox",
      },
      { at: expect.any(String), ms: expect.any(Number), status: "succeeded", code: "SUCCESS" },
    ]);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort());
    const { attempt, occurred_at } = await b.jobs.get(job_id);
    expect([attempt, occurred_at]).toEqual([3, all[2]?.at]);
    expect((await b.jobs.list({ form_id: form.id }))[0]?.attempts).toEqual(all);
    expect((await b.jobs.page({ form_id: form.id })).data[0]?.attempts).toEqual(all);
    const { text } = await b.call("GET", `/v1/forms/${form.id}/emails`);
    expect(text).toContain(job_id);
    expect(text).not.toContain("attempts");
  });

  it("are at most 12, and the number of all goes on", async () => {
    const { b, job_id, attempts, fails } = await world(storageOf());
    fails(`450 ${"later ".repeat(100)}`);
    for (let i = 0; i < 14; i++) {
      await b.jobs.retry(job_id);
      await b.tick();
      await b.clock.advance(1_000);
    }
    const all = await attempts();
    const { attempt } = await b.jobs.get(job_id);
    expect(attempt).toBeGreaterThanOrEqual(14);
    expect(all).toHaveLength(12);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort());
    expect(all.map(({ message }) => message?.length)).toEqual(Array.from({ length: 12 }, () => 200));
  });

  it("are none in a record of before they were kept, which is delivered as ever", async () => {
    const storage = storageOf();
    const { b, job_id, attempts } = await world(storage);
    const row = (await storage.get("jobs", [job_id])).get(job_id) as unknown as Stored<JobRecord>;
    const { attempts: _, ...before } = row.value;
    await storage.commit([put("jobs", job_id, { ...before, attempt: 4 }, row.version)]);
    expect(await attempts()).toEqual([]);
    await b.tick();
    expect(await attempts()).toMatchObject([{ status: "succeeded", code: "SUCCESS" }]);
    expect((await b.jobs.get(job_id)).attempt).toBe(5);
  });
});

it("a webhook's attempt tells what was answered and how long it took, and one that was skipped is none", async () => {
  const b = harness({ rateLimit: false });
  const form = await b.forms.create({ name: "A" });
  const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
  const { id } = await b.submit(form.id, { fields: { text: "Hello" } });
  await b.tick();
  const [job] = await b.jobs.list({ submission_id: id });
  expect(job?.attempts).toEqual([
    { at: job?.occurred_at, ms: expect.any(Number), status: "succeeded", code: "SUCCESS", http_status: 200 },
  ]);
  const later = await b.submit(form.id, { fields: { text: "Once more" } });
  await b.webhooks.update(form.id, webhook.id, { enabled: false });
  await b.tick();
  expect((await b.jobs.list({ submission_id: later.id }))[0]).toMatchObject({ status: "skipped", attempts: [] });
  expect((await b.call("GET", `/v1/forms/${form.id}/webhooks/${webhook.id}/deliveries`)).text).not.toContain(
    "attempts",
  );
});

it("cuts no character in two", () => {
  const [one] = withAttempt([], {
    at: "2026-01-01T00:00:00.000Z",
    ms: 1,
    status: "failed",
    code: "X",
    http_status: undefined,
    message: `${"a".repeat(199)}😀`,
  });
  expect(one?.message?.isWellFormed()).toBe(true);
  expect(one).not.toHaveProperty("http_status");
});
