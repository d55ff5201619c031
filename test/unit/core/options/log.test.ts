import { expect, it, vi } from "vitest";
import { loggerOf } from "../../../../src/core/options/logger.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { type LogFields, type Logger, MailError } from "../../../../src/index.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { harness } from "../../../_support/backend.ts";

type Line = readonly [level: keyof Logger, message: string, fields: LogFields | undefined];

function logged(options: TestBackendOptions = {}) {
  const lines: Line[] = [];
  const say = (level: keyof Logger) => (message: string, fields?: LogFields) =>
    void lines.push([level, message, fields]);
  const logger = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  return { b: harness({ logger, rateLimit: false, verify: false, ...options }), lines };
}

it("each accepted post is a line of its own, with nothing of what it holds", async () => {
  const { b, lines } = logged();
  const form = await b.forms.create({
    name: "A",
    self_email_notification: { recipients: ["me@example.com", "you@example.com"] },
  });
  await b.webhooks.create(form.id, { url: "https://example.com/hook" });
  for (let i = 0; i < 3; i++) await b.post(form.id, { email: "ann@example.com", text: "private words" });
  const accepted = lines.filter(([, message]) => message.includes("accepted"));
  expect(accepted).toHaveLength(3);
  const [submission] = (await b.submissions.list(form.id, { order: "asc" })).data;
  expect(accepted[0]).toEqual([
    "info",
    `submission ${submission?.id} of form ${form.id}: accepted, 2 emails and 1 webhook follow`,
    { form_id: form.id, team_id: "default", submission_id: submission?.id, emails: 2, webhooks: 1, over_quota: false },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/private|ann@/);
});

it("spam is a line for those who look for it", async () => {
  const { b, lines } = logged();
  const form = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await b.post(form.id, "a=1&_gotcha=x");
  expect(lines).toEqual([
    [
      "debug",
      expect.stringMatching(new RegExp(`^submission \\w+ of form ${form.id}: stored as spam \\(honeypot\\)$`)),
      { form_id: form.id, team_id: "default", submission_id: expect.any(String), checks: ["honeypot"] },
    ],
  ]);
});

it("a month that is full is a warning once, and each post beyond says that nothing is sent", async () => {
  const { b, lines } = logged({ plans: { tiny: { submissions_per_month: 1 } } });
  await b.teams.update("default", { plan: "tiny" });
  const form = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
  for (let i = 0; i < 3; i++) await b.post(form.id, { a: "1" });
  expect(lines.filter(([level]) => level === "warn")).toEqual([
    [
      "warn",
      "team default: 1 submissions of plan tiny are used up for 2026-01; further submissions are stored but not sent",
      { team_id: "default", plan: "tiny", limit: 1, month: "2026-01" },
    ],
  ]);
  const beyond = lines.filter(([, message]) =>
    message.endsWith("accepted, beyond the plan's month, so nothing is sent"),
  );
  expect(beyond.map(([level, , fields]) => [level, fields?.["over_quota"]])).toEqual([
    ["info", true],
    ["info", true],
  ]);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("the disk is full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("the disk is full"))],
])("a logger that %s fails no post and no delivery, and its lines go to stderr", async (_, fails) => {
  const written: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const logger = { debug: fails, info: fails, warn: fails, error: fails };
    const mailer = memoryMailer();
    mailer.fail = () => new MailError("ERROR_EMAIL_SMTP_5XX", "550 No", { temporary: false });
    const b = harness({ logger, mailer, rateLimit: false, verify: false });
    const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["me@example.com"] } });
    expect((await b.post(form.id, { a: "1" })).status).toBe(200);
    expect(await b.tick()).toEqual({ ran: 1 });
    expect(await b.jobs.list()).toMatchObject([{ status: "failed" }]);
  } finally {
    stderr.mockRestore();
  }
  expect(written[0]).toMatch(/^\[form-backend\] error: the option `logger` failed.*the disk is full/);
  expect(written.filter((line) => line.includes("`logger`"))).toHaveLength(1);
  expect(written.some((line) => line.startsWith("[form-backend] info: submission "))).toBe(true);
  expect(written.some((line) => line.startsWith("[form-backend] warn: email (owner_email)"))).toBe(true);
});

it.each([
  ["left out", undefined],
  ["empty", ""],
])("warnings go to stderr in production where the variable of Node's test runner is %s", (_, runner) => {
  vi.stubEnv("NODE_ENV", "production");
  vi.stubEnv("NODE_TEST_CONTEXT", runner);
  const written: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    loggerOf(undefined).warn("look here");
  } finally {
    stderr.mockRestore();
    vi.unstubAllEnvs();
  }
  expect(written).toEqual(["[form-backend] warn: look here\n"]);
});
