import { describe, expect, it } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { MailError, type MailerDriver } from "../../../../src/index.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const send = async (b: Harness, body: unknown, id?: string) =>
  b.call("POST", `/v1/forms/${id ?? (await b.forms.create({ name: "Contact" })).id}/test-email`, { body });
const owner = { kind: "self_email_notification", to: "me@example.com" };

describe("POST /v1/forms/{form_id}/test-email", () => {
  it("sends the owner's mail now, with sample values, and stores nothing", async () => {
    const b = harness();
    const { id } = await b.forms.create({
      name: "Contact",
      self_email_notification: { enabled: false, subject: "New: {{name}}" },
    });
    const { status, json } = await send(b, owner, id);
    expect([status, json]).toEqual([202, { ...owner, sent_at: "2026-01-01T00:00:00.000Z" }]);
    expect(b.mails).toHaveLength(1);
    expect(b.mails[0]).toMatchObject({ to: { address: "me@example.com" }, subject: "[Test] New: Jane Example" });
    expect(b.mails[0]?.text).toMatch(/^This is a test email\./);
    expect(b.mails[0]?.html).toMatch(/^<div [^>]*>This is a test email\./);
    await b.tick();
    expect([b.mails.length, await b.jobs.list(), (await b.forms.get(id)).submissions.all_time]).toEqual([1, [], 0]);
  });

  it("sends the reply with its own message", async () => {
    const b = harness();
    const { id } = await b.forms.create({
      name: "Contact",
      auto_response: { template: { message: "Hello {{name}}" } },
    });
    expect((await send(b, { kind: "auto_response", to: "you@example.com" }, id)).status).toBe(202);
    expect(b.mails[0]).toMatchObject({
      to: { address: "you@example.com" },
      text: expect.stringContaining("Hello Jane Example"),
    });
    expect(b.mails[0]?.headers?.["Auto-Submitted"]).toBe("auto-replied");
  });

  it.each([
    [{}, "kind"],
    [{ kind: "newsletter", to: "a@example.com" }, "kind"],
    [{ kind: "auto_response" }, "to"],
    [{ kind: "auto_response", to: "a@example.com, b@example.com" }, "to"],
    [{ kind: "auto_response", to: "a@example.com\r\nBcc: b@example.com" }, "to"],
    [{ ...owner, subject: "x" }, "subject"],
  ])("refuses %j by the name of the field", async (body, param) => {
    const b = harness();
    const { status, json } = await send(b, body);
    expect([status, json.error.code, json.error.param, b.mails.length]).toEqual([400, "invalid_parameter", param, 0]);
  });

  it.each([
    ["ERROR_EMAIL_INVALID_RECIPIENT", false, 400, "to"],
    ["ERROR_EMAIL_SMTP_5XX", false, 400, "to"],
    ["ERROR_EMAIL_SMTP_4XX", true, 503, undefined],
    ["ERROR_EMAIL_CONNECTION", true, 503, undefined],
    ["ERROR_EMAIL_TIMEOUT", true, 503, undefined],
    ["ERROR_EMAIL_AUTH", false, 503, undefined],
    ["ERROR_EMAIL_TLS", false, 503, undefined],
  ] as const)(
    "answers %s (temporary: %s) as %i without a word of the host's server",
    async (code, temporary, expected, param) => {
      const isReply = code.includes("SMTP") || code.includes("RECIPIENT");
      const mailer: MailerDriver = {
        ...memoryMailer(),
        send: () =>
          Promise.reject(
            new MailError(code, "451 4.3.0 connect ECONNREFUSED 10.0.0.5:587", {
              temporary,
              ...(isReply && { status: 451 }),
            }),
          ),
      };
      const lines: string[] = [];
      const log = (line: string) => lines.push(line);
      const logger = { debug: log, info: log, warn: log, error: log };
      const { status, json, headers, text } = await send(harness({ mailer, logger }), owner);
      expect([status, json.error.param, headers.get("retry-after")]).toEqual([
        expected,
        param,
        expected === 503 ? "30" : null,
      ]);
      expect(text).not.toMatch(/10\.0\.0\.5|:587/);
      expect(json.error.message).toContain(isReply ? `SMTP 451, ${code}` : code);
      expect(lines.join("\n")).toContain(isReply ? `${code}: 451 4.3.0` : "10.0.0.5:587");
      if (isReply) expect(lines.join("\n")).not.toContain("10.0.0.5");
    },
  );

  it("tells what a team's own server said", async () => {
    const mailer: MailerDriver = {
      ...memoryMailer(),
      send: () => Promise.reject(new MailError("ERROR_EMAIL_SMTP_5XX", "it said\r\nno", { temporary: false })),
    };
    const b = harness({ mailer });
    const { id: server_id } = await b.emailServers.create({
      name: "Ours",
      host: "smtp.example.com",
      port: 587,
      from: "team@example.com",
    });
    const { id } = await b.forms.create({ name: "A", self_email_notification: { sender: { server_id } } });
    expect((await send(b, owner, id)).json.error.message).toContain("it said no (ERROR_EMAIL_SMTP_5XX)");
  });

  it("is marked as a test whatever the template does", async () => {
    const b = harness();
    const html = "<!doctype html><!-- <body> --><body><p>Your account is closed</p>";
    const { id } = await b.forms.create({
      name: "A",
      self_email_notification: { subject: "Your account", template: { html } },
      auto_response: { subject: "Your account", template: { html } },
    });
    for (const kind of ["self_email_notification", "auto_response"]) await send(b, { ...owner, kind }, id);
    expect(b.mails).toHaveLength(2);
    for (const mail of b.mails) {
      expect(mail.subject).toBe("[Test] Your account");
      expect(mail.text).toMatch(/^This is a test email\./);
      expect(mail.html).toMatch(/^<div [^>]*>This is a test email\.[^<]*<\/div>\n<!doctype/);
    }
  });

  it("goes 3 times an hour to one mailbox, whoever asks and however it is written", async () => {
    const storage = memoryStorage();
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const [a, b] = [harness({ storage, clock }), harness({ storage, clock })];
    const other = await b.teams.create({ id: "other", name: "Other" });
    const forms = [await a.forms.create({ name: "A" }), await b.forms.create({ name: "B", team_id: other.id })];
    const to = ["me@bücher.example", "ME@xn--bcher-kva.example", "me+1@BÜCHER.example", "me@bü\u00adcher.example"];
    const all = await b.keyWith("all", { team_id: "other" });
    const tests = async () => {
      const answers = [];
      for (const [at, address] of to.entries()) {
        const key = at % 2 === 0 ? a.key : all;
        const path = `/v1/forms/${forms[at % 2]?.id}/test-email`;
        answers.push(await (at % 2 === 0 ? a : b).call("POST", path, { key, body: { ...owner, to: address } }));
        await a.clock.advance(60_000);
      }
      return answers;
    };
    const first = await tests();
    expect(first.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
    expect(first[3]?.json.error.code).toBe("rate_limited");
    expect(first[3]?.headers.get("retry-after")).toBe(String(57 * 60));
    await a.clock.advance(56 * 60_000);
    expect((await tests()).map(({ status }) => status)).toEqual([202, 202, 202, 429]);
  });

  it("goes 20 times an hour for one team", async () => {
    const b = harness({ rateLimit: false });
    const { id } = await b.forms.create({ name: "A" });
    await b.teams.create({ id: "other", name: "Other" });
    const theirs = await b.forms.create({ name: "B", team_id: "other" });
    const statuses = [];
    for (let n = 0; n < 21; n++) statuses.push((await send(b, { ...owner, to: `a${n}@example.com` }, id)).status);
    expect(statuses).toEqual([...Array(20).fill(202), 429]);
    const key = await b.keyWith("all", { team_id: "other" });
    const path = `/v1/forms/${theirs.id}/test-email`;
    expect((await b.call("POST", path, { key, body: owner })).status).toBe(202);
    await b.clock.advance(60 * 60_000);
    expect((await send(b, owner, id)).status).toBe(202);
  });

  it("is 404 for a form that is not there", async () => {
    expect((await send(harness(), owner, "none")).json.error.code).toBe("form_not_found");
  });
});
