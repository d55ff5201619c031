import fastify from "fastify";
import { expect, it } from "vitest";
import type { Logger } from "../../../../src/core/options/types.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import type { Events } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

const DAY = 24 * 3_600_000;
type Line = readonly [level: keyof Logger, message: string, fields: Record<string, unknown>];

async function world() {
  const lines: Line[] = [];
  const say =
    (level: keyof Logger) =>
    (message: string, fields: object = {}) =>
      void lines.push([level, message, { ...fields }]);
  const mailer = memoryMailer();
  const logger = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  const b = harness({ mailer, logger, rateLimit: false });
  const events: { type: keyof Events; event: Record<string, unknown> }[] = [];
  b.on("*", (type, event) => void events.push({ type, event: event as never }));
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["ann@example.com"] } });
  const about = (word: string) => lines.filter(([, message]) => message.includes(word));
  return { b, mailer, form, lines, about, events };
}

const refused = (reply: number) => () =>
  new MailError("ERROR_EMAIL_AUTH", `${reply} bad login for ann@example.com\r\nX: y`, {
    temporary: true,
    status: reply,
  });

it("a mail that fails for 3 days is said at the first, the fourth and the last attempt, and the rest at debug", async () => {
  const { b, mailer, form, about, events } = await world();
  mailer.fail = refused(535);
  const { id } = await b.submit(form.id, { fields: { a: "1" } });
  await b.clock.advance(4 * DAY);

  const attempts = about("attempt");
  const warned = attempts.filter(([level]) => level === "warn");
  const last = attempts.length;
  expect(warned.map(([, , { attempt }]) => attempt)).toEqual([1, 4, last]);
  expect(attempts.map(([level]) => level)).toEqual(
    attempts.map((_, at) => ([0, 3, last - 1].includes(at) ? "warn" : "debug")),
  );
  expect(warned[0]?.[1]).toMatch(
    new RegExp(
      `^email \\(owner_email\\) to a…@example\\.com of form ${form.id}: attempt 1 failed, ERROR_EMAIL_AUTH: 535 ` +
        "\\(check the user name and password of the option `mailer`\\); the next one is at 2026-01-01T00:00:0\\d\\.\\d{3}Z$",
    ),
  );
  expect(warned[0]?.[2]).toEqual({
    delivery_id: expect.stringMatching(/^msg_/),
    kind: "owner_email",
    form_id: form.id,
    team_id: "default",
    submission_id: id,
    to: "a…@example.com",
    attempt: 1,
    code: "ERROR_EMAIL_AUTH",
    message: "535",
    next_attempt_at: expect.stringMatching(/^2026-01-01T/),
  });
  expect(warned[2]?.[1]).toContain("it was the last one");
  expect(warned[2]?.[2]["next_attempt_at"]).toBeNull();

  const told = events.filter(({ type }) => type.startsWith("email."));
  expect(told.map(({ type }) => type)).toEqual([...Array(last - 1).fill("email.retrying"), "email.failed"]);
  expect(told[0]?.event).toEqual({
    id: expect.stringMatching(/^msg_/),
    form_id: form.id,
    team_id: "default",
    submission_id: id,
    kind: "owner_email",
    to: "ann@example.com",
    status: "retrying",
    attempt: 1,
    code: "ERROR_EMAIL_AUTH",
    message: "535 bad login for ann@example.com X: y",
    http_status: 535,
    occurred_at: "2026-01-01T00:00:00.000Z",
    next_attempt_at: expect.stringMatching(/^2026-01-01T/),
  });
});

it("a mail that goes out after all says so", async () => {
  const { b, mailer, form, about, events } = await world();
  mailer.fail = refused(535);
  await b.submit(form.id, { fields: { a: "1" } });
  await b.tick();
  mailer.fail = undefined;
  await b.clock.advance(60_000);
  expect(about("succeeded").map(([level, message]) => [level, message])).toEqual([
    ["info", `email (owner_email) to a…@example.com of form ${form.id}: succeeded at attempt 2`],
  ]);
  expect(events.at(-1)).toMatchObject({
    type: "email.sent",
    event: { attempt: 2, code: "SUCCESS", message: null, next_attempt_at: null },
  });
});

it("a webhook's attempts are told alike", async () => {
  const { b, form, about, events } = await world();
  const webhook = await b.webhooks.create(form.id, { url: "https://example.com/hook" });
  b.answerWebhooks(503);
  const { id } = await b.submit(form.id, { fields: { a: "1" } });
  await b.tick();
  expect(about("webhook whk_").map(([level, message]) => [level, message])).toEqual([
    [
      "warn",
      expect.stringMatching(
        new RegExp(
          `^webhook ${webhook.id} of form ${form.id}: attempt 1 failed, ERROR_WEBHOOK_HTTP_5XX: HTTP 503; the next one is at 2026-`,
        ),
      ),
    ],
  ]);
  expect(events.find(({ type }) => type === "delivery.retrying")?.event).toMatchObject({
    form_id: form.id,
    team_id: "default",
    submission_id: id,
    webhook_id: webhook.id,
    attempt: 1,
    code: "ERROR_WEBHOOK_HTTP_5XX",
    message: "HTTP 503",
    next_attempt_at: expect.stringMatching(/^2026-/),
  });
  b.answerWebhooks(200);
  await b.clock.advance(60_000);
  expect(events.at(-1)).toMatchObject({ type: "delivery.succeeded", event: { webhook_id: webhook.id, attempt: 2 } });
});

it("a delivery that is sent again is told like a new one", async () => {
  const { b, form, about } = await world();
  const webhook = await b.webhooks.create(form.id, { url: "https://example.com/hook" });
  b.answerWebhooks(503);
  const { id } = await b.submit(form.id, { fields: { a: "1" } });
  await b.clock.advance(60_000);
  const before = about("webhook whk_").length;
  expect(before).toBeGreaterThan(1);
  await b.deliveries.redeliver(form.id, webhook.id, id);
  await b.tick();
  expect(
    about("webhook whk_")
      .slice(before)
      .map(([level, , { attempt }]) => [level, attempt]),
  ).toEqual([["warn", before + 1]]);
});

it("pino gets the fields in front of the message, and keeps them", async () => {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  // Fastify's own logger is pino.
  const { log } = fastify({ logger: { level: "debug", base: null, timestamp: false, stream } });
  const b = harness({ logger: log, rateLimit: false });
  const form = await b.forms.create({ name: "A" });
  await b.webhooks.create(form.id, { url: "https://example.com/hook" });
  b.answerWebhooks(500);
  await b.submit(form.id, { fields: { a: "1" } });
  await b.tick();
  expect(lines).toContainEqual({
    level: 40,
    msg: expect.stringContaining("attempt 1 failed, ERROR_WEBHOOK_HTTP_5XX"),
    ...{ delivery_id: expect.any(String), kind: "webhook", form_id: form.id, team_id: "default" },
    ...{ submission_id: expect.any(String), webhook_id: expect.any(String), attempt: 1 },
    ...{ code: "ERROR_WEBHOOK_HTTP_5XX", message: "HTTP 500", next_attempt_at: expect.any(String) },
  });
});
