import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { harness } from "../_support/backend.ts";
import { type Claim, checked } from "../_support/claims.ts";

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
  {
    page: "README.md",
    sentence:
      "Three days earlier, another machine with two cores reached 5,859 posts a second on SQLite and 4,794 on PostgreSQL, 2.1 and 3.5 times the transaction by hand.",
    async check() {
      const bench = readFileSync("docs/operations/benchmarks.md", "utf8").replace(/\s+/g, " ");
      expect(bench).toContain(
        "5,859 posts/s in Express on SQLite and 4,794 on PostgreSQL, 2.13 and 3.45 times Express by hand",
      );
      expect(bench).toContain("Ingest on SQLite, measured on 2026-11-29, three rounds");
    },
  },
  {
    page: "docs/guide/teams-and-plans.md",
    sentence:
      "A plan does not limit the total bytes of a team: spam, and submissions beyond `submissions_per_month`, are stored too.",
    async check() {
      const b = harness({ rateLimit: false, plans: { unlimited: { submissions_per_month: 1 } } });
      const { id } = await b.forms.create({ name: "A" });
      for (const more of [{}, {}, {}, { _gotcha: "x" }, { _gotcha: "y" }]) await b.post(id, { a: "1", ...more });
      expect((await b.submissions.list(id, { status: "all" })).data).toHaveLength(5);
    },
  },
  {
    page: "docs/guide/teams-and-plans.md",
    sentence:
      "`team_id` narrows `forms.list`, `forms.overview`, `submissions.list(null, …)`, `keys.list` and `emailServers.list`.",
    async check() {
      const b = harness();
      const server = { name: "S", host: "smtp.example.com", port: 587, from: "a@example.com" };
      for (const team_id of ["a", "b"]) {
        await b.teams.create({ id: team_id, name: team_id });
        const { id } = await b.forms.create({ name: team_id }, { team_id });
        await b.submit(id, { fields: { a: "1" } });
        await b.keys.create({ name: team_id, team_id, scopes: "all" });
        await b.emailServers.create({ ...server, team_id });
      }
      const query = { team_id: "a" };
      const forms = await b.forms.list(query);
      const pages = [forms, await b.forms.overview(query), await b.submissions.list(null, query)];
      const [form] = forms.data;
      expect(pages.map(({ data }) => data.length)).toEqual([1, 1, 1]);
      expect(form?.name).toBe("a");
      const lists = [await b.keys.list(query), await b.emailServers.list(query)];
      expect(lists.flat().map(({ team_id }) => team_id)).toEqual(["a", "a"]);
    },
  },
  {
    page: "docs/operations/serverless.md",
    sentence:
      'With `work: "on-request"` the process has no timers and no listeners, which a frozen process can\'t serve. All that is due runs after each request that has a `waitUntil`, and in `tick()`',
    async check() {
      const b = harness({ work: "on-request" });
      const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["a@example.com"] } });
      const post = (): Request =>
        new Request(`${b.baseUrl}/f/${id}`, { method: "POST", body: new URLSearchParams({ a: "1" }) });
      const held: Promise<unknown>[] = [];
      await b.handle(post());
      expect(b.mails).toHaveLength(0);
      await b.handle(post(), { waitUntil: (work) => held.push(work) });
      await Promise.all(held);
      expect(b.mails).toHaveLength(2);
      await b.handle(post());
      await b.tick();
      expect(b.mails).toHaveLength(3);
    },
  },
  {
    page: "docs/operations/serverless.md",
    sentence: "Do not use `work: false` here: then only `tick()` sends anything, up to a minute late.",
    async check() {
      const b = harness({ work: false });
      const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["a@example.com"] } });
      const held: Promise<unknown>[] = [];
      const body = new URLSearchParams({ a: "1" });
      await b.handle(new Request(`${b.baseUrl}/f/${id}`, { method: "POST", body }), {
        waitUntil: (work) => held.push(work),
      });
      await Promise.all(held);
      expect(b.mails).toHaveLength(0);
      await b.tick();
      expect(b.mails).toHaveLength(1);
    },
  },
  {
    page: "docs/reference/in-process.md",
    sentence:
      "`team_id` narrows `forms.list`, `forms.overview`, `submissions.list(null, …)`, `keys.list` and `emailServers.list`; `form_id` narrows `jobs.list`. Without `team_id`, a new form belongs to the team `default`.",
    async check() {
      const b = harness();
      const forms = [await b.forms.create({ name: "A" }), await b.forms.create({ name: "B" })] as const;
      expect(forms.map(({ team_id }) => team_id)).toEqual(["default", "default"]);
      for (const { id } of forms) {
        await b.webhooks.create(id, { url: "https://hooks.example.com/" });
        await b.submit(id, { fields: { a: "1" } });
      }
      expect(await b.jobs.list()).toHaveLength(2);
      expect((await b.jobs.list({ form_id: forms[0].id })).map(({ form_id }) => form_id)).toEqual([forms[0].id]);
    },
  },
];

checked(claims);
