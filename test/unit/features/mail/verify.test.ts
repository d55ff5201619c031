import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Logger } from "../../../../src/core/options/types.ts";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { MailError, type MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createFormBackend } from "../../../../src/index.ts";
import { freePort } from "../../../_support/port.ts";
import { type SmtpServerOptions, startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";

type Line = readonly [level: keyof Logger, message: string, fields: unknown];

function started(mailer: MailerDriver, options: { verify?: boolean } = {}) {
  const lines: Line[] = [];
  const say = (level: keyof Logger) => (message: string, fields?: unknown) => void lines.push([level, message, fields]);
  const backend = createFormBackend({
    baseUrl: "http://localhost:3000/forms",
    secret: "a secret for tests that is long enough",
    work: false,
    storage: memoryStorage(),
    mailer,
    logger: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    ...options,
  });
  onTestFinished(() => backend.close());
  return { backend, lines, errors: () => lines.filter(([level]) => level === "error") };
}

async function server(options: SmtpServerOptions = {}): Promise<TestSmtpServer> {
  const made = await startSmtpServer(options);
  onTestFinished(() => made.close());
  return made;
}

const STORY = "Posts are still accepted, and each email is retried for 3 days";

describe("ready() tries the mail server", () => {
  it("and says nothing above debug where it takes the login", async () => {
    const { url, steps, messages } = await server();
    const { backend, lines } = started(smtpMailer(url.replace("//", "//user:pass@")));
    await backend.ready();
    expect(steps.map(({ stage }) => stage)).toContain("auth");
    expect(messages).toEqual([]);
    expect(lines).toEqual([["debug", "mailer smtp: the server can be reached and takes the login", undefined]]);
  });

  it("refused: nobody listens there", async () => {
    const { backend, errors } = started(smtpMailer({ host: "127.0.0.1", port: await freePort() }));
    await backend.ready();
    expect(errors()).toEqual([
      [
        "error",
        expect.stringMatching(/^mailer smtp: mail can't be sent \(ERROR_EMAIL_CONNECTION\): connect ECONNREFUSED/),
        { code: "ERROR_EMAIL_CONNECTION", message: expect.stringContaining("ECONNREFUSED") },
      ],
    ]);
    expect(errors()[0]?.[1]).toContain("check host and port of the option `mailer`");
    expect(errors()[0]?.[1]).toContain(STORY);
  });

  it("a wrong password", async () => {
    const { url } = await server({
      script: ({ stage }) =>
        stage === "auth" ? { reply: 535, text: "5.7.8 bad login for me@example.com" } : undefined,
    });
    const { backend, errors } = started(smtpMailer(url.replace("//", "//me%40example.com:wrong@")));
    await backend.ready();
    expect(errors()[0]?.[1]).toContain("(ERROR_EMAIL_AUTH)");
    expect(errors()[0]?.[1]).toContain("check the user name and password of the option `mailer`");
    expect(errors()[0]?.[1]).toContain("m…@example.com");
    expect(JSON.stringify(errors())).not.toMatch(/me@example|wrong/);
  });

  it("TLS where the server speaks none", async () => {
    const { host, port } = await server();
    const { backend, errors } = started(smtpMailer({ host, port, secure: true }));
    await backend.ready();
    expect(errors()[0]?.[1]).toContain("(ERROR_EMAIL_TLS)");
    expect(errors()[0]?.[1]).toContain(
      "check `secure` of the option `mailer` (true for port 465, false for 587 and 25)",
    );
  });

  it("a certificate that nobody vouches for", async () => {
    const { url } = await server({ tls: "implicit" });
    const { backend, errors } = started(smtpMailer(url));
    await backend.ready();
    expect(errors()[0]?.[1]).toContain("that its certificate is valid");
  });

  it("nodemailer that is not installed", async () => {
    vi.doMock("nodemailer", () => {
      throw new Error("Cannot find package 'nodemailer'");
    });
    onTestFinished(() => void vi.doUnmock("nodemailer"));
    const { backend, errors } = started(smtpMailer("smtp://127.0.0.1:25"));
    await backend.ready();
    expect(errors()[0]?.[1]).toContain("nodemailer is not installed. Run `npm install nodemailer`");
  });

  it("a mailer of one's own that throws something else", async () => {
    const own: MailerDriver = {
      name: "own",
      send: async () => ({ id: null }),
      verify() {
        throw new TypeError("no token");
      },
      close: async () => {},
    };
    const { backend, errors } = started(own);
    await backend.ready();
    expect(errors()[0]?.[1]).toMatch(/^mailer own: mail can't be sent \(ERROR_EMAIL_INTERNAL\): no token\. /);
  });

  it("once, and posts are taken all the same", async () => {
    const { backend, errors } = started(smtpMailer({ host: "127.0.0.1", port: await freePort() }));
    const form = await backend.forms.create({ name: "A", self_email_notification: { recipients: ["a@example.com"] } });
    await backend.submit(form.id, { fields: { a: "1" } });
    await backend.ready();
    await backend.ready();
    expect(errors()).toHaveLength(1);
  });

  it("while requests do not wait for it", async () => {
    let end = (_: Error): void => {};
    const verify = () => new Promise<void>((_, reject) => (end = reject));
    const { backend, errors } = started({
      name: "slow",
      send: async () => ({ id: null }),
      verify,
      close: async () => {},
    });
    expect((await backend.forms.list()).data).toEqual([]);
    end(new MailError("ERROR_EMAIL_TIMEOUT", "no greeting", { temporary: true }));
    await backend.ready();
    expect(errors()[0]?.[1]).toContain("that no firewall blocks the connection");
  });

  it("unless `verify` is false", async () => {
    const verify = vi.fn(async () => {});
    const { backend } = started(
      { name: "own", send: async () => ({ id: null }), verify, close: async () => {} },
      { verify: false },
    );
    await backend.ready();
    expect(verify).not.toHaveBeenCalled();
  });
});
