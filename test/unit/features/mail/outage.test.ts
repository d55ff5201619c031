import { expect, it, onTestFinished } from "vitest";
import type { Logger } from "../../../../src/index.ts";
import { freePort } from "../../../_support/port.ts";
import { type SmtpStep, startSmtpServer } from "../../../_support/smtp.ts";
import { mailing } from "./_mail.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What an operator reads: all but debug, without what differs from run to run. */
function readable(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line
      .replace(/\d{4}-\d\d-\d\dT(\d\d):[\d:.]+Z/g, "$1 o'clock")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:25")
      .replace(/(submission|form) [\w-]+/g, "$1 …")
      .replace(/"msg_\w+"/g, '"msg_…"'),
  );
}

it("a mail server that is down for an hour, refuses the login for a day and is right again: told, and every mail is out once", async () => {
  const port = await freePort();
  const lines: string[] = [];
  const say = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger: Logger = { debug() {}, info: say("info"), warn: say("warn"), error: say("error") };
  const auth = { user: "forms@example.net", pass: "a password" };
  const b = mailing({ host: "127.0.0.1", port }, { auth, pool: false }, { logger });

  // Down for an hour.
  await b.ready();
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["ann@example.com"] } });
  await b.submit(form.id, { fields: { text: "private words of the first" } });
  await b.clock.advance(HOUR);

  // Wrong for a day.
  const refuses = ({ stage }: SmtpStep) =>
    stage === "auth" ? { reply: 535, text: "5.7.8 bad credentials" } : undefined;
  const server = await startSmtpServer({ port, script: refuses });
  onTestFinished(() => server.close());
  await b.submit(form.id, { fields: { text: "private words of the second" } });
  await b.clock.advance(DAY);
  expect(server.messages).toEqual([]);
  expect((await b.emails.list(form.id)).data.map(({ status, code }) => [status, code])).toEqual([
    ["retrying", "ERROR_EMAIL_AUTH"],
    ["retrying", "ERROR_EMAIL_AUTH"],
  ]);

  // Right again.
  server.script = () => undefined;
  await b.clock.advance(DAY);
  expect(server.messages.map(({ text }) => /private words of the (\w+)/.exec(text)?.[1]).sort()).toEqual([
    "first",
    "second",
  ]);
  expect((await b.emails.list(form.id, { status: "succeeded" })).data).toHaveLength(2);

  const told = readable(lines);
  const mail = "email (owner_email) to a…@example.com of form …";
  const down =
    "ERROR_EMAIL_CONNECTION: ECONNREFUSED (check host and port of the option `mailer`, and that this machine can connect to them)";
  const wrong = "ERROR_EMAIL_AUTH: 535 5.7.8 (check the user name and password of the option `mailer`)";
  expect(told).toEqual([
    "error: mailer smtp: mail can't be sent (ERROR_EMAIL_CONNECTION): connect ECONNREFUSED 127.0.0.1:25; check host and port of the option " +
      "`mailer`, and that this machine can connect to them. Posts are still accepted, and each email is retried for 3 days",
    "info: submission … of form …: accepted, 1 email and 0 webhooks follow",
    `warn: ${mail}: attempt 1 failed, ${down}; the next one is at 00 o'clock`,
    `warn: ${mail}: attempt 4 failed, ${down}; the next one is at 00 o'clock`,
    "info: submission … of form …: accepted, 1 email and 0 webhooks follow",
    `warn: ${mail}: attempt 1 failed, ${wrong}; the next one is at 01 o'clock`,
    `warn: ${mail}: attempt 4 failed, ${wrong}; the next one is at 01 o'clock`,
    expect.stringMatching(/^info: email \(owner_email\) to a…@example\.com of form …: succeeded at attempt \d+$/),
    expect.stringMatching(/^info: email \(owner_email\) to a…@example\.com of form …: succeeded at attempt \d+$/),
  ]);
  expect(lines.join()).not.toMatch(/private words|a password|ann@|forms@/);
});

it("a wrong `from`: a 550 ends the mails, the log says what to do, and they go out together once it is mended", async () => {
  const server = await startSmtpServer({
    script: ({ stage }) => (stage === "mail" ? { reply: 550, text: "5.7.1 sender not owned" } : undefined),
  });
  onTestFinished(() => server.close());
  const lines: string[] = [];
  const say = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const b = mailing(server, {}, { logger: { debug() {}, info() {}, warn: say("warn"), error: say("error") } });
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["ann@example.com"] } });
  for (const n of ["1", "2"]) await b.submit(form.id, { fields: { n } });
  await b.tick();
  expect(readable(lines)).toEqual(
    Array(2).fill(
      "warn: email (owner_email) to a…@example.com of form …: attempt 1 failed, ERROR_EMAIL_SMTP_5XX: 550 5.7.1 " +
        "(if the sender is refused, set the option `from` to an address that the server is allowed to send from); it was the last one; " +
        'backend.jobs.retry("msg_…") sends it again',
    ),
  );
  server.script = () => undefined;
  expect(await b.jobs.recover({ since: "2026-01-01T00:00:00Z", statuses: ["failed"] })).toEqual({
    recovered: 2,
    has_more: false,
  });
  await b.tick();
  expect(server.messages).toHaveLength(2);
});
