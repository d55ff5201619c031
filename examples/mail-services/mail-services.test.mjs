// @ts-check
// Each mailer against the conformance suite, with a stand-in that takes requests as its service documents them: `node --test`.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { after, beforeEach, describe, test } from "node:test";
import { createTestBackend, mailerSuite } from "form-backend/testing";
import { postmarkMailer } from "./postmark.mjs";
import { resendMailer } from "./resend.mjs";
import { sesMailer } from "./ses.mjs";

/** Requests that the stand-in received, and its response if it is not 200. */
const service = { posts: /** @type {{ headers: any, body: any }[]} */ ([]), status: 200, answer: {} };
const server = createServer(async (req, res) => {
  const body = req.method === "POST" ? await json(req) : undefined;
  const known = [
    req.headers.authorization === "Bearer key",
    req.headers["x-postmark-server-token"] === "key",
    req.headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=key/"),
  ].some(Boolean);
  res.writeHead(known ? service.status : 401, { "content-type": "application/json" });
  if (res.statusCode === 200 && body) service.posts.push({ headers: req.headers, body });
  const id = `mail-${service.posts.length}`;
  res.end(JSON.stringify(res.statusCode === 200 ? { id, MessageID: id, MessageId: id } : service.answer));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
const url = `http://127.0.0.1:${port}`;

beforeEach(() => Object.assign(service, { posts: [], status: 200, answer: {} }));
after(() => server.close());

const words = (/** @type {string} */ text) =>
  text.replace(/\?= =\?UTF-8\?B\?/g, "\n").replace(/=\?UTF-8\?B\?([^?]+)\?=/g, (_, /** @type {string} */ encoded) =>
    encoded
      .split("\n")
      .map((word) => Buffer.from(word, "base64").toString())
      .join(""),
  );
/** @param {string} text */
function mailbox(text) {
  const [, name = "", address = text] = /^"?(.*?)"? <([^<>]+)>$/.exec(text) ?? [];
  return { name: words(name), address };
}
/** The parts of a list, whose quoted names may have commas. @param {string} [list] */
const mailboxes = (list = "") => list.match(/(?:"[^"]*"|[^",])+/g)?.map((one) => one.trim()) ?? [];
/** @param {[string, unknown][]} headers */
const byName = (headers) => Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));

/** @type {Record<string, { create: (key: string) => import("form-backend").MailerDriver, read: (post: any) => any }>} */
const services = {
  Resend: {
    create: (key) => resendMailer({ key, url }),
    read: ({ headers, body }) => ({
      from: mailbox(body.from),
      recipients: [...body.to, ...(body.cc ?? []), ...(body.bcc ?? [])].map((to) => mailbox(to).address),
      replyTo: body.reply_to && mailbox(body.reply_to[0]),
      subject: body.subject,
      text: body.text,
      html: body.html,
      messageId: headers["idempotency-key"],
      headers: byName(Object.entries(body.headers)),
    }),
  },
  Postmark: {
    create: (token) => postmarkMailer({ token, url }),
    read: ({ body }) => {
      const headers = byName(body.Headers.map(({ Name = "", Value = "" }) => [Name, Value]));
      return {
        from: mailbox(body.From),
        recipients: [body.To, body.Cc, body.Bcc].flatMap(mailboxes).map((to) => mailbox(to).address),
        replyTo: body.ReplyTo && mailbox(body.ReplyTo),
        subject: body.Subject,
        text: body.TextBody,
        html: body.HtmlBody,
        messageId: String(headers["message-id"]).slice(1, -1),
        headers,
      };
    },
  },
  SES: {
    create: (accessKeyId) => sesMailer({ region: "eu-central-1", accessKeyId, secretAccessKey: "secret", url }),
    read: ({ body }) => {
      const { Subject, Body, Headers } = body.Content.Simple;
      const headers = byName(Headers.map(({ Name = "", Value = "" }) => [Name, Value]));
      return {
        from: mailbox(body.FromEmailAddress),
        recipients: ["To", "Cc", "Bcc"]
          .flatMap((list) => body.Destination[`${list}Addresses`])
          .map((to) => mailbox(to).address),
        replyTo: body.ReplyToAddresses && mailbox(body.ReplyToAddresses[0]),
        subject: Subject.Data,
        text: Body.Text.Data,
        html: Body.Html.Data,
        messageId: headers["x-message-id"],
        headers,
      };
    },
  },
};

for (const [name, { create, read }] of Object.entries(services)) {
  describe(name, () => {
    const received = () => service.posts.map(read);
    for (const c of mailerSuite) test(c.name, () => c.run(() => ({ driver: create("key"), received })));

    test("a service that is busy gets the mail again later", async () => {
      const backend = createTestBackend({ mailer: create("key") });
      const form = await backend.forms.create({
        name: "Contact",
        self_email_notification: { recipients: ["you@example.com"] },
      });
      service.status = 429;
      await backend.submit(form.id, { fields: { message: "Hello" } });
      await backend.tick();
      assert.equal(service.posts.length, 0);
      service.status = 200;
      await backend.clock.advance(60 * 60 * 1000);
      assert.deepEqual(
        received().map(({ recipients }) => recipients),
        [["you@example.com"]],
      );
      await backend.close();
    });

    test("a mail that is refused is not sent again", async () => {
      service.status = 422;
      await assert.rejects(create("key").send(mail), { code: "ERROR_EMAIL_SMTP_5XX", temporary: false });
    });

    test("a wrong key is named, and the mail waits for the right one", async () => {
      await assert.rejects(create("wrong").verify(), { code: "ERROR_EMAIL_AUTH", temporary: true });
    });
  });
}

const mail = {
  from: { name: "", address: "forms@example.com" },
  to: { name: "", address: "ann@example.com" },
  subject: "Hello",
  text: "Hello",
  html: "<p>Hello</p>",
  messageId: "1@example.com",
  date: Date.now(),
};

test("Postmark: a recipient that bounced before is refused for good", async () => {
  Object.assign(service, { status: 422, answer: { ErrorCode: 406, Message: "inactive" } });
  const refused = { code: "ERROR_EMAIL_INVALID_RECIPIENT", temporary: false };
  await assert.rejects(postmarkMailer({ token: "key", url }).send(mail), refused);
});

test("Resend: a key that may only send is good enough", async () => {
  Object.assign(service, { status: 401, answer: { name: "restricted_api_key" } });
  await resendMailer({ key: "key", url }).verify();
});
