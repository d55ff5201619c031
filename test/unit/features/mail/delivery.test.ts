import { describe, expect, test } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import type { Mail } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";
import { type SmtpFault, type SmtpStep, startSmtpServer } from "../../../_support/smtp.ts";
import { byRecipient, closing, mailing } from "./_mail.ts";

const OWNERS = ["ann@example.com", "bob@example.com", "cy@example.com"];
const MINUTE = 60_000;

/** What happens at `stage` to the mails for one of the recipients. */
function faultFor(recipient: string, stage: SmtpStep["stage"], fault: SmtpFault) {
  const current = new Map<number, string>();
  return (step: SmtpStep) => {
    if (step.stage === "rcpt") current.set(step.connection, step.address ?? "");
    return step.stage === stage && current.get(step.connection) === recipient ? fault : undefined;
  };
}

interface Case {
  name: string;
  stage: SmtpStep["stage"];
  fault: SmtpFault;
  /** After the first attempt; `null` = delivered at once. */
  job: Record<string, unknown> | null;
  /** Whether it arrives once the server is well again. */
  recovers: boolean;
}

const retrying = (code: string, more: object = {}) => ({ status: "retrying", code, attempt: 1, ...more });
const failed = (code: string, more: object = {}) => ({ status: "failed", code, attempt: 1, ...more });
const cases: Case[] = [
  {
    name: "421 at RCPT",
    stage: "rcpt",
    fault: { reply: 421 },
    job: retrying("ERROR_EMAIL_SMTP_4XX", { http_status: 421 }),
    recovers: true,
  },
  {
    name: "450 greylisting",
    stage: "rcpt",
    fault: { reply: 450 },
    job: retrying("ERROR_EMAIL_SMTP_4XX", { http_status: 450 }),
    recovers: true,
  },
  {
    name: "451 after DATA",
    stage: "data",
    fault: { reply: 451 },
    job: retrying("ERROR_EMAIL_SMTP_4XX", { http_status: 451 }),
    recovers: true,
  },
  {
    name: "535",
    stage: "rcpt",
    fault: { reply: 535 },
    job: retrying("ERROR_EMAIL_AUTH", { http_status: 535 }),
    recovers: true,
  },
  {
    name: "550",
    stage: "rcpt",
    fault: { reply: 550 },
    job: failed("ERROR_EMAIL_SMTP_5XX", { http_status: 550 }),
    recovers: false,
  },
  {
    name: "554 after DATA",
    stage: "data",
    fault: { reply: 554 },
    job: failed("ERROR_EMAIL_SMTP_5XX", { http_status: 554 }),
    recovers: false,
  },
  {
    name: "a hang after DATA",
    stage: "data",
    fault: "hang",
    job: retrying("ERROR_EMAIL_TIMEOUT", { node_error_code: "ETIMEDOUT" }),
    recovers: true,
  },
  {
    name: "a cut before the 250",
    stage: "data",
    fault: "drop",
    job: retrying("ERROR_EMAIL_CONNECTION"),
    recovers: true,
  },
  { name: "a cut after the 250", stage: "data", fault: "drop-after-250", job: null, recovers: true },
];

describe("a fault for one of three recipients", () => {
  test.each(cases)("$name: the others get exactly one mail", async ({ stage, fault, job, recovers }) => {
    const server = await startSmtpServer({ script: faultFor("bob@example.com", stage, fault) });
    const backend = mailing(server, {
      socketTimeout: fault === "hang" ? 300 : 20_000,
      auth: { user: "ann", pass: "secret" },
    });
    try {
      const failures: unknown[] = [];
      backend.on("email.failed", (delivery) => void failures.push(delivery));
      const form = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: OWNERS } });
      await backend.submit(form.id, { fields: { message: "hello" } });
      await backend.tick();

      const jobs = async () => {
        const found = await backend.jobs.list({ form_id: form.id });
        return Object.fromEntries(found.map((one) => [one.target, one]));
      };
      const first = await jobs();
      const sent = { status: "succeeded", code: "SUCCESS", attempt: 1 };
      expect(first).toMatchObject({ "ann@example.com": sent, "bob@example.com": job ?? sent, "cy@example.com": sent });
      expect(failures).toHaveLength(job?.["status"] === "failed" ? 1 : 0);

      server.script = () => undefined;
      await backend.clock.advance(5 * MINUTE);
      const last = await jobs();
      expect(last["bob@example.com"]).toMatchObject(
        recovers ? { status: "succeeded", code: "SUCCESS", attempt: job ? 2 : 1 } : (job ?? {}),
      );
      // Whoever had it got it once, under the Message-ID of the delivery.
      const received = byRecipient(server.messages);
      const expected = recovers ? OWNERS : OWNERS.filter((owner) => owner !== "bob@example.com");
      expect(Object.keys(received).sort()).toEqual(expected);
      for (const owner of expected) {
        expect(received[owner], owner).toHaveLength(1);
        expect(received[owner]?.[0]?.messageId).toBe(`${last[owner]?.id}@localhost`);
        expect(received[owner]?.[0]?.to.map(({ address }) => address)).toEqual([owner]);
      }
    } finally {
      await server.close();
    }
  });
});

describe("faults of the whole server", () => {
  test("a refused login is retried for everybody, and each gets one mail when it works again", async () => {
    const server = await startSmtpServer({ script: (step) => (step.stage === "auth" ? { reply: 535 } : undefined) });
    const backend = mailing(server, { auth: { user: "ann", pass: "old" } });
    const form = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: OWNERS } });
    await backend.submit(form.id, { fields: { message: "hello" } });
    await backend.clock.advance(3 * MINUTE);
    for (const job of await backend.jobs.list({ form_id: form.id }))
      expect(job).toMatchObject({ status: "retrying", code: "ERROR_EMAIL_AUTH", http_status: 535 });
    server.script = () => undefined;
    await backend.clock.advance(60 * MINUTE);
    expect(
      Object.entries(byRecipient(server.messages))
        .map(([to, mails]) => [to, mails.length])
        .sort(),
    ).toEqual(OWNERS.map((owner) => [owner, 1]));
    await server.close();
  });

  test("STARTTLS is used where the server demands it", async () => {
    const server = await startSmtpServer({ tls: "required" });
    const backend = mailing(server, { host: "localhost", tls: { ca: server.certificate } });
    const form = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: OWNERS } });
    await backend.submit(form.id, { fields: { message: "hello" } });
    await backend.tick();
    expect(server.messages.map(({ secure }) => secure)).toEqual([true, true, true]);
    await server.close();
  });

  test("a mail that must go over TLS waits while the server offers none", async () => {
    const server = await startSmtpServer();
    const backend = mailing(server, { requireTLS: true });
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["ann@example.com"] },
    });
    await backend.submit(form.id, { fields: { message: "hello" } });
    await backend.tick();
    expect(await backend.jobs.list({ form_id: form.id })).toMatchObject([
      { status: "retrying", code: "ERROR_EMAIL_TLS" },
    ]);
    expect(server.messages).toEqual([]);
    await server.close();
  });

  test("a server that is down for two hours costs no mail and sends none twice", async () => {
    const probe = await startSmtpServer();
    const { port } = probe;
    await probe.close();
    const backend = mailing(probe);
    const form = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: OWNERS } });
    for (const message of ["one", "two"]) await backend.submit(form.id, { fields: { message } });
    await backend.clock.advance(120 * MINUTE);
    for (const job of await backend.jobs.list({ form_id: form.id }))
      expect(job).toMatchObject({
        status: "retrying",
        code: "ERROR_EMAIL_CONNECTION",
        node_error_code: "ECONNREFUSED",
      });
    const server = await startSmtpServer({ port });
    await backend.clock.advance(5 * 60 * MINUTE);
    expect(server.messages).toHaveLength(6);
    expect(new Set(server.messages.map(({ messageId }) => messageId)).size).toBe(6);
    await server.close();
  });
});

test("every attempt hands over the same mail, but for its date; after 72 hours it is given up", async () => {
  const mailer = memoryMailer();
  const attempts: Mail[] = [];
  mailer.fail = (mail) => {
    attempts.push(mail);
    return new MailError("ERROR_EMAIL_SMTP_4XX", "450 later", { temporary: true, status: 450 });
  };
  const backend = closing(harness({ mailer }));
  const form = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["ann@example.com"] },
  });
  await backend.submit(form.id, { fields: { message: "hello" } });
  await backend.clock.advance(80 * 60 * MINUTE);
  expect(attempts.length).toBeGreaterThanOrEqual(16);
  expect(new Set(attempts.map(({ date: _, ...mail }) => JSON.stringify(mail))).size).toBe(1);
  expect(new Set(attempts.map(({ date }) => date)).size).toBe(attempts.length);
  expect(await backend.jobs.list({ form_id: form.id })).toMatchObject([
    { status: "failed", code: "ERROR_EMAIL_SMTP_4XX", attempt: attempts.length, message: "450 later" },
  ]);
});

describe("a mail that stopped being wanted is not sent", () => {
  async function waiting(more: object = {}) {
    const mailer = memoryMailer();
    mailer.fail = () => new MailError("ERROR_EMAIL_SMTP_4XX", "450 later", { temporary: true, status: 450 });
    const backend = closing(harness({ mailer }));
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["Ann@example.com", "bob@example.com"] },
      ...more,
    });
    await backend.submit(form.id, { fields: { email: "ada@example.com" } });
    await backend.tick();
    mailer.fail = undefined;
    const outcome = async () => {
      await backend.clock.advance(MINUTE);
      const jobs = await backend.jobs.list({ form_id: form.id });
      return Object.fromEntries(jobs.map(({ target, code }) => [target, code]));
    };
    return { backend, mailer, form, outcome };
  }

  test("to a recipient who was taken off the list", async () => {
    const { backend, form, outcome, mailer } = await waiting();
    await backend.forms.update(form.id, { self_email_notification: { recipients: ["ann@example.com"] } });
    expect(await outcome()).toEqual({ "Ann@example.com": "SUCCESS", "bob@example.com": "SKIPPED_NO_RECIPIENT" });
    expect(mailer.sent.map(({ to }) => to.address)).toEqual(["Ann@example.com"]);
  });

  test("by a notification or a reply that was switched off", async () => {
    const { backend, form, outcome, mailer } = await waiting({ auto_response: { enabled: true } });
    await backend.forms.update(form.id, {
      self_email_notification: { enabled: false },
      auto_response: { enabled: false },
    });
    expect(new Set(Object.values(await outcome()))).toEqual(new Set(["SKIPPED_EMAIL_DISABLED"]));
    expect(mailer.sent).toEqual([]);
  });

  test("for a team that is suspended", async () => {
    const { backend, outcome } = await waiting();
    await backend.teams.update("default", { active: false });
    expect(new Set(Object.values(await outcome()))).toEqual(new Set(["SKIPPED_TEAM_INACTIVE"]));
  });

  test("with a template that grew out of all measure: retried, so that the owner can mend it", async () => {
    const { backend, form, outcome, mailer } = await waiting();
    const html = `{{#fields}}${"x".repeat(190_000)}{{/fields}}`;
    await backend.forms.update(form.id, { self_email_notification: { template: { html } } });
    await backend.submit(form.id, {
      fields: Array.from({ length: 60 }, (_, n) => ({ key: `k${n}`, value: "v" })),
    });
    await backend.tick();
    const codes = (await backend.jobs.list({ form_id: form.id })).map(({ code, message }) => `${code} ${message}`);
    expect(codes).toContain(
      "ERROR_EMAIL_TEMPLATE The template makes the email of this submission too long: its sections multiply.",
    );
    await backend.forms.update(form.id, { self_email_notification: { template: { html: "fine" } } });
    expect(Object.values(await outcome())).toEqual(["SUCCESS", "SUCCESS"]);
    expect(mailer.sent).toHaveLength(4);
  });
});
