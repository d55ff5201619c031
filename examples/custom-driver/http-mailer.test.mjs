// @ts-check
// The driver against the conformance suite of its port, and what is its own: `npm test`, which is `node --test`.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { after, beforeEach, test } from "node:test";
import { createTestBackend, mailerSuite } from "form-backend/testing";
import { httpMailer } from "./http-mailer.mjs";

/** A mail service: takes mails, and refuses them with `status` when that is set. */
const service = { mails: /** @type {any[]} */ ([]), status: 200 };
const server = createServer(async (req, res) => {
  const known = req.headers.authorization === "Bearer letmein";
  const mail = req.method === "POST" ? await json(req) : undefined;
  res.statusCode = known ? service.status : 401;
  if (res.statusCode === 200 && mail) service.mails.push(mail);
  res.end(JSON.stringify({ id: `mail-${service.mails.length}` }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
const url = `http://127.0.0.1:${port}`;

beforeEach(() => Object.assign(service, { mails: [], status: 200 }));
after(() => server.close());

const mailer = () => httpMailer({ url, token: "letmein" });
const received = () =>
  service.mails.map(({ from, to, reply_to, subject, text, html, message_id, headers }) => ({
    from,
    recipients: [to.address],
    replyTo: reply_to,
    subject,
    text,
    html,
    messageId: message_id,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  }));

for (const c of mailerSuite) test(c.name, () => c.run(() => ({ driver: mailer(), received })));

test("a service that is busy gets the mail again later", async () => {
  const backend = createTestBackend({ mailer: mailer() });
  const form = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["you@example.com"] },
  });
  service.status = 503;
  await backend.submit(form.id, { fields: { message: "Hello" } });
  await backend.tick();
  assert.equal(service.mails.length, 0);

  service.status = 200;
  await backend.clock.advance(60 * 60 * 1000);
  assert.deepEqual(
    service.mails.map(({ to }) => to.address),
    ["you@example.com"],
  );
  await backend.close();
});

test("a wrong token is no reason to try again", async () => {
  await assert.rejects(httpMailer({ url, token: "wrong" }).verify(), { code: "ERROR_EMAIL_AUTH", temporary: false });
});
