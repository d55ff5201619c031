import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { harness } from "../_support/backend.ts";

/** A promise of a page, in its own words, and a check that shows it. */
interface Claim {
  readonly page: string;
  readonly sentence: string;
  readonly check: () => Promise<void>;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const claims: readonly Claim[] = [
  {
    page: "docs/guide/webhooks.md",
    sentence: "3xx | Failed, and sent again later like other failures; redirects are never followed.",
    async check() {
      const b = harness();
      const { id } = await b.forms.create({ name: "A" });
      await b.webhooks.create(id, { url: "https://hooks.example.com/a" });
      b.answerWebhooks(302);
      await b.submit(id, { fields: { a: "1" } });
      await b.clock.advance(3_600_000);
      expect(b.webhookCalls.length).toBeGreaterThan(1);
    },
  },
  {
    page: "docs/api/README.md",
    sentence: "Unknown query parameters are refused too. Only `/v1/health` and `/v1/openapi.json` ignore them.",
    async check() {
      const b = harness();
      const statusOf = async (path: string) => (await b.call("GET", `/v1/${path}?nocache=1&nocache=2`)).status;
      expect(await Promise.all(["forms", "health", "openapi.json"].map(statusOf))).toEqual([400, 200, 200]);
    },
  },
  {
    page: "docs/guide/files.md",
    sentence:
      "| number of parts in a post, fields and files together | 1,000, with any plan | 413 `payload_too_large` |",
    async check() {
      const b = harness();
      const { id } = await b.forms.create({ name: "A" });
      const answerTo = async (parts: number) => {
        const body = new FormData();
        for (let n = 0; n < parts; n++) body.append(`f${n % 50}`, "x");
        const { status, json } = await b.post(id, body);
        return [status, json.error?.code];
      };
      expect(await answerTo(1_001)).toEqual([413, "payload_too_large"]);
    },
  },
  {
    page: "docs/guide/email.md",
    sentence:
      "A form that is created without recipients notifies the owner of its [team](teams-and-plans.md), if your app has set one. If you empty the list later, nobody is notified.",
    async check() {
      const b = harness();
      await b.teams.create({ id: "acme", name: "Acme", owner: { email: "owner@acme.example" } });
      const { id } = await b.forms.create({ name: "A" }, { team_id: "acme" });
      await b.submit(id, { fields: { a: "1" } });
      await b.tick();
      expect(b.mails.map(({ to }) => to.address)).toEqual(["owner@acme.example"]);
      await b.forms.update(id, { self_email_notification: { recipients: [] } });
      await b.submit(id, { fields: { a: "2" } });
      await b.tick();
      expect(b.mails).toHaveLength(1);
    },
  },
  {
    page: "docs/guide/spam.md",
    sentence: "With `high`, one typical phrase is enough, or two links among fewer than 20 other words.",
    async check() {
      const b = harness({ rateLimit: false });
      const { id } = await b.forms.create({ name: "A", settings: { spam: { threshold: "high" } } });
      const isSpam = async (text: string) => {
        const { json } = await b.post(id, { text });
        return (await b.submissions.get(id, json.submission_id)).spam;
      };
      const links = "see https://a.example and https://b.example";
      expect(await isSpam(links)).toBe(true);
      expect(await isSpam(`${links} ${"plain words about our meeting ".repeat(5)}`)).toBe(false);
    },
  },
  {
    page: "README.md",
    sentence: "with `NODE_ENV=production`, an app without it answers every post with 503, and its log says why.",
    async check() {
      const before = process.env["NODE_ENV"];
      process.env["NODE_ENV"] = "production";
      try {
        const log: string[] = [];
        const logger = { ...silent, error: (line: string) => void log.push(line) };
        const b = harness({ secret: "", logger });
        expect((await b.post("any", { a: "1" })).status).toBe(503);
        expect(log.join()).toContain("secret");
      } finally {
        process.env["NODE_ENV"] = before;
      }
    },
  },
];

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

describe.each(claims)("$page: $sentence", ({ page, sentence, check }) => {
  it("stands on the page", () => {
    expect(oneLine(readFileSync(page, "utf8"))).toContain(oneLine(sentence));
  });

  it("is so", check);
});
