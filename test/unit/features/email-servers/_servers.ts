import { afterAll, onTestFinished } from "vitest";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import {
  createTestBackend,
  type TestBackend,
  type TestBackendOptions,
} from "../../../../src/surfaces/testing/backend.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";

export const PASSWORD = "correct horse battery";

/** The server that the backend sends over by itself, and one of a team that takes one password. */
export const own: TestSmtpServer = await startSmtpServer();
export const teams: TestSmtpServer = await startSmtpServer({
  script: (step) =>
    step.stage === "auth" && step.password !== PASSWORD ? { reply: 535, text: "no such login" } : undefined,
});
afterAll(() => Promise.all([own.close(), teams.close()]));

export function backendWith(options: TestBackendOptions = {}): TestBackend {
  const mailer = smtpMailer(own.url, { teamServers: { greetingTimeout: 400, connectionTimeout: 1_000 } });
  const backend = createTestBackend({ mailer, ...options });
  onTestFinished(() => backend.close());
  return backend;
}

/** What creates the team's server. */
export const settings = (more: object = {}) => ({
  name: "Our server",
  host: "127.0.0.1",
  port: teams.port,
  username: "team",
  password: PASSWORD,
  from: "Our team <team@example.com>",
  ...more,
});
