import { describe, expect, it } from "vitest";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { verifyWebhook } from "../../../../src/features/webhooks/verify.ts";
import { formOf } from "./_form.ts";
import { ann, type InboxHarness, inboxHarness } from "./_inbox.ts";

const HOUR = 3_600_000;
const plans = { unlimited: { webhooks_per_form: null } };

interface Shop extends InboxHarness {
  readonly form: string;
  readonly webhook: string;
  readonly secret: string;
  readonly storage: StorageDriver;
}

/** A form with a notification and a webhook that answers with `status`. */
async function shop(status = 200): Promise<Shop> {
  const storage = memoryStorage();
  const b = inboxHarness({}, { plans, rateLimit: false, storage });
  const { id: form } = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"] },
  });
  const { id: webhook, secret } = await b.webhooks.create(form, { url: "https://hooks.example.com/a" });
  b.answerWebhooks(status);
  return Object.assign(b, { form, webhook, secret, storage });
}

async function sent(b: Shop, fields: Record<string, string> = { email: "ann@example.com" }, spam = false) {
  const body = new URLSearchParams(fields);
  if (spam) body.append("_gotcha", "x");
  const { json } = await b.post(b.form, body, { accept: "application/json" });
  await b.clock.advance(1_000);
  return json.submission_id as string;
}

/** The text of a page without its tags, as one line. */
const textOf = (page: string): string =>
  page
    .replace(/<(head|svg).*?<\/\1>/gs, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");

const jobOf = async (b: Shop, submission_id: string, kind = "webhook") =>
  (await b.jobs.list({ submission_id })).find((job) => job.kind === kind)?.id ?? "";

describe("deliveries in the inbox", () => {
  it("are a time line of every attempt at the submission, and can be sent again there", async () => {
    const b = await shop(500);
    const id = await sent(b);
    await b.clock.advance(HOUR);
    const page = await b.as(ann).get(`/f/${b.form}/s/${id}?tab=delivery`);
    const text = textOf(page.text);
    expect(text).toContain("Webhook");
    expect(text).toContain("https://hooks.example.com/a");
    expect(text).toContain("Trying again");
    expect(page.text.match(/<li><span class="pill bad">/g)?.length).toBe(
      (await b.jobs.get(await jobOf(b, id))).attempts.length,
    );
    expect(text).toContain("owner@example.com");
    b.answerWebhooks(200);
    const back = await b.as(ann).post(`/f/${b.form}/deliveries/${await jobOf(b, id)}`, { from: "submission" });
    expect([back.status, back.headers.get("location")]).toEqual([
      303,
      `${b.baseUrl}/inbox/f/${b.form}/s/${id}?tab=delivery`,
    ]);
    await b.clock.advance(1_000);
    expect(textOf((await b.as(ann).get(`/f/${b.form}/s/${id}?tab=delivery`)).text)).toContain("Delivered");
  });

  it("show the exact request, and a command that the receiver takes", async () => {
    const b = await shop();
    const id = await sent(b, { email: "ann@example.com", note: 'it\'s <b>"quoted"</b> & more' });
    const [call] = b.webhookCalls;
    const { text: page } = await b.as(ann).get(`/f/${b.form}/deliveries/${await jobOf(b, id)}`);
    const shown = (label: string): string =>
      new RegExp(`aria-label="${label}"[^>]*>(.*?)</pre>`, "s")
        .exec(page)?.[1]
        ?.replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&") ?? "";
    expect(shown("Body")).toBe(call?.body);
    const headers = Object.fromEntries(
      shown("Headers")
        .split("\n")
        .slice(1)
        .map((line) => line.split(": ") as [string, string]),
    );
    const sentAs = Object.fromEntries(
      Object.entries(call?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    for (const name of ["content-type", "webhook-id", "x-service-event", "x-service-attempt"]) {
      expect(
        shown("Headers")
          .toLowerCase()
          .split("\n")
          .filter((line) => line.startsWith(`${name}: `)),
      ).toEqual([`${name}: ${sentAs[name]}`.toLowerCase()]);
    }
    expect(shown("Headers").split("\n")[0]).toBe("POST https://hooks.example.com/a");
    const event = verifyWebhook(shown("Body"), headers, b.secret, { now: b.clock.now() });
    expect(event).toMatchObject({ data: { id } });
    expect(shown("Copy as curl")).toContain("--data-raw '{");
    expect(shown("Copy as curl")).toContain("it'\\''s");
    expect(shown("Verify it in the receiver")).toContain(
      "verifyWebhook(rawBody, headers, process.env.WEBHOOK_SECRET);",
    );
    expect(page).not.toContain(b.secret);
  });

  it("are signed only for those who may send them again", async () => {
    const b = await shop();
    const id = await sent(b);
    const { text } = await b.as({ role: "agent" }).get(`/f/${b.form}/deliveries/${await jobOf(b, id)}`);
    expect(text).toContain("https://hooks.example.com/a");
    expect(text).not.toMatch(/webhook-signature|Copy as curl|Send again/);
  });

  it("are listed by webhook and state, page by page", async () => {
    const b = await shop(200);
    for (let n = 0; n < 51; n++) await sent(b, { n: String(n) });
    b.answerWebhooks(410);
    const failed = await sent(b, { n: "bad" });
    const lines = (text: string) => text.match(/data-delivery-id=/g)?.length ?? 0;
    const visitor = b.as(ann);
    expect(lines((await visitor.get(`/f/${b.form}/deliveries`)).text)).toBe(50);
    const emails = await visitor.get(`/f/${b.form}/deliveries?webhook=emails`);
    expect(emails.text).not.toContain("https://hooks.example.com/a</bdi>");
    const only = await visitor.get(`/f/${b.form}/deliveries?webhook=${b.webhook}&status=failed`);
    expect(lines(only.text)).toBe(1);
    expect(only.text).toContain(`data-delivery-id="${await jobOf(b, failed)}"`);
    for (const first of [`?webhook=${b.webhook}`, "?webhook=emails", ""]) {
      let seen = 0;
      for (let next: string | undefined = `/f/${b.form}/deliveries${first}`; next; ) {
        const { text } = await visitor.get(next);
        seen += lines(text);
        next = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
      }
      expect([first, seen]).toEqual([first, first === "" ? 104 : 52]);
    }
  });

  it("are recovered since a moment, after the number was shown", async () => {
    const b = await shop(500);
    const first = await sent(b);
    await b.clock.advance(73 * HOUR);
    const since = new Date(b.clock.now() - 2 * HOUR).toISOString().slice(0, 16);
    const visitor = b.as(ann);
    const form = await visitor.get(`/f/${b.form}/deliveries/recover?webhook=${b.webhook}`);
    expect(form.text).toContain('type="datetime-local"');
    const ask = await visitor.get(`/f/${b.form}/deliveries/recover?webhook=${b.webhook}&since=${since}`);
    expect(textOf(ask.text)).toContain("Send 1 delivery again?");
    expect(b.webhookCalls.filter(({ headers }) => headers["x-service-attempt"] === "99")).toEqual([]);
    b.answerWebhooks(200);
    const done = await visitor.post(`/f/${b.form}/deliveries/recover`, { webhook: b.webhook, since });
    expect(done.status).toBe(303);
    await b.clock.advance(1_000);
    expect((await b.deliveries.get(b.form, b.webhook, first)).status).toBe("succeeded");
    const bad = await visitor.get(`/f/${b.form}/deliveries/recover?webhook=${b.webhook}&since=yesterday`);
    expect(bad.text).toContain('role="alert"');
    const old = await visitor.get(`/f/${b.form}/deliveries/recover?webhook=${b.webhook}&since=2020-01-01T00:00`);
    expect([old.status, textOf(old.text).includes("14 days")]).toEqual([400, true]);
  });

  it("keep where the host's mail server is to the host", async () => {
    const b = inboxHarness(
      {},
      {
        mailer: {
          name: "broken",
          send: () => Promise.reject(Object.assign(new Error("connect 10.0.0.7:25"), { code: "ECONNECTION" })),
          verify: async () => {},
          close: async () => {},
        },
      },
    );
    const { id } = await b.forms.create({ name: "C", self_email_notification: { recipients: ["o@example.com"] } });
    await b.submit(id, { fields: { a: "b" } });
    await b.clock.advance(1_000);
    const [mail] = await b.jobs.list({ form_id: id });
    const page = await b.as(ann).get(`/f/${id}/deliveries/${mail?.id}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain("10.0.0.7");
  });

  it("say SMTP beside the reply of a mail server, and HTTP beside a receiver's", async () => {
    const refused = new MailError("ERROR_EMAIL_SMTP_4XX", "451 Try later", { temporary: true, status: 451 });
    const b = inboxHarness(
      {},
      { mailer: { name: "m", send: () => Promise.reject(refused), verify: async () => {}, close: async () => {} } },
    );
    const { id } = await b.forms.create({ name: "C", self_email_notification: { recipients: ["o@example.com"] } });
    await b.submit(id, { fields: { a: "b" } });
    await b.clock.advance(1_000);
    const { text } = await b.as(ann).get(`/f/${id}/deliveries`);
    expect(text).toContain("SMTP 451");
    expect(text).not.toContain("HTTP 451");
  });

  it("tell no visitor's address where the host keeps fields back", async () => {
    const b = inboxHarness({ redact: { fields: ["email"], value: () => "•••" } });
    const { id } = await b.forms.create({ name: "C", auto_response: { enabled: true } });
    await b.submit(id, { fields: { email: "visitor@example.com" } });
    await b.clock.advance(1_000);
    const [mail] = await b.jobs.list({ form_id: id, kind: "auto_response" });
    expect(mail?.target).toBe("visitor@example.com");
    for (const path of ["/deliveries", `/deliveries/${mail?.id}`, `/s/${mail?.submission_id}?tab=delivery`]) {
      const { status, text } = await b.as(ann).get(`/f/${id}${path}`);
      expect([path, status, text.includes("visitor@")]).toEqual([path, 200, false]);
    }
  });

  it("say what is wrong with an address that was tampered with", async () => {
    const b = await shop();
    await sent(b);
    for (const query of ["?cursor=x.y", `?webhook=${b.webhook}&before=yesterday`]) {
      expect((await b.as(ann).get(`/f/${b.form}/deliveries${query}`)).status).toBe(400);
    }
    expect((await b.as(ann).get(`/f/${b.form}/deliveries?webhook=whk_none`)).status).toBe(404);
    expect((await b.as(ann).get(`/f/${b.form}/deliveries?status=odd`)).status).toBe(200);
  });

  it("show all else where the submission is gone, or the webhook's secret can't be opened", async () => {
    const b = await shop();
    const id = await sent(b);
    const at = `/f/${b.form}/deliveries/${await jobOf(b, id)}`;
    const other = inboxHarness(
      {},
      { storage: b.storage, secret: "another secret that is long enough", rateLimit: false },
    );
    const sealed = await other.as(ann).get(at);
    expect([sealed.status, textOf(sealed.text).includes("can't be shown")]).toEqual([200, true]);
    await b.submissions.delete(b.form, id);
    const gone = await b.as(ann).get(at);
    expect([gone.status, textOf(gone.text).includes("can't be shown")]).toEqual([200, true]);
    expect(gone.text).not.toContain("Send again<");
  });

  it("of another form, and the service's own mails, are not found", async () => {
    const b = await shop();
    const id = await sent(b);
    const { id: other } = await b.forms.create({ name: "Other" });
    expect((await b.as(ann).get(`/f/${other}/deliveries/${await jobOf(b, id)}`)).status).toBe(404);
    expect((await b.as(ann).post(`/f/${other}/deliveries/${await jobOf(b, id)}`)).status).toBe(404);
    expect((await b.as(ann).get(`/f/${b.form}/deliveries/none`)).status).toBe(404);
    expect((await b.as({ team_ids: ["else"] }).get(`/f/${b.form}/deliveries`)).status).toBe(404);
  });
});

describe("spam in the inbox", () => {
  it("shows each check with score, reason and place, and what a release would send", async () => {
    const b = await shop();
    const id = await sent(b, {
      email: "x@example.com",
      message: "Best casino bonus, [url=http://a.example]now[/url] <i>",
    });
    const { verdict, spam } = await b.submissions.get(b.form, id);
    expect(spam).toBe(true);
    const { text: page } = await b.as(ann).get(`/f/${b.form}/s/${id}?tab=spam`);
    for (const { check } of verdict) expect(page).toContain(`data-check="${check}"`);
    expect(page).toMatch(/<mark>[^<]+<\/mark>/);
    expect(page).toContain("&lt;i&gt;");
    expect(textOf(page)).toContain("would send 1 email and 1 webhook");
    const list = await b.as(ann).get(`/f/${b.form}?status=spam`);
    expect(list.text).toContain('class="pill warn reason"');
  });

  it("says so where nothing was held back, and where somebody moved it by hand", async () => {
    const b = await shop();
    const id = await sent(b);
    await b.submissions.update(b.form, id, { spam: true });
    const text = textOf((await b.as(ann).get(`/f/${b.form}/s/${id}?tab=spam`)).text);
    expect(text).toContain("Nothing was held back");
    expect(text).toContain("somebody moved it here");
  });

  it("“Not spam” sends nothing, “Not spam, and send what was missed” sends it, in bulk too", async () => {
    const b = await shop();
    const [first, second] = [await sent(b, { n: "1" }, true), await sent(b, { n: "2" }, true)];
    const visitor = b.as({ role: "agent" });
    await visitor.post(`/f/${b.form}/s/${first}`, { action: "mark_not_spam" });
    await b.clock.advance(1_000);
    expect(b.webhookCalls).toHaveLength(0);
    const asked = textOf((await visitor.get(`/f/${b.form}/bulk?status=spam&action=deliver&all=1`)).text);
    expect(asked).toContain("would send 1 email and 1 webhook");
    const selected = { action: "deliver", ids: [second] };
    const question = (await visitor.post(`/f/${b.form}/bulk?status=spam`, selected)).headers.get("location") ?? "";
    const page = await visitor.get(question);
    expect(textOf(page.text)).toContain("Not spam, and send what was missed: 1 submission");
    expect(textOf(page.text)).toContain("would send 1 email and 1 webhook");
    await b.clock.advance(1_000);
    expect(b.webhookCalls).toHaveLength(0);
    const fields = formOf(page.text, "/bulk?status=spam");
    expect(fields).toMatchObject({ ids: second, confirm: "1" });
    await visitor.post(`/f/${b.form}/bulk?status=spam`, fields);
    await b.clock.advance(1_000);
    expect(b.webhookCalls).toHaveLength(1);
    expect(b.mails).toHaveLength(1);
    expect(textOf((await visitor.get(question)).text)).toContain("Nothing was held back, so nothing is sent.");
  });

  it("asks in the list over all forms too, and counts nothing of forms that the person can't reach", async () => {
    const b = await shop();
    const mine = await sent(b, { n: "1" }, true);
    const { id: other } = await b.forms.create({
      name: "Other",
      self_email_notification: { recipients: ["x@y.test"] },
    });
    const { json } = await b.post(other, new URLSearchParams({ n: "2", _gotcha: "x" }), { accept: "application/json" });
    const ids = [mine, json.submission_id as string];
    const said = async (user: Parameters<typeof b.as>[0], path: string) => {
      const visitor = b.as({ role: "agent", ...user });
      const asked = await visitor.post(path, { action: "deliver", ids });
      return textOf((await visitor.get(asked.headers.get("location") ?? "")).text);
    };
    expect(await said({}, "/all/bulk")).toContain("would send 2 emails and 1 webhook");
    expect(await said({ form_ids: [b.form] }, "/all/bulk")).toContain("would send 1 email and 1 webhook");
    expect(await said({}, `/f/${other}/bulk`)).toContain("would send 1 email.");
    await b.clock.advance(1_000);
    expect(b.mails).toHaveLength(0);
    const visitor = b.as({ role: "agent" });
    await visitor.post("/all/bulk", { action: "deliver", ids, confirm: "1" });
    await b.clock.advance(1_000);
    expect(b.mails).toHaveLength(2);
  });

  it("counts no webhook that is paused, and what was set up after the spam came", async () => {
    const b = await shop();
    const id = await sent(b, { n: "1" }, true);
    const said = async (form: string, submission: string) =>
      textOf((await b.as(ann).get(`/f/${form}/bulk?action=deliver&ids=${submission}`)).text);
    await b.webhooks.update(b.form, b.webhook, { enabled: false });
    expect(await said(b.form, id)).toContain("would send 1 email.");
    const { id: bare } = await b.forms.create({ name: "Bare" });
    const { json } = await b.post(bare, new URLSearchParams({ n: "2", _gotcha: "x" }), { accept: "application/json" });
    expect(await said(bare, json.submission_id)).toContain("nothing is sent");
    await b.webhooks.create(bare, { url: "https://hooks.example.com/late" });
    expect(await said(bare, json.submission_id)).toContain("would send 1 webhook.");
    await b.as(ann).post(`/f/${bare}/bulk`, { action: "deliver", ids: json.submission_id, confirm: "1" });
    await b.clock.advance(1_000);
    expect(b.webhookCalls.map(({ url }) => url)).toEqual(["https://hooks.example.com/late"]);
  });
});
