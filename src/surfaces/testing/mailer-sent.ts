import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Mail, MailAddress, MailAttachment, MailerDriver } from "../../drivers/mailer/types.ts";

/** A received mail: read back from a test server, or from the requests to a mail service. */
export interface ReceivedMail {
  readonly from: MailAddress;
  /** All recipients of the message, those in Bcc included, not only those in its To header. */
  readonly recipients: readonly string[];
  readonly replyTo?: MailAddress | undefined;
  readonly subject: string;
  readonly text: string;
  /** Left out only by a driver that shows no HTML, as the log does. */
  readonly html?: string | undefined;
  /** Without angle brackets. */
  readonly messageId: string;
  /** All headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its files. Left out only where they can't be read back, as from the log. */
  readonly attachments?: readonly MailAttachment[] | undefined;
}

/** Input of `mailerSuite`: a driver, and a way to see everything it has sent so far. */
export interface MailerUnderTest {
  readonly driver: MailerDriver;
  received(): Promise<readonly ReceivedMail[]> | readonly ReceivedMail[];
}

export const HOSTILE_VALUES = [
  "x\r\nBcc: victim@example.com",
  "x\nBcc: victim@example.com",
  "x\rBcc: victim@example.com",
  "x\r\n\r\n<b>a body of my own</b>",
  "x\r\n X-Injected: folded",
  "x\r\n.\r\nMAIL FROM:<evil@example.com>",
  "x\0y\x0bX-Injected: 1\x0cX-Injected: 2",
  "x\u0085X-Injected: 1\u2028X-Injected: 2\u2029X-Injected: 3",
  "=?utf-8?q?x=0D=0ABcc:_victim@example.com?=",
  "=?utf-8?b?eA0KQmNjOiB2aWN0aW1AZXhhbXBsZS5jb20=?=",
  '" <victim@example.com>, "',
  "victim@example.com, other@example.com; third@example.com",
  `${"long ".repeat(400)}\r\nBcc: victim@example.com`,
];

export const HOSTILE_RECIPIENTS = [
  "",
  "nobody",
  "ann@example.com, victim@example.com",
  "ann@example.com;victim@example.com",
  "ann@example.com\r\nBcc: victim@example.com",
  "ann@example.com> RCPT TO:<victim@example.com",
  "<ann@example.com>",
  "friends: ann@example.com, victim@example.com;",
  '"ann@example.com, victim"@example.com',
  "ann@exa mple.com",
  "ann@example.com\0",
];

export async function withMailer(
  create: () => Promise<MailerUnderTest> | MailerUnderTest,
  use: (mailer: MailerUnderTest) => Promise<void>,
) {
  const mailer = await create();
  await use(mailer).finally(() => mailer.driver.close());
}

export function newMail(parts: Partial<Mail> = {}): Mail {
  return {
    from: { name: "Contact form", address: "forms@example.com" },
    to: { name: "Ann Example", address: "ann@example.com" },
    subject: "New submission",
    text: "name: Bo\n\nA second line.",
    html: "<p>name: Bo</p>",
    messageId: `${randomUUID()}@example.com`,
    date: Date.now(),
    ...parts,
  };
}

export async function arrived(mailer: MailerUnderTest, sent: Mail): Promise<ReceivedMail[]> {
  return (await mailer.received()).filter((mail) => mail.messageId === sent.messageId);
}

export async function only(mailer: MailerUnderTest, sent: Mail): Promise<ReceivedMail> {
  const mails = await arrived(mailer, sent);
  assert.equal(mails.length, 1, `${mails.length} mails arrived under one Message-ID`);
  return mails[0] as ReceivedMail;
}

/** Transport may end lines with CRLF and the text with a line break. */
export const lines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n+$/, "");
