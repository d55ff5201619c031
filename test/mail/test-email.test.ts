import { describe, expect, it } from "vitest";
import { memoryMailer } from "../../src/drivers/mailer/memory.ts";
import { MailError, type MailerDriver } from "../../src/index.ts";
import { type Harness, harness } from "../_backend.ts";

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
    expect(b.mails[0]).toMatchObject({ to: { address: "me@example.com" }, subject: "New: Jane Example" });
    expect(b.mails[0]?.text).toContain("This is a test.");
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
    "answers %s (temporary: %s) as %i with what the server said",
    async (code, temporary, expected, param) => {
      const mailer: MailerDriver = {
        ...memoryMailer(),
        send: () => Promise.reject(new MailError(code, "it said\r\nno", { temporary })),
      };
      const { status, json, headers } = await send(harness({ mailer }), owner);
      expect([status, json.error.param, headers.get("retry-after")]).toEqual([
        expected,
        param,
        expected === 503 ? "30" : null,
      ]);
      expect(json.error.message).toContain(`it said no (${code})`);
    },
  );

  it("is 404 for a form that is not there", async () => {
    expect((await send(harness(), owner, "none")).json.error.code).toBe("form_not_found");
  });
});
