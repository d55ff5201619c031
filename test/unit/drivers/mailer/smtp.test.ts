import { createTransport } from "nodemailer";
import { describe, expect, test, vi } from "vitest";
import { type SmtpTransport, smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { mailerSuite } from "../../../../src/surfaces/testing/mailer.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { passes } from "../../../_support/passes.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";
import { failure, MAIL, mailerFor, serve } from "./_smtp-mailer.ts";

describe.concurrent("smtpMailer with a URL", () => {
  for (const c of mailerSuite) {
    test(c.name, async ({ expect: own }) => {
      const server = await serve();
      await passes(
        c.run(() => ({ driver: smtpMailer(server.url), received: () => server.messages })),
        own,
      );
    });
  }
});

describe.concurrent("smtpMailer with a transport of the host", () => {
  for (const c of mailerSuite) {
    test(c.name, async ({ expect: own }) => {
      const server = await serve();
      const transport = createTransport({ host: server.host, port: server.port });
      await passes(
        c.run(() => ({ driver: smtpMailer(transport), received: () => server.messages })),
        own,
      );
    });
  }
});

describe.concurrent("what goes over the wire", () => {
  test("an envelope of two bare addresses, Message-ID and Date as given", async () => {
    const server = await serve();
    expect(await mailerFor(server).send(MAIL)).toEqual({ id: "msg_1@example.com" });
    const [message] = server.messages;
    expect(message).toMatchObject({
      envelopeFrom: "forms@example.com",
      recipients: ["ann@example.com"],
      date: "2026-11-21T04:16:00.000Z",
    });
    expect(message!.raw).toContain("\r\nMessage-ID: <msg_1@example.com>\r\n");
    expect(message!.headerNames).toEqual([...new Set(message!.headerNames)]);
  });

  test("a text that names a file or a URL is sent as text", async () => {
    const server = await serve();
    const path = {
      ...MAIL,
      text: { path: "/etc/hostname" } as unknown as string,
      html: { href: server.url } as unknown as string,
    };
    await failure(mailerFor(server).send(path));
    expect(server.messages).toEqual([]);
    await mailerFor(server).send({ ...MAIL, text: "/etc/hostname", html: "" });
    expect(server.messages[0]?.text.trim()).toBe("/etc/hostname");
  });

  test("connections are kept for the next mail, and closed with the mailer", async () => {
    const server = await serve();
    const mailer = mailerFor(server);
    for (let n = 0; n < 5; n++) await mailer.send(MAIL);
    expect(server.messages.map(({ connection }) => connection)).toEqual([1, 1, 1, 1, 1]);
    await mailer.close();
    expect(await failure(mailer.send(MAIL))).toMatchObject({ code: "ERROR_EMAIL_INTERNAL", temporary: true });
  });

  test("a transport that was handed in is not closed", async () => {
    const server = await serve();
    const transport = createTransport({ host: server.host, port: server.port, pool: true });
    atEndOfFile(() => transport.close());
    const close = vi.spyOn(transport, "close");
    const mailer = mailerFor(transport);
    await mailer.send(MAIL);
    await mailer.close();
    expect(close).not.toHaveBeenCalled();
    await transport.sendMail({ from: "a@example.com", to: "b@example.com", text: "still open" });
    expect(server.messages).toHaveLength(2);
  });

  test("a connection that the server dropped while idle costs a mail nothing", async () => {
    const server = await serve({
      script: (step) => (step.stage === "data" && step.connection === 1 ? "drop-after-250" : undefined),
    });
    const mailer = mailerFor(server);
    for (const messageId of ["1@example.com", "2@example.com", "3@example.com"])
      await mailer.send({ ...MAIL, messageId });
    expect(server.messages.map(({ messageId }) => messageId)).toEqual([
      "1@example.com",
      "2@example.com",
      "3@example.com",
    ]);
  });

  test("STARTTLS is used when offered, and login works over it", async () => {
    const server = await serve({ tls: "required" });
    const mailer = mailerFor(server, {
      requireTLS: true,
      tls: { ca: server.certificate },
      auth: { user: "ann", pass: "secret" },
    });
    await mailer.send(MAIL);
    expect(server.messages[0]).toMatchObject({ secure: true, username: "ann" });
  });

  test("implicit TLS by URL, whose options are nodemailer's", async () => {
    const server = await serve({ tls: "implicit" });
    await mailerFor(`${server.url}?tls.rejectUnauthorized=false&pool=false`).send(MAIL);
    expect(server.messages[0]?.secure).toBe(true);
  });
});

describe("verify", () => {
  test("tells a right login from a wrong one", async () => {
    const script: TestSmtpServer["script"] = (step) =>
      step.stage === "auth" && step.password !== "secret" ? { reply: 535 } : undefined;
    const server = await serve({ script });
    await mailerFor(server, { auth: { user: "ann", pass: "secret" } }).verify();
    const wrong = mailerFor(server, { auth: { user: "ann", pass: "wrong" } });
    expect(await failure(wrong.verify())).toMatchObject({ code: "ERROR_EMAIL_AUTH", status: 535 });
    expect(server.messages).toEqual([]);
  });

  test("reports a server that is down", async () => {
    const server = await startSmtpServer();
    await server.close();
    expect(await failure(mailerFor(server).verify())).toMatchObject({
      code: "ERROR_EMAIL_CONNECTION",
      nodeErrorCode: "ECONNREFUSED",
    });
  });
});

describe("construction", () => {
  test("a URL of another kind and a missing setting are refused, without repeating a password", () => {
    const message =
      "[form-backend] smtpMailer takes a nodemailer transport, its options, or a URL that begins with smtp: or smtps:.";
    expect(() => smtpMailer("https://ann:secret@example.com")).toThrow(new Error(message));
    expect(() => smtpMailer(process.env.NO_SUCH_SETTING as string)).toThrow(new Error(message));
  });

  test("without nodemailer the error says what to do, and a transport still works", async () => {
    vi.doMock("nodemailer", () => {
      throw new Error("Cannot find package 'nodemailer'");
    });
    const mailer = mailerFor("smtp://127.0.0.1:1");
    for (const error of [await failure(mailer.send(MAIL)), await failure(mailer.verify())]) {
      expect(error).toMatchObject({ code: "ERROR_EMAIL_INTERNAL", temporary: true });
      expect(error.message).toContain("npm install nodemailer");
    }
    vi.doUnmock("nodemailer");
    const sendMail = vi.fn<SmtpTransport["sendMail"]>(async () => ({}));
    expect(await mailerFor({ sendMail, verify: async () => true, close() {} }).send(MAIL)).toEqual({ id: null });
    expect(sendMail.mock.calls[0]?.[0]).toMatchObject({
      envelope: { from: "forms@example.com", to: ["ann@example.com"] },
      from: { name: "Contact form", address: "forms@example.com" },
      to: { name: "Ann", address: "ann@example.com" },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  });
});
