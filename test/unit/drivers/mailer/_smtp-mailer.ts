import { expect } from "vitest";
import {
  type SmtpMailerOptions,
  type SmtpOptions,
  type SmtpTransport,
  smtpMailer,
} from "../../../../src/drivers/mailer/smtp.ts";
import { type Mail, MailError, type MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { type SmtpServerOptions, startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";

export const MAIL: Mail = {
  from: { name: "Contact form", address: "forms@example.com" },
  to: { name: "Ann", address: "ann@example.com" },
  subject: "New submission",
  text: "name: Bo",
  html: "<p>name: Bo</p>",
  messageId: "msg_1@example.com",
  date: Date.UTC(2026, 10, 21, 4, 16),
};

export async function serve(options: SmtpServerOptions = {}): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options);
  // Not after each test, because the tests overlap: an SMTP server greets after 100 ms.
  atEndOfFile(() => server.close());
  return server;
}

export function mailerFor(
  target: TestSmtpServer | SmtpTransport | string,
  options: SmtpOptions = {},
  more?: SmtpMailerOptions,
): MailerDriver {
  const mailer = smtpMailer(
    typeof target === "object" && "port" in target ? { host: target.host, port: target.port, ...options } : target,
    more,
  );
  atEndOfFile(() => mailer.close());
  return mailer;
}

export async function failure(sending: Promise<unknown>): Promise<MailError> {
  const error: unknown = await sending.then(
    () => "it was sent",
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(MailError);
  return error as MailError;
}
