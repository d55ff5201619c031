import { createChallenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryBlob } from "../../src/drivers/blob/memory.ts";
import { memoryMailer } from "../../src/drivers/mailer/memory.ts";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import { verifyWebhook } from "../../src/features/webhooks/verify.ts";
import { testClock } from "../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "./backend.ts";

export const OLD = "the secret that was used until today";
export const NEW = "the secret that is used from tomorrow on";
const CAPTCHA = "altcha_a secret of this form alone";
const CHAT = "https://hooks.slack.com/services/T000/B000/abcdefgh1234";

/** A process, and the passwords that it logged in to mail servers with. */
type Process = Harness & { readonly passwords: string[] };

/** Two processes on one store, the first of which lists `first` as its secrets and the second `second`. */
function pair(open: () => StorageDriver, first: readonly string[], second: readonly string[]): [Process, Process] {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const blob = memoryBlob();
  const start = (secret: readonly string[]): Process => {
    const mailer = memoryMailer();
    const passwords: string[] = [];
    const b = harness({
      secret,
      storage: open(),
      clock,
      blob,
      rateLimit: false,
      plans: { unlimited: { webhooks_per_form: 2 } },
      mailer: {
        ...mailer,
        async send(mail, options) {
          if (options?.server) passwords.push(options.server.password);
          return mailer.send(mail, options);
        },
      },
    });
    return Object.assign(b, { passwords, mails: mailer.sent });
  };
  return [start(first), start(second)];
}

/** All that one process makes under its secret works in the other one. */
async function works(maker: Process, other: Process): Promise<void> {
  const server = await maker.emailServers.create({
    name: "S",
    host: "smtp.acme.test",
    port: 465,
    username: "acme",
    password: "correct horse",
    from: "Acme <hello@acme.test>",
  });
  const { id } = await maker.forms.create({
    name: "A",
    self_email_notification: { recipients: ["owner@acme.test"], sender: { server_id: server.id } },
  });
  const hook = await maker.webhooks.create(id, { url: "https://example.com/hook" });
  await maker.webhooks.create(id, { url: CHAT, format: "slack" });

  // A render token, and a post with a file.
  const token = await maker.renderToken(id);
  await other.forms.update(id, { settings: { require_token: true } });
  await maker.clock.advance(3_000);
  const body = new FormData();
  body.append("email", "visitor@example.com");
  body.append("_token", token);
  body.append("cv", new File(["hello"], "cv.txt", { type: "text/plain" }));
  const { status, json } = await other.post(id, body, { accept: "application/json" });
  expect([status, json.status]).toEqual([200, "success"]);
  const stored = await maker.submissions.get(id, json.submission_id);
  expect(stored.spam, "the token").toBe(false);
  expect((await other.fetch(new Request(stored.attachments[0]?.url as string))).status, "the file's link").toBe(200);

  // The thank-you page.
  const sent = await other.post(id, "email=visitor@example.com&a=1", {
    accept: "text/html",
    "sec-fetch-mode": "navigate",
  });
  const thanks = await maker.fetch(new Request(new URL(sent.headers.get("location") as string, maker.baseUrl)));
  expect([sent.status, thanks.status], "the thank-you page").toEqual([303, 200]);

  // Deliveries, by the process that did not make the webhooks and the server.
  await other.tick();
  expect(other.webhookCalls.map(({ url }) => url).sort()).toEqual(["https://example.com/hook", CHAT]);
  const call = other.webhookCalls.find(({ url }) => url !== CHAT);
  const now = other.clock.now();
  expect(verifyWebhook(call?.body ?? "", call?.headers ?? {}, hook.secret, { now })).toMatchObject({
    type: "submission.created",
  });
  expect(other.passwords, "the mail server's password").toContain("correct horse");

  // A cursor.
  const more = await maker.forms.create({ name: "B" });
  const page = await maker.call("GET", "/v1/forms?limit=1");
  const next = await other.call("GET", `/v1/forms?limit=1&cursor=${page.json.next_cursor}`, { key: maker.key });
  expect([next.status, next.json.data?.length], next.text).toEqual([200, 1]);

  // A captcha.
  await maker.forms.update(more.id, { spam: { captcha: { secret_key: CAPTCHA } } });
  const challenge = await createChallenge({
    algorithm: "PBKDF2/SHA-256",
    cost: 1,
    counter: 3,
    deriveKey,
    data: { form: more.id, until: maker.clock.now() + 600_000 },
    hmacSignatureSecret: CAPTCHA,
  });
  const solution = await solveChallenge({ challenge, deriveKey });
  const altcha = Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
  // Caches of the other process end.
  await maker.clock.advance(6_000);
  expect((await other.post(more.id, { a: "1", altcha })).status, "the captcha").toBe(200);
  expect((await other.post(more.id, { a: "1", altcha: "forged" })).status).toBe(422);
}

/** Posts, links, cursors, webhooks, mail servers and captchas through each step of a change of `secret`. */
export function rotation(open: () => StorageDriver): void {
  let a: Process;
  let b: Process;
  const start = async (first: readonly string[], second: readonly string[]): Promise<void> => {
    [a, b] = pair(open, first, second);
    await a.ready();
    await b.ready();
  };
  afterEach(async () => {
    await a?.close();
    await b?.close();
  });

  describe.each([
    ["the new secret is added behind the old one", [OLD], [OLD, NEW]],
    ["the new secret becomes the first", [OLD, NEW], [NEW, OLD]],
    ["the old secret is taken out", [NEW, OLD], [NEW]],
  ])("while %s", (_, first, second) => {
    beforeEach(() => start(first, second));

    it("what the earlier process makes works in the later one", () => works(a, b));
    it("what the later process makes works in the earlier one", () => works(b, a));
  });

  it("counts the mails to one mailbox together, whichever secret is the first", async () => {
    await start([OLD, NEW], [NEW, OLD]);
    const { id } = await a.forms.create({ name: "A", auto_response: { enabled: true } });
    for (const [n, process] of [a, b, a, b, a].entries()) {
      await process.submit(id, { fields: { email: "ann@example.com", n: String(n) } });
      await process.tick();
    }
    expect([a, b].flatMap(({ mails }) => mails.filter(({ to }) => to.address === "ann@example.com"))).toHaveLength(3);
  });
}
