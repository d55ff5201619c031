import { describe, expect, it } from "vitest";
import { cloudflareMailer, type SendEmailLike } from "../../../../src/drivers/mailer/cloudflare.ts";
import { type Mail, MailError } from "../../../../src/drivers/mailer/types.ts";
import { mailerSuite, type ReceivedMail } from "../../../../src/surfaces/testing/mailer.ts";
import { passes } from "../../../_support/passes.ts";

type Message = Parameters<SendEmailLike["send"]>[0];
/** As https://developers.cloudflare.com/email-service/reference/headers/ has it: any other header fails the whole message. */
const ALLOWED = /^(x-.*|auto-submitted|in-reply-to|references|list-.*|precedence)$/i;

/** A binding of the Email Service that holds to its documentation. */
function binding() {
  const sent: Message[] = [];
  const state: { fault: (Error & { code?: string }) | null } = { fault: null };
  const send = async (message: Message) => {
    if (state.fault) throw state.fault;
    for (const name of Object.keys(message.headers ?? {}))
      if (!ALLOWED.test(name)) throw Object.assign(new Error(`${name} not allowed`), { code: "E_HEADER_NOT_ALLOWED" });
    sent.push(structuredClone(message));
    return { messageId: `m${sent.length}` };
  };
  return { send, sent, state };
}

const party = (of: string | { email: string; name: string } | undefined) =>
  of === undefined
    ? undefined
    : typeof of === "string"
      ? { name: "", address: of }
      : { name: of.name, address: of.email };
const received = (message: Message): ReceivedMail =>
  ({
    from: party(message.from),
    recipients: [...message.to, ...(message.cc ?? []), ...(message.bcc ?? [])],
    replyTo: party(message.replyTo),
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: message.headers?.["X-Message-ID"],
    attachments: (message.attachments ?? []).map(({ filename, type, content }) => ({
      name: filename,
      mimeType: type,
      content: new Uint8Array(content),
    })),
    headers: Object.fromEntries(
      Object.entries(message.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  }) as ReceivedMail;

describe("cloudflareMailer", () => {
  for (const c of mailerSuite) {
    it(c.name, () =>
      passes(
        c.run(() => {
          const own = binding();
          return { driver: cloudflareMailer(own), received: () => own.sent.map(received) };
        }),
      ),
    );
  }

  const mail: Mail = {
    from: { name: "Forms", address: "forms@example.com" },
    to: { name: "Ann", address: "ann@example.com" },
    subject: "Hello",
    text: "Hi",
    html: "<p>Hi</p>",
    messageId: "1@example.com",
    headers: { "Auto-Submitted": "auto-generated", Received: "from elsewhere" },
    date: 0,
  };

  it.each([
    ["E_SENDER_NOT_VERIFIED", "ERROR_EMAIL_AUTH", true],
    ["E_RATE_LIMIT_EXCEEDED", "ERROR_EMAIL_SMTP_4XX", true],
    ["E_RECIPIENT_SUPPRESSED", "ERROR_EMAIL_INVALID_RECIPIENT", false],
    ["E_VALIDATION_ERROR", "ERROR_EMAIL_SMTP_5XX", false],
    [undefined, "ERROR_EMAIL_CONNECTION", true],
  ])("sorts %s into %s", async (code, ours, temporary) => {
    const own = binding();
    own.state.fault = Object.assign(new Error("refused"), code !== undefined && { code });
    const error = await cloudflareMailer(own)
      .send(mail)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MailError);
    expect(error).toMatchObject({ code: ours, temporary });
  });

  it("names domains in Punycode", async () => {
    const own = binding();
    const address = "ann@bücher.example";
    await cloudflareMailer(own).send({ ...mail, from: { name: "Forms", address }, to: { name: "", address } });
    const ascii = "ann@xn--bcher-kva.example";
    expect(own.sent[0]).toMatchObject({ from: { email: ascii, name: "Forms" }, to: [ascii] });
  });

  it("leaves out headers that would fail the message", async () => {
    const own = binding();
    expect(await cloudflareMailer(own).send(mail)).toEqual({ id: "m1" });
    expect(own.sent[0]?.headers).toEqual({ "Auto-Submitted": "auto-generated", "X-Message-ID": "1@example.com" });
  });

  it("names the line of the configuration if the binding is missing", () => {
    expect(() => cloudflareMailer(undefined as never)).toThrow('"send_email": [{ "name": "EMAIL" }]');
  });
});
