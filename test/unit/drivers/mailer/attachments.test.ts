import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { logMailer } from "../../../../src/drivers/mailer/log.ts";
import { mailgunMailer } from "../../../../src/drivers/mailer/mailgun.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { postmarkMailer } from "../../../../src/drivers/mailer/postmark.ts";
import { resendMailer } from "../../../../src/drivers/mailer/resend.ts";
import { sesMailer } from "../../../../src/drivers/mailer/ses.ts";
import { MAIL, mailerFor, serve } from "./_smtp-mailer.ts";

const CONTENT = Buffer.from([0, 255, 1, 254, 13, 10, 46, 13, 10]);
const attachments = [{ name: 'price\r\nX-Injected: 1 "ä".pdf', mimeType: "application/pdf", content: CONTENT }];
const mail = { ...MAIL, attachments };
/** The name without line breaks. */
const NAME = 'price X-Injected: 1 "ä".pdf';

interface Received {
  readonly type: string;
  readonly body: Buffer;
}
const received: Received[] = [];
const server = createServer(async (req, res) => {
  received.push({ type: req.headers["content-type"] ?? "", body: await buffer(req) });
  res.end(JSON.stringify({ id: "1", MessageID: "1", MessageId: "1" }));
});
let apiUrl = "";
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const base64 = CONTENT.toString("base64");

it.each([
  [
    "Resend",
    () => resendMailer({ apiKey: "key", apiUrl }),
    // biome-ignore lint/suspicious/noExplicitAny: bodies of services
    (body: any) => body.attachments,
    { filename: NAME, content_type: "application/pdf", content: base64 },
  ],
  [
    "Postmark",
    () => postmarkMailer({ serverToken: "key", apiUrl }),
    // biome-ignore lint/suspicious/noExplicitAny: bodies of services
    (body: any) => body.Attachments,
    { Name: NAME, ContentType: "application/pdf", Content: base64 },
  ],
  [
    "SES",
    () => sesMailer({ region: "eu-central-1", accessKeyId: "key", secretAccessKey: "secret", apiUrl }),
    // biome-ignore lint/suspicious/noExplicitAny: bodies of services
    (body: any) => body.Content.Simple.Attachments,
    { FileName: NAME, ContentType: "application/pdf", ContentDisposition: "ATTACHMENT", RawContent: base64 },
  ],
] as const)("sends files as %s takes them", async (_, create, read, expected) => {
  await create().send(mail);
  expect(read(JSON.parse(received.pop()?.body.toString() ?? ""))).toEqual([expected]);
  await create().send(MAIL);
  expect(read(JSON.parse(received.pop()?.body.toString() ?? ""))).toBeUndefined();
});

it("sends files to Mailgun as parts of a form", async () => {
  await mailgunMailer({ domain: "mg.example.com", apiKey: "key", apiUrl }).send(mail);
  const { type, body } = received.pop() as Received;
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const file = form.get("attachment") as File;
  expect([file.name, file.type]).toEqual([NAME, "application/pdf"]);
  expect(Buffer.from(await file.arrayBuffer()).equals(CONTENT)).toBe(true);
  expect(form.get("to")).toBe('"Ann" <ann@example.com>');
});

it("sends files over SMTP", async () => {
  const smtp = await serve();
  await mailerFor(smtp).send(mail);
  const [message] = smtp.messages;
  const [file, ...more] = (await PostalMime.parse(message?.raw ?? "")).attachments;
  expect([file?.filename, file?.mimeType, more]).toEqual([NAME, "application/pdf", []]);
  expect(Buffer.from(file?.content as ArrayBuffer).equals(CONTENT)).toBe(true);
  expect(Object.keys(message?.headers ?? {}).join()).not.toMatch(/injected/i);
});

it("keeps them in memory, with a type that is one, and names them in the log", async () => {
  const memory = memoryMailer();
  await memory.send({ ...mail, attachments: [{ name: "\r\n", mimeType: "text/html\r\nx", content: CONTENT }] });
  expect(memory.sent[0]?.attachments).toEqual([
    { name: "file", mimeType: "application/octet-stream", content: CONTENT },
  ]);
  const printed: string[] = [];
  await logMailer({ info: (text) => printed.push(text) }).send(mail);
  expect(printed[0]).toContain(`Attachment: ${NAME} (9 bytes)`);
});
