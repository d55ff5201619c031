import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Mail, type MailAddress, MailError, type MailerDriver } from "../drivers/mailer/types.ts";
import type { Suite } from "./suite.ts";

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
}

/** Input of `mailerSuite`: a driver, and a way to see everything it has sent so far. */
export interface MailerUnderTest {
  readonly driver: MailerDriver;
  received(): Promise<readonly ReceivedMail[]> | readonly ReceivedMail[];
}

const HOSTILE_VALUES = [
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

const HOSTILE_RECIPIENTS = [
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

const COPIES = {
  alsoTo: [{ name: "Bo", address: "bo@example.com" }],
  cc: [
    { name: "Cleo, of the office", address: "cleo@example.com" },
    { name: "", address: "cy@example.com" },
  ],
  bcc: [{ name: "Dora", address: "dora@example.com" }],
};
/** The recipients of a mail with these copies. */
const TO_ALL = ["ann@example.com", "bo@example.com", "cleo@example.com", "cy@example.com", "dora@example.com"];

/**
 * The conformance suite of a mailer. Each case makes its own driver; `received` may return mails of other drivers too.
 *
 * @example for (const c of mailerSuite) test(c.name, () => c.run(() => ({ driver: myMailer(options), received: () => server.mails })));
 */
export const mailerSuite: Suite<MailerUnderTest> = [
  {
    name: "a mail arrives with everything it has",
    async run(create) {
      await withMailer(create, async (mailer) => {
        const sent = newMail({
          replyTo: { name: "Visitor", address: "visitor@example.org" },
          headers: { "Auto-Submitted": "auto-replied" },
        });
        const { id } = await mailer.driver.send(sent);
        assert.ok(id === null || (typeof id === "string" && id !== ""));
        const mail = await only(mailer, sent);
        assert.deepEqual({ ...mail.from }, { ...sent.from });
        assert.deepEqual([...mail.recipients], [sent.to.address]);
        assert.deepEqual({ ...mail.replyTo }, { ...sent.replyTo });
        assert.equal(mail.subject, sent.subject);
        assert.equal(lines(mail.text), sent.text);
        if (mail.html !== undefined) assert.equal(lines(mail.html), sent.html);
        assert.equal(mail.headers["auto-submitted"], "auto-replied");
      });
    },
  },
  {
    name: "letters of every script and long lines survive",
    async run(create) {
      await withMailer(create, async (mailer) => {
        const sent = newMail({
          from: { name: "Zoë, “Näh” & Söhne", address: "forms@example.com" },
          to: { name: "山田 太郎 🎉", address: "taro@example.jp" },
          subject: `${"Новая заявка — رسالة جديدة 📨 ".repeat(8)}Ende`,
          text: `Grüße aus Łódź 👩‍👩‍👧\n\n.\n..dots\nFrom here on\n${"wörter ".repeat(400).trim()}\n${"x".repeat(3000)}`,
          html: `<p>Grüße aus Łódź 👩‍👩‍👧</p>\n<p>${"wörter ".repeat(400).trim()}</p>`,
        });
        await mailer.driver.send(sent);
        const mail = await only(mailer, sent);
        assert.deepEqual({ ...mail.from }, { ...sent.from });
        assert.equal(mail.subject, sent.subject);
        assert.equal(lines(mail.text), sent.text);
        if (mail.html !== undefined) assert.equal(lines(mail.html), sent.html);
      });
    },
  },
  {
    name: "no value can end its header, add another or add a recipient",
    async run(create) {
      await withMailer(create, async (mailer) => {
        for (const hostile of HOSTILE_VALUES) {
          const sent = newMail({
            from: { name: hostile, address: "forms@example.com" },
            to: { name: hostile, address: "ann@example.com" },
            replyTo: { name: hostile, address: "visitor@example.org" },
            subject: hostile,
            headers: { "X-Form": hostile, "X-Ok\r\nX-Injected": "name", "X-Also: 1\r\nX-Injected": "name" },
          });
          await mailer.driver.send(sent);
          const mail = await only(mailer, sent);
          const about = JSON.stringify(hostile.slice(-80));
          assert.deepEqual([...mail.recipients], ["ann@example.com"], about);
          assert.equal(mail.from.address, "forms@example.com", about);
          assert.equal(mail.replyTo?.address, "visitor@example.org", about);
          assert.equal(lines(mail.text), sent.text, about);
          const names = Object.keys(mail.headers);
          assert.ok(!names.some((name) => /bcc|inject/.test(name)), `${about} made the headers ${names}`);
          assert.match(mail.subject, /^[^\r\n\u2028\u2029]*$/, about);
        }
      });
    },
  },
  {
    name: "a Reply-To that is not one address is left out",
    async run(create) {
      await withMailer(create, async (mailer) => {
        const sent = newMail({ replyTo: { name: "", address: "a@example.com, victim@example.com" } });
        await mailer.driver.send(sent);
        assert.equal((await only(mailer, sent)).replyTo, undefined);
      });
    },
  },
  {
    name: "a recipient that is not one address is refused for good",
    async run(create) {
      await withMailer(create, async (mailer) => {
        for (const address of HOSTILE_RECIPIENTS) {
          const sent = newMail({ to: { name: "", address } });
          await assert.rejects(mailer.driver.send(sent), (error) => {
            assert.ok(error instanceof MailError, String(error));
            assert.equal(error.code, "ERROR_EMAIL_INVALID_RECIPIENT", address);
            assert.equal(error.temporary, false);
            return true;
          });
          assert.deepEqual(await arrived(mailer, sent), []);
        }
      });
    },
  },
  {
    name: "with `copies`, one message goes to all recipients, and no header names those in Bcc",
    async run(create) {
      await withMailer(create, async (mailer) => {
        if (!mailer.driver.copies) return;
        const sent = newMail(COPIES);
        await mailer.driver.send(sent);
        const mail = await only(mailer, sent);
        assert.deepEqual([...mail.recipients].sort(), [...TO_ALL].sort());
        assert.ok(!Object.hasOwn(mail.headers, "bcc"), "Bcc is a header");
        for (const [name, value] of Object.entries(mail.headers)) {
          for (const { address } of COPIES.bcc) assert.ok(!value.includes(address), `${name} names ${address}`);
        }
        if (mail.headers["cc"] !== undefined) {
          for (const { address } of COPIES.cc) assert.ok(mail.headers["cc"].includes(address), "Cc lacks an address");
        }
        const single = newMail();
        await mailer.driver.send(single);
        assert.deepEqual([...(await only(mailer, single)).recipients], [single.to.address]);
      });
    },
  },
  {
    name: "with `copies`, the name of none of them adds a header or a recipient",
    async run(create) {
      await withMailer(create, async (mailer) => {
        if (!mailer.driver.copies) return;
        for (const name of HOSTILE_VALUES) {
          const named = (list: readonly MailAddress[]) => list.map(({ address }) => ({ name, address }));
          const sent = newMail({ alsoTo: named(COPIES.alsoTo), cc: named(COPIES.cc), bcc: named(COPIES.bcc) });
          await mailer.driver.send(sent);
          const mail = await only(mailer, sent);
          const about = JSON.stringify(name.slice(-80));
          assert.deepEqual([...mail.recipients].sort(), [...TO_ALL].sort(), about);
          const names = Object.keys(mail.headers);
          assert.ok(!names.some((header) => /bcc|inject/.test(header)), `${about} made the headers ${names}`);
        }
      });
    },
  },
  {
    name: "with `copies`, one that is not one address is refused for good, and nobody gets the mail",
    async run(create) {
      await withMailer(create, async (mailer) => {
        if (!mailer.driver.copies) return;
        for (const place of ["alsoTo", "cc", "bcc"] as const) {
          for (const address of HOSTILE_RECIPIENTS) {
            const sent = newMail({ ...COPIES, [place]: [...COPIES[place], { name: "", address }] });
            await assert.rejects(mailer.driver.send(sent), (error) => {
              assert.ok(error instanceof MailError, String(error));
              assert.equal(error.code, "ERROR_EMAIL_INVALID_RECIPIENT", `${place}: ${address}`);
              assert.equal(error.temporary, false);
              return true;
            });
            assert.deepEqual(await arrived(mailer, sent), []);
          }
        }
      });
    },
  },
  {
    name: "50 mails at once arrive once each",
    async run(create) {
      await withMailer(create, async (mailer) => {
        const mails = Array.from({ length: 50 }, (_, n) =>
          newMail({ to: { name: "", address: `ann${n}@example.com` } }),
        );
        await Promise.all(mails.map((mail) => mailer.driver.send(mail)));
        for (const mail of mails) assert.deepEqual([...(await only(mailer, mail)).recipients], [mail.to.address]);
      });
    },
  },
  {
    name: "a send that was aborted before it began ends at once",
    async run(create) {
      await withMailer(create, async (mailer) => {
        const sent = newMail();
        await assert.rejects(mailer.driver.send(sent, { signal: AbortSignal.abort() }), {
          name: "MailError",
          code: "ERROR_EMAIL_TIMEOUT",
        });
        assert.deepEqual(await arrived(mailer, sent), []);
      });
    },
  },
  {
    name: "verify says that a working mailer works, and sends nothing",
    async run(create) {
      await withMailer(create, async (mailer) => {
        const before = (await mailer.received()).length;
        await mailer.driver.verify();
        assert.equal((await mailer.received()).length, before);
      });
    },
  },
  {
    name: "closing twice is fine",
    async run(create) {
      const { driver } = await create();
      await driver.send(newMail());
      await driver.close();
      await driver.close();
    },
  },
];

async function withMailer(
  create: () => Promise<MailerUnderTest> | MailerUnderTest,
  use: (mailer: MailerUnderTest) => Promise<void>,
) {
  const mailer = await create();
  await use(mailer).finally(() => mailer.driver.close());
}

function newMail(parts: Partial<Mail> = {}): Mail {
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

async function arrived(mailer: MailerUnderTest, sent: Mail): Promise<ReceivedMail[]> {
  return (await mailer.received()).filter((mail) => mail.messageId === sent.messageId);
}

async function only(mailer: MailerUnderTest, sent: Mail): Promise<ReceivedMail> {
  const mails = await arrived(mailer, sent);
  assert.equal(mails.length, 1, `${mails.length} mails arrived under one Message-ID`);
  return mails[0] as ReceivedMail;
}

/** Transport may end lines with CRLF and the text with a line break. */
const lines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n+$/, "");
