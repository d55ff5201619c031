import { onTestFinished } from "vitest";
import { type SmtpOptions, smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { type SmtpMessage, startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";

/** One server for a whole file, because an SMTP server greets each client only after 100 ms. */
export async function sharedServer(): Promise<TestSmtpServer> {
  const server = await startSmtpServer();
  atEndOfFile(() => server.close());
  return server;
}

/** A backend that sends over a real SMTP server; both are closed after the test. */
export function mailing(
  server: Pick<TestSmtpServer, "host" | "port">,
  smtp: SmtpOptions = {},
  options: TestBackendOptions = {},
): Harness {
  const mailer = smtpMailer({ host: server.host, port: server.port, ...smtp });
  return closing(harness({ mailer, from: "Example Forms <forms@example.net>", rateLimit: false, ...options }));
}

/** The backend, closed after the test. */
export function closing(backend: Harness): Harness {
  onTestFinished(() => backend.close());
  return backend;
}

/** What the server received since `before` was counted, keyed by recipient; a second mail to one recipient is a test's fault to find. */
export function byRecipient(messages: readonly SmtpMessage[]): Record<string, SmtpMessage[]> {
  const found: Record<string, SmtpMessage[]> = {};
  for (const message of messages) {
    for (const to of message.recipients) found[to] = [...(found[to] ?? []), message];
  }
  return found;
}

/** Elements of a mail's or a page's markup, in order: enough to tell whether a value added one. */
export const elementsOf = (html: string): string[] =>
  [...html.replace(/<!--[\s\S]*?-->/g, "").matchAll(/<([a-z][a-z0-9]*)[\s>]/gi)].map(([, name = ""]) =>
    name.toLowerCase(),
  );
