import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { MailError } from "../../../../src/index.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { closing } from "./_mail.ts";

const HOUR = 60 * 60_000;
const form = async (b: Harness, more: object = {}) =>
  (
    await b.forms.create({
      name: "Contact",
      spam: { protection: false },
      self_email_notification: { recipients: ["owner@example.com"] },
      ...more,
    })
  ).id;
async function flood(b: Harness, id: string, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) await b.post(id, { message: `message no. ${n};` });
  await b.tick();
}
const numbersIn = (texts: readonly string[]) =>
  texts.flatMap((text) => [...text.matchAll(/message no\. (\d+);/g)].map(([, n]) => Number(n))).sort((a, b) => a - b);
const upTo = (n: number) => Array.from({ length: n }, (_, at) => at);
const ended = async (b: Harness, id: string) =>
  new Set((await b.jobs.list({ form_id: id })).map(({ status, code, attempt }) => `${status} ${code} ${attempt}`));

it("sends 60 notifications an hour to one mailbox and the rest as one mail, of which nothing is lost", async () => {
  const b = closing(harness({ rateLimit: false }));
  const ids = [await form(b), await form(b, { self_email_notification: { recipients: ["Owner+x@EXAMPLE.com"] } })];
  await flood(b, ids[0] ?? "", 0, 50);
  await flood(b, ids[1] ?? "", 50, 150);
  expect(b.mails).toHaveLength(60);
  expect(await b.jobs.list({ form_id: ids[1] ?? "", status: "pending" })).toHaveLength(90);
  await b.clock.advance(HOUR - 1);
  expect(b.mails).toHaveLength(60);
  await b.clock.advance(1);
  expect(b.mails).toHaveLength(61);
  const summary = b.mails.at(-1);
  expect(summary).toMatchObject({ subject: "90 new submissions", from: { address: b.mails[0]?.from.address } });
  expect(summary?.text).toContain("Contact, 1 January 2026 at 00:00 UTC\nmessage: message no. 60;");
  expect(numbersIn(b.mails.map(({ text }) => text))).toEqual(upTo(150));
  for (const id of ids) expect(await ended(b, id)).toEqual(new Set(["succeeded SUCCESS 1"]));
});

it("sends one summary an hour while the flood lasts, and single mails once it is over", async () => {
  const b = closing(harness({ rateLimit: false }));
  const id = await form(b);
  let sent = 0;
  for (let hour = 0; hour < 4; hour++) {
    await flood(b, id, hour * 100, hour * 100 + 100);
    await b.clock.advance(HOUR);
    expect(b.mails.length - sent).toBeLessThanOrEqual(61);
    sent = b.mails.length;
  }
  await b.clock.advance(2 * HOUR);
  expect(numbersIn(b.mails.map(({ text }) => text))).toEqual(upTo(400));
  const before = b.mails.length;
  await flood(b, id, 400, 401);
  expect(b.mails.slice(before).map(({ subject }) => subject)).toEqual(["New submission: Contact"]);
});

it("counts over processes, and what waits is in the store: the next process sends it", async () => {
  const dir = await mkdtemp(join(tmpdir(), "form-backend-owner-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, "forms.db");
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const open = () => closing(harness({ storage: sqliteStorage({ path }), clock, rateLimit: false }));
  const [a, b] = [open(), open()];
  const id = await form(a);
  for (let n = 0; n < 80; n++) await (n % 2 ? a : b).post(id, { message: `message no. ${n};` });
  await Promise.all([a.tick(), b.tick()]);
  expect(a.mails.length + b.mails.length).toBe(60);
  // Neither runs any more, as if both had been killed.
  const c = open();
  await c.clock.advance(HOUR);
  const mails = [...a.mails, ...b.mails, ...c.mails];
  expect(mails).toHaveLength(61);
  expect(numbersIn(mails.map(({ text }) => text))).toEqual(upTo(80));
  expect(await ended(c, id)).toEqual(new Set(["succeeded SUCCESS 1"]));
});

it("ends each delivery as the summary ends: retried with it, failed with it", async () => {
  const mailer = memoryMailer();
  const b = closing(harness({ rateLimit: false, mailer }));
  const id = await form(b);
  await flood(b, id, 0, 63);
  let tries = 0;
  mailer.fail = () =>
    ++tries === 1
      ? new MailError("ERROR_EMAIL_SMTP_4XX", "451 later", { temporary: true })
      : new MailError("ERROR_EMAIL_SMTP_5XX", "550 no such user", { temporary: false });
  await b.clock.advance(HOUR);
  expect(tries).toBe(1);
  expect(await b.jobs.list({ form_id: id, status: "pending" })).toHaveLength(3);
  await b.clock.advance(5 * 60_000);
  expect(tries).toBe(2);
  const failed = await b.jobs.list({ form_id: id, status: "failed" });
  expect(failed.map(({ code, message }) => [code, message])).toEqual(
    Array(3).fill(["ERROR_EMAIL_SMTP_5XX", "550 no such user"]),
  );
});

it("counts a mail once that is sent again: the retry after the sixtieth goes alone", async () => {
  const mailer = memoryMailer();
  const b = closing(harness({ rateLimit: false, mailer }));
  const id = await form(b);
  let tries = 0;
  mailer.fail = () =>
    ++tries === 1 ? new MailError("ERROR_EMAIL_SMTP_4XX", "451 later", { temporary: true }) : undefined;
  await flood(b, id, 0, 60);
  expect(mailer.sent).toHaveLength(59);
  await b.clock.advance(5 * 60_000);
  expect(numbersIn(mailer.sent.map(({ text }) => text))).toEqual(upTo(60));
  expect(mailer.sent.map(({ subject }) => subject).filter((subject) => subject !== mailer.sent[0]?.subject)).toEqual(
    [],
  );
});

it("runs again where the process ends between the mail and what it settles", async () => {
  const storage = memoryStorage();
  let breaks = false;
  const breaking: StorageDriver = {
    ...storage,
    async commit(writes) {
      if (breaks && writes.some((write) => write.op === "put" && "result" in write.value)) throw new Error("gone");
      return storage.commit(writes);
    },
  };
  const b = closing(harness({ storage: breaking, rateLimit: false, logger: silent }));
  const id = await form(b);
  await flood(b, id, 0, 70);
  breaks = true;
  await b.clock.advance(HOUR);
  breaks = false;
  expect((await b.jobs.list({ form_id: id, status: "pending" })).length).toBe(10);
  await b.clock.advance(10 * 60_000);
  expect(await ended(b, id)).toEqual(new Set(["succeeded SUCCESS 1"]));
  // Sent twice under one Message-ID, by which mail programs show it once.
  expect(new Set(b.mails.slice(60).map(({ messageId }) => messageId)).size).toBe(1);
});

it("leaves out what was deleted or is not wanted any more, and says nothing where nothing is left", async () => {
  const b = closing(harness({ rateLimit: false }));
  const id = await form(b);
  await flood(b, id, 0, 62);
  await b.forms.update(id, { self_email_notification: { recipients: [] } });
  await b.clock.advance(HOUR);
  expect(b.mails).toHaveLength(60);
  expect(await ended(b, id)).toEqual(new Set(["succeeded SUCCESS 1", "skipped SKIPPED_NO_RECIPIENT 0"]));
});

it("counts what has no room in it where that is stored, and keeps for the next what is nowhere else", async () => {
  const b = closing(harness({ rateLimit: false }));
  const stored = await form(b);
  const transient = await form(b, { storage: { store_submissions: false } });
  await flood(b, stored, 0, 60);
  const big = "x".repeat(60_000);
  for (let n = 60; n < 66; n++) await b.post(stored, { message: `message no. ${n};`, big });
  for (let n = 66; n < 72; n++) await b.post(transient, { message: `message no. ${n};`, big });
  await b.tick();
  await b.clock.advance(HOUR);
  expect(b.mails.filter(({ subject }) => /new submissions/.test(subject))).toHaveLength(1);
  const summary = b.mails.find(({ subject }) => /new submissions/.test(subject));
  expect(summary?.text).toMatch(/more of “Contact” had no room here/);
  expect(Buffer.byteLength(summary?.text ?? "")).toBeLessThan(300 * 1024);
  await b.clock.advance(3 * HOUR);
  const told = numbersIn(b.mails.map(({ text }) => text));
  for (let n = 66; n < 72; n++) expect(told).toContain(n);
  expect(new Set(told).size).toBe(told.length);
  expect(await ended(b, transient)).toEqual(new Set(["succeeded SUCCESS 1"]));
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };
