import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mailgunMailer } from "../../../../src/drivers/mailer/mailgun.ts";
import { postmarkMailer } from "../../../../src/drivers/mailer/postmark.ts";
import { resendMailer } from "../../../../src/drivers/mailer/resend.ts";
import { sesMailer } from "../../../../src/drivers/mailer/ses.ts";
import type { Mail, MailAttachment, MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { mailerSuite, type ReceivedMail } from "../../../../src/surfaces/testing/mailer.ts";
import { passes } from "../../../_support/passes.ts";

/** A request as the stand-in received it; `body` is parsed as the service documents it. */
interface Post {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of four services
  readonly body: any;
  readonly form: URLSearchParams | FormData;
}

const service = { posts: [] as Post[], status: 200, answer: {} as object | string, type: "" };
const basic = (key: string): string => `Basic ${Buffer.from(`api:${key}`).toString("base64")}`;
const server = createServer(async (req, res) => {
  const raw = await buffer(req);
  const type = req.headers["content-type"] ?? "";
  const isJson = type.includes("json");
  const { authorization = "" } = req.headers;
  const known =
    authorization === "Bearer key" ||
    authorization === basic("key") ||
    authorization.startsWith("AWS4-HMAC-SHA256 Credential=key/") ||
    req.headers["x-postmark-server-token"] === "key";
  const status = known ? service.status : 401;
  if (status === 200 && req.method === "POST") {
    const body: unknown = isJson ? JSON.parse(raw.toString()) : {};
    const form = type.includes("multipart")
      ? await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData()
      : new URLSearchParams(isJson ? "" : raw.toString());
    service.posts.push({ url: req.url ?? "", headers: req.headers, body, form });
  }
  const id = `mail-${service.posts.length}`;
  const answer = status === 200 ? { id: `<${id}>`, MessageID: id, MessageId: id } : service.answer;
  res
    .writeHead(status, service.type === "" ? {} : { "x-amzn-errortype": service.type })
    .end(typeof answer === "string" ? answer : JSON.stringify(answer));
});
let apiUrl = "";
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());
beforeEach(() => void Object.assign(service, { posts: [], status: 200, answer: {}, type: "" }));

const words = (encoded: string): string =>
  encoded.replace(/\?= =\?UTF-8\?B\?/g, "\n").replace(/=\?UTF-8\?B\?([^?]+)\?=/g, (_, parts: string) =>
    parts
      .split("\n")
      .map((part) => Buffer.from(part, "base64").toString())
      .join(""),
  );
function mailbox(given: string): { name: string; address: string } {
  const [, name = "", address = given] = /^"?(.*?)"? <([^<>]+)>$/.exec(given) ?? [];
  return { name: words(name), address };
}
/** The parts of a list, whose quoted names may have commas. */
const mailboxes = (list = ""): string[] => list.match(/(?:"[^"]*"|[^",])+/g)?.map((one) => one.trim()) ?? [];
const byName = (headers: (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
const pairs = (headers: { Name: string; Value: string }[]) =>
  byName(headers.map(({ Name, Value }) => [Name, Value] as const));

const file = (name: string, mimeType: string, base64: string): MailAttachment => ({
  name,
  mimeType,
  content: Buffer.from(base64, "base64"),
});
/** A field of Mailgun's form. */
const said = (form: Post["form"], name: string): string => String(form.get(name) ?? "");

interface Service {
  readonly create: (key: string) => MailerDriver;
  readonly read: (post: Post) => ReceivedMail | Promise<ReceivedMail>;
}

const services: Record<string, Service> = {
  Resend: {
    create: (apiKey) => resendMailer({ apiKey, apiUrl }),
    read: ({ headers, body }) => ({
      from: mailbox(body.from),
      recipients: [...body.to, ...(body.cc ?? []), ...(body.bcc ?? [])].map((to: string) => mailbox(to).address),
      replyTo: body.reply_to && mailbox(body.reply_to[0]),
      subject: body.subject,
      text: body.text,
      html: body.html,
      messageId: String(headers["idempotency-key"]),
      headers: byName(Object.entries(body.headers)),
      // biome-ignore lint/suspicious/noExplicitAny: bodies of services
      attachments: (body.attachments ?? []).map((one: any) => file(one.filename, one.content_type, one.content)),
    }),
  },
  Postmark: {
    create: (serverToken) => postmarkMailer({ serverToken, apiUrl }),
    read: ({ body }) => ({
      from: mailbox(body.From),
      recipients: [body.To, body.Cc, body.Bcc].flatMap(mailboxes).map((to) => mailbox(to).address),
      replyTo: body.ReplyTo && mailbox(body.ReplyTo),
      subject: body.Subject,
      text: body.TextBody,
      html: body.HtmlBody,
      messageId: String(pairs(body.Headers)["message-id"]).slice(1, -1),
      headers: pairs(body.Headers),
      // biome-ignore lint/suspicious/noExplicitAny: bodies of services
      attachments: (body.Attachments ?? []).map((one: any) => file(one.Name, one.ContentType, one.Content)),
    }),
  },
  SES: {
    create: (accessKeyId) => sesMailer({ region: "eu-central-1", accessKeyId, secretAccessKey: "secret", apiUrl }),
    read: ({ body }) => {
      const { Subject, Body, Headers, Attachments = [] } = body.Content.Simple;
      return {
        from: mailbox(body.FromEmailAddress),
        recipients: ["To", "Cc", "Bcc"]
          .flatMap((list) => body.Destination[`${list}Addresses`] as string[])
          .map((to) => mailbox(to).address),
        replyTo: body.ReplyToAddresses && mailbox(body.ReplyToAddresses[0]),
        subject: Subject.Data,
        text: Body.Text.Data,
        html: Body.Html.Data,
        messageId: String(pairs(Headers)["x-message-id"]),
        headers: pairs(Headers),
        // biome-ignore lint/suspicious/noExplicitAny: bodies of services
        attachments: Attachments.map((one: any) => file(one.FileName, one.ContentType, one.RawContent)),
      };
    },
  },
  Mailgun: {
    create: (apiKey) => mailgunMailer({ domain: "mg.example.com", apiKey, apiUrl }),
    read: async ({ form }) => {
      const headers = byName(
        [...form].filter(([name]) => name.startsWith("h:")).map(([name, value]) => [name.slice(2), String(value)]),
      );
      const files = form.getAll("attachment").filter((one) => typeof one !== "string");
      return {
        from: mailbox(said(form, "from")),
        recipients: ["to", "cc", "bcc"].flatMap((name) => form.getAll(name)).map((to) => mailbox(String(to)).address),
        replyTo: form.has("h:Reply-To") ? mailbox(said(form, "h:Reply-To")) : undefined,
        subject: said(form, "subject"),
        text: said(form, "text"),
        html: said(form, "html"),
        messageId: String(headers["message-id"]).slice(1, -1),
        headers,
        attachments: await Promise.all(
          files.map(async (one) => ({
            name: one.name,
            mimeType: one.type,
            content: new Uint8Array(await one.arrayBuffer()),
          })),
        ),
      };
    },
  },
};

const mail: Mail = {
  from: { name: "", address: "forms@example.com" },
  to: { name: "", address: "ann@example.com" },
  subject: "Hello",
  text: "Hello",
  html: "<p>Hello</p>",
  messageId: "1@example.com",
  date: 0,
};

describe.each(Object.entries(services))("%s", (_, { create, read }) => {
  for (const { name, run } of mailerSuite) {
    it(name, () =>
      passes(run(async () => ({ driver: create("key"), received: () => Promise.all(service.posts.map(read)) }))),
    );
  }

  it("that is busy gets the mail again later", async () => {
    const backend = createTestBackend({ mailer: create("key") });
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["you@example.com"] },
    });
    service.status = 429;
    await backend.submit(form.id, { fields: { message: "Hello" } });
    await backend.tick();
    expect(service.posts).toHaveLength(0);
    service.status = 200;
    await backend.clock.advance(60 * 60 * 1_000);
    expect((await Promise.all(service.posts.map(read))).map(({ recipients }) => recipients)).toEqual([
      ["you@example.com"],
    ]);
    await backend.close();
  });

  it.each([
    [422, "ERROR_EMAIL_SMTP_5XX", false],
    [400, "ERROR_EMAIL_SMTP_5XX", false],
    [403, "ERROR_EMAIL_AUTH", true],
    [500, "ERROR_EMAIL_SMTP_4XX", true],
  ])("sorts HTTP %i as %s", async (status, code, temporary) => {
    Object.assign(service, { status, answer: { message: "no" } });
    await expect(create("key").send(mail)).rejects.toMatchObject({
      code,
      temporary,
      status,
      message: `HTTP ${status}: no`,
    });
  });

  it("names a wrong key, and the mail waits for the right one", async () => {
    service.answer = "Forbidden";
    const refused = { code: "ERROR_EMAIL_AUTH", temporary: true, message: "HTTP 401: Forbidden" };
    await expect(create("wrong").verify()).rejects.toMatchObject(refused);
    await expect(create("wrong").send(mail)).rejects.toMatchObject(refused);
  });

  it("names domains in Punycode", async () => {
    const bo = { name: "", address: "bo@Example.com" };
    const idn = (local: string) => ({ name: "Zoë", address: `${local}@bücher.example` });
    await create("key").send({
      ...mail,
      from: idn("forms"),
      to: idn("ann"),
      replyTo: idn("zoe"),
      alsoTo: [bo],
      cc: [idn("cy")],
    });
    const [sent] = await Promise.all(service.posts.map(read));
    expect([sent?.from, sent?.replyTo]).toEqual(
      ["forms", "zoe"].map((local) => ({ name: "Zoë", address: `${local}@xn--bcher-kva.example` })),
    );
    expect(sent?.recipients).toEqual(["ann@xn--bcher-kva.example", "bo@Example.com", "cy@xn--bcher-kva.example"]);
  });

  it("reads only the beginning of an answer that never ends", async () => {
    Object.assign(service, { status: 500, answer: "x".repeat(10_000_000) });
    await expect(create("key").send(mail)).rejects.toMatchObject({ message: `HTTP 500: ${"x".repeat(300)}` });
  });
});

describe("a service that is not there", () => {
  it("is a connection error, with Node's code", async () => {
    const driver = resendMailer({ apiKey: "key", apiUrl: "http://127.0.0.1:1" });
    await expect(driver.send(mail)).rejects.toMatchObject({ code: "ERROR_EMAIL_CONNECTION", temporary: true });
  });
});

describe("what a service says of its own", () => {
  it("Postmark: a recipient that bounced before is refused for good", async () => {
    Object.assign(service, { status: 422, answer: { ErrorCode: 406, Message: "inactive" } });
    const driver = postmarkMailer({ serverToken: "key", apiUrl });
    await expect(driver.send(mail)).rejects.toMatchObject({ code: "ERROR_EMAIL_INVALID_RECIPIENT", temporary: false });
  });

  it("Resend: a key that may only send is good enough", async () => {
    const message = "This API key is restricted to only send emails";
    Object.assign(service, { status: 401, answer: { name: "restricted_api_key", message } });
    await resendMailer({ apiKey: "key", apiUrl }).verify();
    await expect(resendMailer({ apiKey: "key", apiUrl }).send(mail)).rejects.toMatchObject({
      code: "ERROR_EMAIL_AUTH",
    });
  });

  it("Resend: a mail that somebody has sent again has another key than its retries", async () => {
    const backend = createTestBackend({ mailer: resendMailer({ apiKey: "key", apiUrl }) });
    const { id } = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["you@example.com"] },
    });
    await backend.submit(id, { fields: { message: "Hello" } });
    await backend.tick();
    const email = (await backend.emails.list(id)).data[0]?.id ?? "";
    for (let n = 0; n < 2; n++) {
      await backend.clock.advance(1_000);
      await backend.emails.resend(id, email);
      await backend.tick();
    }
    await backend.close();
    const keys = service.posts.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(["", "/1", "/2"].map((end) => `${email}@localhost${end}`));
  });

  it("SES: throttling comes as a 400, and is retried", async () => {
    Object.assign(service, { status: 400, answer: { __type: "TooManyRequestsException", message: "slow down" } });
    const driver = sesMailer({ region: "eu-central-1", accessKeyId: "key", secretAccessKey: "secret", apiUrl });
    await expect(driver.send(mail)).rejects.toMatchObject({ code: "ERROR_EMAIL_SMTP_4XX", temporary: true });
  });

  it.each([
    ["SendingPausedException", "paused", "ERROR_EMAIL_AUTH", true],
    ["AccountSuspendedException:http://internal.amazon.com/", "suspended", "ERROR_EMAIL_AUTH", true],
    ["MailFromDomainNotVerifiedException", "no", "ERROR_EMAIL_AUTH", true],
    ["MessageRejected", "Email address is not verified.", "ERROR_EMAIL_AUTH", true],
    ["LimitExceededException", "too much", "ERROR_EMAIL_SMTP_4XX", true],
    ["MessageRejected", "The message has a virus.", "ERROR_EMAIL_SMTP_5XX", false],
    ["BadRequestException", "no", "ERROR_EMAIL_SMTP_5XX", false],
  ])("SES: names the fault in a header: %s, %j", async (type, message, code, temporary) => {
    Object.assign(service, { status: 400, answer: { message }, type });
    const driver = sesMailer({ region: "eu-central-1", accessKeyId: "key", secretAccessKey: "secret", apiUrl });
    await expect(driver.send(mail)).rejects.toMatchObject({ code, temporary });
  });

  it.each([
    [400, "ERROR_EMAIL_AUTH", true],
    [401, "ERROR_EMAIL_AUTH", true],
    [405, "ERROR_EMAIL_AUTH", true],
    [412, "ERROR_EMAIL_AUTH", true],
    [413, "ERROR_EMAIL_AUTH", true],
    [300, "ERROR_EMAIL_SMTP_5XX", false],
  ])("Postmark: sorts its code %i as %s", async (ErrorCode, code, temporary) => {
    Object.assign(service, { status: 422, answer: { ErrorCode, Message: "no" } });
    await expect(postmarkMailer({ serverToken: "key", apiUrl }).send(mail)).rejects.toMatchObject({ code, temporary });
  });

  it("SES: keeps the first and the latest ids of a long conversation", async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `<msg_${String(n).padStart(24, "0")}@forms.example.com>`);
    const driver = sesMailer({ region: "eu-central-1", accessKeyId: "key", secretAccessKey: "secret", apiUrl });
    await driver.send({ ...mail, headers: { References: ids.join(" ") } });
    const value = String(pairs(service.posts[0]?.body.Content.Simple.Headers)["references"]);
    const kept = value.split(" ");
    expect(value.length).toBeLessThanOrEqual(870);
    expect(value.length).toBeGreaterThan(870 - 50);
    expect(kept).toEqual([ids[0], ...ids.slice(1 - kept.length)]);
  });

  it("Mailgun: the domain is in the address, links stay as they are, and its id has no brackets", async () => {
    const { id } = await mailgunMailer({ domain: "mg.example.com", apiKey: "key", apiUrl }).send(mail);
    const [post] = service.posts;
    expect([id, post?.url, post?.form.get("o:tracking")]).toEqual(["mail-1", "/v3/mg.example.com/messages", "no"]);
  });
});
