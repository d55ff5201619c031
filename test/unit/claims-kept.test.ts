import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect } from "vitest";
import { memoryStorage } from "../../src/drivers/storage/memory.ts";
import { testClock } from "../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "../_support/backend.ts";
import { type Claim, checked } from "../_support/claims.ts";
import { encryption } from "../_support/privacy.ts";
import { httpReceiver, type Receiver } from "../_support/receivers.ts";
import { NEW, OLD } from "../_support/rotation.ts";
import { inboxHarness } from "./surfaces/inbox/_inbox.ts";

const DAY = 86_400_000;

/** Backends on one store, one for each value of `secret`. */
function withSecrets(...secrets: readonly (string | string[])[]) {
  const storage = memoryStorage();
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  return secrets.map((secret) => harness({ storage, clock, secret, rateLimit: false }));
}

/** Refuses every request and sends it back between words of its own. */
let receiver: Receiver;
beforeAll(async () => {
  receiver = await httpReceiver(async (request, response) => {
    response.writeHead(422).end(`rule 7 ${await text(request)} ${"z".repeat(5_000)}`);
  });
});
afterAll(() => receiver.close());

/** A form with a webhook whose receiver refused its one submission. */
async function refused() {
  const b = harness({ encryption, webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } });
  const { id } = await b.forms.create({ name: "A" });
  await b.webhooks.create(id, { url: `http://127.0.0.1:${receiver.port}/` });
  const { id: submission } = await b.submit(id, { fields: { note: "a secret of mine" } });
  await b.tick();
  const message = async () => (await b.jobs.list({ kind: "webhook", submission_id: submission }))[0]?.message;
  return { b, id, submission, message };
}

checked([
  {
    page: "docs/operations/upgrades.md",
    sentence:
      "links that confirm a submission after the longest `expires` of a form's double opt-in (up to 30 days), page tokens after 24 hours",
    async check() {
      const [old, both, next] = withSecrets(OLD, [NEW, OLD], NEW) as [Harness, Harness, Harness];
      const settings = { double_opt_in: { enabled: true, expires: "30_days" as const } };
      const { id } = await old.forms.create({ name: "A", settings });
      for (const n of [1, 2]) await old.submit(id, { fields: { email: `a${n}@example.com` } });
      await old.tick();
      const links = old.mails.map((mail) => /\/c\/\S+/.exec(mail.text)?.[0] ?? "");
      const press = async (b: Harness, link: string) =>
        (await b.fetch(new Request(`${b.baseUrl}${link}`, { method: "POST" }))).status;
      await old.clock.advance(8 * DAY);
      expect(await press(next, links[0] ?? "")).toBe(404);
      expect(await press(both, links[0] ?? "")).toBe(200);
      await old.clock.advance(21 * DAY);
      expect(await press(both, links[1] ?? "")).toBe(200);
      expect((await old.submissions.count(id)).count).toBe(2);
    },
  },
  {
    page: "docs/operations/upgrades.md",
    sentence: "Sessions of the inbox, idempotency keys and links to thank-you pages also depend on the secret",
    async check() {
      const [old, both, next] = withSecrets(OLD, [NEW, OLD], NEW) as [Harness, Harness, Harness];
      const { id } = await old.forms.create({ name: "A", settings: { fields: { pin: { store: "hash" } } } });
      const post = async (b: Harness) => (await b.post(id, { pin: "1234" }, { "idempotency-key": "one" })).status;
      expect([await post(old), await post(both), await post(next)]).toEqual([200, 200, 422]);
      const body = new URLSearchParams({ a: "1" });
      const headers = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
      const thanks = (
        await old.fetch(new Request(`${old.baseUrl}/f/${id}`, { method: "POST", body, headers }))
      ).headers.get("location");
      const statusOf = async (b: Harness) => (await b.fetch(new Request(thanks ?? "", { headers }))).status;
      expect([await statusOf(old), await statusOf(both), await statusOf(next)]).toEqual([200, 200, 404]);
    },
  },
  {
    page: "docs/guide/webhooks.md",
    sentence:
      "the delivery log keeps the status and the start of the body, 1,024 characters at most. Anything of 12 characters or more that the request contained is replaced by `[…]`.",
    async check() {
      const said = await (await refused()).message();
      expect(said).toMatch(/^HTTP 422 [^:]*: rule 7 \[…\] z+/);
      expect(said).not.toContain("a secret");
      expect(said?.length).toBeGreaterThan(600);
      expect(said?.length).toBeLessThanOrEqual(1_024);
    },
  },
  {
    page: "docs/guide/privacy.md",
    sentence:
      "What a receiver or mail server answered is kept without anything that it repeats of the request, and is removed with the submission.",
    async check() {
      const { b, id, submission, message } = await refused();
      expect(await message()).toContain("rule 7");
      await b.submissions.delete(id, submission);
      expect(await message()).toBeUndefined();
    },
  },
  {
    page: "docs/guide/privacy.md",
    sentence:
      "They contain recipients, codes and times, and keep them after you delete a submission by hand, so that you can still show what was sent; the erasure of a person removes their address at once.",
    async check() {
      const b = harness();
      const { id } = await b.forms.create({ name: "A", auto_response: { enabled: true } });
      const { id: submission } = await b.submit(id, { fields: { email: "ann@example.com" } });
      await b.tick();
      await b.submissions.delete(id, submission);
      const log = async () => JSON.stringify(await b.jobs.list());
      expect(await log()).toContain("ann@example.com");
      await b.dataSubjects.erase({ email: "ann@example.com" });
      expect(await log()).not.toContain("ann@example.com");
    },
  },
  {
    page: "docs/guide/private-fields.md",
    sentence:
      "This deletes the form's data key, and the answers of receivers and mail servers in the form's delivery log.",
    async check() {
      const { b, id, message } = await refused();
      await b.forms.update(id, { settings: { fields: { note: { store: "encrypt" } } } });
      const { id: later } = await b.submit(id, { fields: { note: "sealed" } });
      expect(await message()).toContain("rule 7");
      await b.forms.shred(id);
      expect(await message()).toBeUndefined();
      expect((await b.submissions.get(id, later)).values["note"]).toBe("[unreadable: its key was deleted]");
    },
  },
  {
    page: "docs/operations/logging.md",
    sentence:
      "Nothing that a visitor sent in a field or a file is logged, except by the `log` mailer, which prints emails.",
    async check() {
      const lines: string[] = [];
      const say = (line: string) => void lines.push(line);
      const b = harness({ logger: { debug: say, info: say, warn: say, error: say } });
      const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients: ["a@example.com"] } });
      const body = new FormData();
      body.append("note", "canary-in-a-field");
      body.append("cv", new File(["canary-in-bytes"], "canary-in-a-name.txt", { type: "text/plain" }));
      expect((await b.post(id, body)).status).toBe(200);
      await b.tick();
      expect(lines.join("\n")).toContain("accepted");
      expect(lines.join("\n")).not.toContain("canary");
    },
  },
  {
    page: "docs/guide/inbox.md",
    sentence:
      "Fields in `redact` are hidden on pages and in exports, with their files and a page's URL that has one of their values, and can't be searched.",
    async check() {
      const b = inboxHarness({ redact: { fields: ["iban"], value: () => "hidden" } });
      const { id } = await b.forms.create({ name: "A" });
      const sent = await b.post(id, { iban: "DE0012345678" }, { referer: "https://site.example/?i=DE0012345678" });
      const ann = b.as({});
      for (const path of [`/f/${id}`, `/f/${id}/s/${sent.json.submission_id}`, `/f/${id}/export?format=json`]) {
        const { status, text: page } = await ann.get(path);
        expect([path, status]).toEqual([path, 200]);
        expect(page).not.toContain("DE0012345678");
      }
      expect((await ann.get(`/f/${id}?q=DE00`)).status).toBe(400);
    },
  },
] satisfies readonly Claim[]);
