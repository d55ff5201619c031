import { expect, it } from "vitest";
import type { LogFields, Logger } from "../../src/index.ts";
import type { TestBackendOptions } from "../../src/testing/backend.ts";
import { harness } from "../_support/backend.ts";

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
