import assert from "node:assert/strict";
import { type MailAttachment, MailError } from "../../drivers/mailer/types.ts";
import { copyCases } from "./mailer-copies.ts";
import {
  arrived,
  HOSTILE_RECIPIENTS,
  HOSTILE_VALUES,
  lines,
  type MailerUnderTest,
  newMail,
  only,
  withMailer,
} from "./mailer-sent.ts";
import type { Suite } from "./suite.ts";

export type { MailerUnderTest, ReceivedMail } from "./mailer-sent.ts";

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
    name: "files arrive with their names, types and bytes",
    async run(create) {
      await withMailer(create, async (mailer) => {
        const all = Buffer.from([0, 255, 13, 10, 46, 13, 10, 128, 61]);
        const files = [
          { name: "price list.pdf", mimeType: "application/pdf", content: all },
          // A view of a part of a larger buffer.
          { name: "logo.png", mimeType: "image/png", content: all.subarray(2, 7) },
        ];
        const sent = newMail({ attachments: files });
        await mailer.driver.send(sent);
        const mail = await only(mailer, sent);
        assert.deepEqual([...mail.recipients], [sent.to.address]);
        if (mail.attachments === undefined) return;
        const plain = (list: readonly MailAttachment[]) =>
          list.map(({ name, mimeType, content }) => [name, mimeType, Buffer.from(content).toString("hex")]);
        assert.deepEqual(plain(mail.attachments), plain(files));
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
  ...copyCases,
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
