import { describe, expect, it } from "vitest";
import type { Mail, MailerDriver } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { MailError, type SpamCheck } from "../../../../src/index.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { harness } from "../../../_support/backend.ts";

const VALUE = "a value that nobody may read";
const DAY = 86_400_000;

async function posted(options: TestBackendOptions) {
  const log: string[] = [];
  const say = (...words: unknown[]): void => void log.push(JSON.stringify(words));
  const storage = memoryStorage();
  const b = harness({ storage, logger: { debug: say, info: say, warn: say, error: say }, ...options });
  const { id } = await b.forms.create({
    name: "A",
    self_email_notification: { recipients: ["owner@example.com"] },
    auto_response: { enabled: true },
  });
  await b.post(id, { note: VALUE, email: "ann.unheard-of@visitor.example" });
  await b.clock.advance(4 * DAY);
  const rows = await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 100 });
  return { b, id, log: log.join("\n"), jobs: JSON.stringify(rows) };
}

const failing = (fail: (mail: Mail) => unknown): MailerDriver => ({
  name: "custom",
  send: (mail) => Promise.reject(fail(mail)),
  verify: async () => {},
  close: async () => {},
});

describe("a mailer's error", () => {
  it("that is no MailError is logged by its name and place, without its text", async () => {
    const { log, jobs } = await posted({
      mailer: failing((mail) => Object.assign(new RangeError(`can't send ${mail.text}`), { code: "E_CUSTOM" })),
    });
    expect(log).toContain('the mailer \\"custom\\" failed with no MailError: RangeError E_CUSTOM\\n    at ');
    expect(log).toContain("discreet.test.ts");
    expect(`${log} ${jobs}`).not.toMatch(/can't send|a value that/);
    expect(log).not.toContain("ann.unheard-of");
    expect(jobs).toContain("ERROR_EMAIL_INTERNAL");
  });

  it("that is none of any kind is said as such", async () => {
    const { log } = await posted({ mailer: failing((mail) => mail.text) });
    expect(log).toContain("failed with no MailError: threw a string");
    expect(log).not.toContain(VALUE);
  });

  it("that cites the mail is kept without it, and its words are in no log", async () => {
    const { log, jobs } = await posted({
      mailer: failing(
        (mail) =>
          new MailError("ERROR_EMAIL_SMTP_5XX", `550 5.7.1 spam: ${mail.subject} ${mail.text}`, {
            temporary: false,
            status: 550,
            cause: new Error(mail.text),
          }),
      ),
    });
    expect(jobs).toContain("550 5.7.1 spam: […]");
    expect(log).toContain("ERROR_EMAIL_SMTP_5XX: 550 5.7.1 (");
    expect(`${log} ${jobs}`).not.toContain("a value that");
    expect(log).not.toContain("spam:");
  });
});

it("a spam check's error is logged without what the visitor sent", async () => {
  const check: SpamCheck = ({ fields }) => {
    throw new Error(`no list for ${fields.map(({ value }) => value).join()}`);
  };
  const { log } = await posted({ spam: { checks: [check] } });
  expect(log).toContain("no list for […]");
  expect(log).not.toMatch(/a value that|ann\.unheard-of/);
});
