import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import type { SmtpTransport } from "../../../../src/drivers/mailer/smtp.ts";
import type { MailError } from "../../../../src/drivers/mailer/types.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { type SmtpStep, startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";
import { failure, MAIL, mailerFor, serve } from "./_smtp-mailer.ts";

const at =
  (stage: SmtpStep["stage"], fault: Exclude<ReturnType<TestSmtpServer["script"]>, undefined>) => (step: SmtpStep) =>
    step.stage === stage ? fault : undefined;

describe("faults", () => {
  type Expected = Partial<Pick<MailError, "code" | "temporary" | "status">> & { nodeErrorCode?: unknown };
  const scripted: [string, TestSmtpServer["script"], Expected][] = [
    [
      "421 instead of a greeting",
      at("connect", { reply: 421 }),
      { code: "ERROR_EMAIL_SMTP_4XX", temporary: true, status: 421 },
    ],
    ["421 at RCPT", at("rcpt", { reply: 421 }), { code: "ERROR_EMAIL_SMTP_4XX", temporary: true, status: 421 }],
    ["450 greylisting", at("rcpt", { reply: 450 }), { code: "ERROR_EMAIL_SMTP_4XX", temporary: true, status: 450 }],
    [
      "451 after the message",
      at("data", { reply: 451 }),
      { code: "ERROR_EMAIL_SMTP_4XX", temporary: true, status: 451 },
    ],
    [
      "550 for the recipient",
      at("rcpt", { reply: 550 }),
      { code: "ERROR_EMAIL_SMTP_5XX", temporary: false, status: 550 },
    ],
    ["553 for the sender", at("mail", { reply: 553 }), { code: "ERROR_EMAIL_SMTP_5XX", temporary: false, status: 553 }],
    [
      "554 for the message",
      at("data", { reply: 554 }),
      { code: "ERROR_EMAIL_SMTP_5XX", temporary: false, status: 554 },
    ],
    ["535 at login", at("auth", { reply: 535 }), { code: "ERROR_EMAIL_AUTH", temporary: true, status: 535 }],
    ["454 at login", at("auth", { reply: 454 }), { code: "ERROR_EMAIL_AUTH", temporary: true, status: 454 }],
    ["421 at login", at("auth", { reply: 421 }), { code: "ERROR_EMAIL_SMTP_4XX", temporary: true, status: 421 }],
    ["530 without login", at("mail", { reply: 530 }), { code: "ERROR_EMAIL_AUTH", temporary: true, status: 530 }],
    [
      "a hanging greeting",
      at("connect", "hang"),
      { code: "ERROR_EMAIL_TIMEOUT", temporary: true, nodeErrorCode: "ETIMEDOUT" },
    ],
    [
      "a hang after DATA",
      at("data", "hang"),
      { code: "ERROR_EMAIL_TIMEOUT", temporary: true, nodeErrorCode: "ETIMEDOUT" },
    ],
    [
      "a cut at RCPT",
      at("rcpt", "drop"),
      { code: "ERROR_EMAIL_CONNECTION", temporary: true, nodeErrorCode: expect.any(String) },
    ],
    [
      "a cut before the 250",
      at("data", "drop"),
      { code: "ERROR_EMAIL_CONNECTION", temporary: true, nodeErrorCode: expect.any(String) },
    ],
    [
      "a cut before the greeting",
      at("connect", "drop"),
      { code: "ERROR_EMAIL_CONNECTION", temporary: true, nodeErrorCode: expect.any(String) },
    ],
  ];
  for (const pool of [true, false]) {
    for (const [name, script, expected] of scripted) {
      test.concurrent(`${name} (${pool ? "pooled" : "one connection each"})`, async () => {
        const server = await serve({ script });
        // Real time: a machine that is busy takes its own for a server that answers.
        const limit = name.includes("hang") ? 2_000 : 60_000;
        const mailer = mailerFor(server, {
          pool,
          auth: { user: "ann", pass: "secret" },
          greetingTimeout: limit,
          socketTimeout: limit,
        });
        const error = await failure(mailer.send(MAIL));
        expect(error).toMatchObject({ status: undefined, nodeErrorCode: undefined, ...expected });
        expect(error.message).toMatch(/^[^\r\n]{1,1024}$/);
        expect(server.messages).toEqual([]);
        // The next mail is none the worse for it.
        server.script = () => undefined;
        await mailer.send(MAIL);
        expect(server.messages).toHaveLength(1);
      });
    }
  }

  test("a drop after the 250 counts as sent, exactly once", async () => {
    const server = await serve({ script: at("data", "drop-after-250") });
    for (const pool of [true, false]) await mailerFor(server, { pool }).send(MAIL);
    expect(server.messages).toHaveLength(2);
  });

  test("one bad recipient of five: the four others get one mail each", async () => {
    const server = await serve({
      script: (step) => (step.address === "ann2@example.com" ? { reply: 550 } : undefined),
    });
    const mailer = mailerFor(server);
    const sends = [0, 1, 2, 3, 4].map((n) =>
      mailer.send({ ...MAIL, to: { name: "", address: `ann${n}@example.com` } }),
    );
    const results = await Promise.allSettled(sends);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    const recipients = server.messages.flatMap((message) => message.recipients).sort();
    expect(recipients).toEqual(["ann0@example.com", "ann1@example.com", "ann3@example.com", "ann4@example.com"]);
  });

  test("a refused connection", async () => {
    const server = await startSmtpServer();
    await server.close();
    const error = await failure(mailerFor(server).send(MAIL));
    expect(error).toMatchObject({
      code: "ERROR_EMAIL_CONNECTION",
      temporary: true,
      nodeErrorCode: "ECONNREFUSED",
      status: undefined,
    });
  });

  test("a name that does not resolve", async () => {
    const mailer = mailerFor("smtp://mail.invalid?dnsTimeout=800");
    expect(await failure(mailer.send(MAIL))).toMatchObject({
      code: "ERROR_EMAIL_CONNECTION",
      temporary: true,
      nodeErrorCode: expect.stringMatching(/^E/),
      status: undefined,
    });
  });

  test("STARTTLS required and not offered", async () => {
    const server = await serve();
    const mailer = mailerFor(server, { requireTLS: true, auth: { user: "ann", pass: "secret" } });
    expect(await failure(mailer.send(MAIL))).toMatchObject({ code: "ERROR_EMAIL_TLS", temporary: true });
    expect(server.steps.map(({ stage }) => stage)).toEqual(["connect"]);
  });

  test("a self-signed certificate, by STARTTLS and by implicit TLS", async () => {
    for (const [tls, secure] of [
      ["offered", false],
      ["implicit", true],
    ] as const) {
      const server = await serve({ tls });
      expect(await failure(mailerFor(server, { secure }).send(MAIL))).toMatchObject({
        code: "ERROR_EMAIL_TLS",
        temporary: true,
        nodeErrorCode: "DEPTH_ZERO_SELF_SIGNED_CERT",
        status: undefined,
      });
      expect(server.messages).toEqual([]);
    }
  });

  test("TLS spoken to a server without it", async () => {
    const server = await serve();
    expect(await failure(mailerFor(server, { secure: true }).send(MAIL))).toMatchObject({
      code: "ERROR_EMAIL_TLS",
      temporary: true,
    });
  });

  test("a long reply with control characters becomes a short line", async () => {
    const server = await serve({ script: at("rcpt", { reply: 550, text: `\u001b[31mno ${"😀".repeat(2000)}` }) });
    const error = await failure(mailerFor(server).send(MAIL));
    expect(error.message.length).toBeLessThanOrEqual(1024);
    expect(error.message.isWellFormed()).toBe(true);
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });
});

describe.concurrent("time", () => {
  test("a send ends when its time is up, though the server keeps talking", async () => {
    // A reply that never ends: no socket timeout notices it.
    const trickle = createServer((socket) => {
      const timer = setInterval(() => socket.write("220-still here\r\n"), 20);
      socket.on("close", () => clearInterval(timer)).on("error", () => {});
    });
    await new Promise<void>((resolve) => trickle.listen(0, "127.0.0.1", resolve));
    atEndOfFile(() => trickle.close());
    const { port } = trickle.address() as { port: number };
    const mailer = mailerFor(`smtp://127.0.0.1:${port}`, {}, { timeoutMs: 200 });
    const [sent, verified] = await Promise.all([failure(mailer.send(MAIL)), failure(mailer.verify())]);
    for (const error of [sent, verified]) expect(error).toMatchObject({ code: "ERROR_EMAIL_TIMEOUT", temporary: true });
  });

  test("waiting for a free connection counts", async () => {
    const server = await serve({ script: at("data", "hang") });
    const mailer = mailerFor(server, { maxConnections: 1 }, { timeoutMs: 300 });
    const errors = await Promise.all([failure(mailer.send(MAIL)), failure(mailer.send(MAIL))]);
    expect(errors.map(({ code }) => code)).toEqual(["ERROR_EMAIL_TIMEOUT", "ERROR_EMAIL_TIMEOUT"]);
  });

  test("an abort ends the send at once, and the pool goes on", async () => {
    const server = await serve({ script: at("data", "hang") });
    const mailer = mailerFor(server, { maxConnections: 1 });
    const controller = new AbortController();
    server.script = (step) => {
      if (step.stage !== "data") return undefined;
      controller.abort();
      return "hang";
    };
    expect(await failure(mailer.send(MAIL, { signal: controller.signal }))).toMatchObject({
      code: "ERROR_EMAIL_TIMEOUT",
      temporary: true,
    });
    server.script = () => undefined;
    await mailer.send(MAIL);
    expect(server.messages).toHaveLength(1);
  });

  test("a transport that ignores the signal is not waited for", async () => {
    const deaf: SmtpTransport = { sendMail: () => new Promise(() => {}), verify: async () => true, close() {} };
    expect(await failure(mailerFor(deaf, {}, { timeoutMs: 50 }).send(MAIL))).toMatchObject({
      code: "ERROR_EMAIL_TIMEOUT",
    });
  });
});
