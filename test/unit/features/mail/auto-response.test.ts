import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCaches } from "../../../../src/core/caches.ts";
import { createRecordReader } from "../../../../src/core/record-reader.ts";
import { createRows } from "../../../../src/core/rows.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { toSecret } from "../../../../src/lib/secrets.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { closing } from "./_mail.ts";

const HOUR = 60 * 60_000;

async function formOf(backend: Harness, more: object = {}): Promise<string> {
  const { id } = await backend.forms.create({
    name: "Contact",
    spam: { protection: false },
    self_email_notification: { recipients: [] },
    auto_response: { enabled: true, ...more },
  });
  return id;
}
const post = (backend: Harness, form: string, fields: Record<string, string>) =>
  backend.post(form, { message: "hi", ...fields });
const codes = async (backend: Harness) =>
  (await backend.jobs.list({ kind: "auto_response" })).map(({ code }) => code).sort();

test("goes to the submitted address, marked as automatic, with the message and its tags", async () => {
  const backend = closing(harness({ from: "Example <forms@example.net>" }));
  const form = await formOf(backend, {
    subject: "Thanks, {{name}}",
    template: { message: "Dear {{name | guest}},\n\nwe got “{{message}}”." },
  });
  await post(backend, form, { email: "Ada@Example.com", name: "Ada <i>" });
  await backend.tick();
  expect(backend.mails).toHaveLength(1);
  expect(backend.mails[0]).toMatchObject({
    to: { address: "Ada@Example.com" },
    from: { name: "Example", address: "forms@example.net" },
    subject: "Thanks, Ada <i>",
    headers: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
  });
  expect(backend.mails[0]?.replyTo).toBeUndefined();
  expect(backend.mails[0]?.text).toMatch(/^Dear Ada <i>,\n\nwe got “hi”\.\n\n-- \nThis is an automatic reply/);
  expect(backend.mails[0]?.html).toContain("Dear Ada &lt;i&gt;,<br>\n<br>\nwe got “hi”.");
});

test("only to one valid address, and never for spam", async () => {
  const backend = closing(harness());
  const form = await formOf(backend);
  for (const email of [
    "ada",
    "a@b.example, c@d.example",
    "a@b.example\nBcc: c@d.example",
    "Ada <ada@example.com>",
    "",
    "a@localhost",
  ])
    await post(backend, form, { email });
  await backend.post(form, "email=a@example.com&email=b@example.com&message=two");
  await backend.post(form, "email=a@example.com&_replyto=nonsense&message=x");
  await backend.post(form, "email=spam@example.com&message=x&_gotcha=y");
  await backend.post(form, "email=a@example.com&_replyto=b@example.com&message=x");
  await backend.tick();
  expect(backend.mails.map(({ to }) => to.address)).toEqual(["b@example.com"]);
  expect(await codes(backend)).toEqual(["SKIPPED_SPAM", "SUCCESS"]);
});

test("at most three an hour to one address, however it is written and from whichever form", async () => {
  const backend = closing(harness({ rateLimit: false }));
  const forms = [await formOf(backend), await formOf(backend)];
  const spellings = ["ada@example.com", "ADA@example.com", "ada@EXAMPLE.com", "ada+1@example.com", "ada+2@example.com"];
  for (const [n, email] of spellings.entries()) await post(backend, forms[n % 2] ?? "", { email });
  for (let n = 0; n < 5; n++) await post(backend, forms[0] ?? "", { email: `bob${n}@example.com` });
  const domains = [
    "bücher.example",
    "xn--bcher-kva.example",
    "BÜCHER.example",
    "bü\u00adcher.example",
    "ｂüｃｈｅｒ.example",
  ];
  for (const domain of domains) await post(backend, forms[0] ?? "", { email: `eve@${domain}` });
  for (const dots of ["c.y@gmail.com", "cy@gmail.com", "cy@googlemail.com", "c.y+1@gmail.com"])
    await post(backend, forms[0] ?? "", { email: dots });
  await backend.tick();
  const sent = backend.mails.map(({ to }) => to.address);
  expect(sent.filter((to) => /^ada/i.test(to))).toHaveLength(3);
  expect(sent.filter((to) => /^bob/.test(to))).toHaveLength(5);
  expect(sent.filter((to) => /^eve/.test(to))).toHaveLength(3);
  expect(sent.filter((to) => /^c/.test(to))).toHaveLength(3);
  expect((await codes(backend)).filter((code) => code === "SKIPPED_RECIPIENT_RATE_LIMITED")).toHaveLength(2 + 2 + 1);

  await backend.clock.advance(HOUR - 1);
  await post(backend, forms[0] ?? "", { email: "ada@example.com" });
  await backend.tick();
  expect(backend.mails).toHaveLength(14);
  await backend.clock.advance(1);
  for (let n = 0; n < 4; n++) await post(backend, forms[0] ?? "", { email: "ada@example.com" });
  await backend.tick();
  expect(backend.mails).toHaveLength(17);
});

test("another attempt of one reply takes no second place, and counts from when it was made", async () => {
  const mailer = memoryMailer();
  const backend = closing(harness({ mailer }));
  const form = await formOf(backend);
  mailer.fail = () => new MailError("ERROR_EMAIL_SMTP_4XX", "450 later", { temporary: true, status: 450 });
  for (let n = 0; n < 3; n++) await post(backend, form, { email: "ada@example.com" });
  await backend.clock.advance(50 * 60_000);
  const attempts = (await backend.jobs.list({ kind: "auto_response" })).map(({ attempt }) => attempt);
  expect(Math.min(...attempts)).toBeGreaterThanOrEqual(5);
  mailer.fail = undefined;
  await backend.clock.advance(2 * HOUR);
  expect(await codes(backend)).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
  const last = Math.max(...mailer.sent.map(({ date }) => date));
  await backend.clock.advance(Math.max(0, last + HOUR - 1_000 - backend.clock.now()));
  const withinHour = mailer.sent.filter(({ date }) => date > backend.clock.now() - HOUR).length;
  for (let n = 0; n < 4; n++) await post(backend, form, { email: "ada@example.com" });
  await backend.tick();
  expect(mailer.sent).toHaveLength(6 - withinHour);
});

test("processes that share a store count together", async () => {
  const dir = await mkdtemp(join(tmpdir(), "form-backend-replies-"));
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const backends = [0, 1].map(() =>
    closing(harness({ storage: sqliteStorage({ path: join(dir, "forms.db") }), clock, rateLimit: false })),
  ) as [Harness, Harness];
  const form = await formOf(backends[0]);
  for (let n = 0; n < 8; n++) await post(backends[n % 2] ?? backends[0], form, { email: "ada@example.com" });
  await Promise.all(backends.map((backend) => backend.tick()));
  expect(backends.flatMap(({ mails }) => mails)).toHaveLength(3);
  expect((await codes(backends[0])).filter((code) => code === "SUCCESS")).toHaveLength(3);
  await Promise.all(backends.map((backend) => backend.close()));
  await rm(dir, { recursive: true });
});

test("the store keeps no address for the count", async () => {
  const backend = closing(harness());
  const form = await formOf(backend, {});
  await post(backend, form, { email: "ada@example.com" });
  await backend.tick();
  expect(backend.mails).toHaveLength(1);
  const { mayReply } = await import("../../../../src/features/mail/reply-guard.ts");
  const ids: string[] = [];
  const storage = {
    ...memoryStorage(),
    get: async (_: string, [id]: readonly string[]) => {
      ids.push(id ?? "");
      return new Map();
    },
    commit: async () => {},
  };
  const clock = testClock(0);
  const rows = createRows(storage, createCaches(clock), createRecordReader(console));
  const options = { secrets: [toSecret("a secret for tests that is long enough")] };
  const core = { options, clock, storage, rows, commitNow: storage.commit };
  await mayReply(core as never, "msg_1", "ada@example.com");
  await mayReply(core as never, "msg_2", "Ada+x@Example.com");
  expect(ids[0]).toMatch(/^reply:[0-9a-f]{64}$/);
  expect(ids[1]).toBe(ids[0]);
});
