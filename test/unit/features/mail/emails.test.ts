import { describe, expect, it } from "vitest";
import { put } from "../../../../src/core/rows.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError, type MailErrorCode } from "../../../../src/drivers/mailer/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import type { TestBackendOptions } from "../../../../src/surfaces/testing/backend.ts";
import { harness } from "../../../_support/backend.ts";

const HOUR = 3_600_000;
const START = "2026-01-01T00:00:00Z";

async function world(options: TestBackendOptions = {}) {
  const mailer = memoryMailer();
  const storage = memoryStorage();
  const b = harness({ mailer, storage, rateLimit: false, ...options });
  const form = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"] },
    auto_response: { enabled: true },
  });
  const path = `/v1/forms/${form.id}/emails`;
  return {
    b,
    mailer,
    storage,
    form,
    path,
    list: async (query = "") => (await b.call("GET", path + query)).json,
    resend: (id: string, key?: string) => b.call("POST", `${path}/${id}/resend`, key === undefined ? {} : { key }),
    fails: (code: MailErrorCode, message: string, temporary = false) => {
      mailer.fail = () => new MailError(code, message, { temporary });
    },
    post: async (email = "ann@example.com") => (await b.submit(form.id, { fields: { email, text: "Hello" } })).id,
  };
}

describe("GET /v1/forms/{form_id}/emails", () => {
  it("shows each mail with its state, newest first", async () => {
    const { b, list, post, form, fails } = await world();
    const first = await post();
    await b.tick();
    await b.clock.advance(1_000);
    fails("ERROR_EMAIL_SMTP_4XX", "450 later", true);
    const second = await post("bob@example.com");
    await b.tick();
    const { data, has_more, next_cursor } = await list();
    expect([has_more, next_cursor]).toEqual([false, null]);
    expect(data.map((mail: { submission_id: string }) => mail.submission_id)).toEqual([second, second, first, first]);
    expect(data.find((mail: { kind: string }) => mail.kind === "auto_response")).toEqual({
      id: expect.stringMatching(/^msg_/),
      submission_id: second,
      kind: "auto_response",
      to: "bob@example.com",
      status: "retrying",
      code: "ERROR_EMAIL_SMTP_4XX",
      message: "450 later",
      attempt: 1,
      next_attempt_at: expect.stringMatching(/^2026-01-01T00:00:0/),
      occurred_at: expect.stringMatching(/^2026-01-01T00:00:0/),
    });
    expect(data.at(-1)).toMatchObject({ status: "succeeded", code: "SUCCESS", message: null, next_attempt_at: null });
    expect(await b.emails.list(form.id)).toEqual({ data, has_more, next_cursor });
  });

  it("narrows by status, kind and submission, and pages without gap or repeat", async () => {
    const { b, list, post, fails } = await world();
    for (let i = 0; i < 5; i++) {
      await post(`ann${i}@example.com`);
      await b.clock.advance(1_000);
    }
    fails("ERROR_EMAIL_SMTP_5XX", "550 no");
    const last = await post();
    await b.tick();
    const everything = (await list()).data as { id: string; status: string; kind: string }[];
    expect(everything).toHaveLength(12);
    expect((await list("?status=failed")).data).toEqual(everything.filter(({ status }) => status === "failed"));
    expect((await list("?kind=owner_email")).data).toEqual(everything.filter(({ kind }) => kind === "owner_email"));
    expect((await list(`?submission_id=${last}&kind=auto_response`)).data).toHaveLength(1);

    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await list(`?kind=auto_response&limit=2${cursor}`);
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      if (!page.has_more) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(everything.filter(({ kind }) => kind === "auto_response").map(({ id }) => id));
    expect((await list("?limit=2&cursor=x")).error.param).toBe("cursor");
    expect((await list("?status=lost")).error.param).toBe("status");
    expect((await list("?kind=webhook")).error.param).toBe("kind");
  });

  it("reads so many deliveries at once and no more, and finds the mail behind a thousand webhooks by its cursor", async () => {
    const { b, storage, form, list, post } = await world();
    await post();
    const [job] = await b.jobs.list({ kind: "owner_email" });
    const mail = (await storage.get("jobs", [job?.id ?? ""])).get(job?.id ?? "")?.value as unknown as JobRecord;
    const later = { ...mail, kind: "webhook" as const, lane: "webhook" as const, due_at: null };
    const created_at = "2026-01-01T01:00:00.000Z";
    await storage.commit(
      Array.from({ length: 2_100 }, (_, at) => put("jobs", `msg_${at}`, { ...later, created_at }, null)),
    );
    const page = await list();
    expect(page).toMatchObject({ data: [], has_more: true });
    const next = await list(`?cursor=${page.next_cursor}`);
    expect(next.data.map(({ to }: { to: string }) => to).sort()).toEqual(["ann@example.com", "owner@example.com"]);
    expect(next.has_more).toBe(false);
    expect((await b.emails.list(form.id, { submission_id: mail.submission_id })).data).toHaveLength(0);
  });

  it("tells a team nothing of the host's mail server, and all of what a server says of the mail", async () => {
    const { b, list, post, fails } = await world();
    fails("ERROR_EMAIL_CONNECTION", "connect ECONNREFUSED 10.0.0.5:25", true);
    await post();
    await b.tick();
    expect((await list("?kind=owner_email")).data).toMatchObject([
      { code: "ERROR_EMAIL_CONNECTION", message: "The mail server can't be used; the log of the service says why." },
    ]);
    expect((await b.jobs.list({ kind: "owner_email" }))[0]?.message).toBe("connect ECONNREFUSED 10.0.0.5:25");
  });

  it("shows neither another form's mails nor what the service writes to owners", async () => {
    const { b, list, post, path } = await world();
    const other = await b.forms.create({ name: "Other", self_email_notification: { recipients: ["x@example.com"] } });
    await b.submit(other.id, { fields: { a: "1" } });
    const id = await post();
    await b.tick();
    const [foreign] = await b.jobs.list({ form_id: other.id });
    expect((await list()).data.map(({ to }: { to: string }) => to)).not.toContain("x@example.com");
    expect((await list(`?submission_id=${foreign?.submission_id}`)).data).toEqual([]);
    expect((await list(`?submission_id=${id}`)).data).toHaveLength(2);
    expect((await b.call("POST", `${path}/${foreign?.id}/resend`)).json.error).toMatchObject({
      code: "not_found",
      message: "The form has no email with this id.",
    });
  });
});

describe("POST …/emails/{email_id}/resend", () => {
  it("sends what a 550 for a wrong `from` has ended, under the same Message-ID", async () => {
    const { b, mailer, list, post, resend, fails } = await world();
    const tried: string[] = [];
    fails("ERROR_EMAIL_SMTP_5XX", "550 5.7.1 sender refused");
    const refuse = mailer.fail;
    mailer.fail = (mail) => {
      tried.push(mail.messageId);
      return refuse?.(mail);
    };
    await post();
    await b.clock.advance(80 * HOUR);
    const [failed] = (await list("?kind=owner_email")).data;
    expect(failed).toMatchObject({ status: "failed", attempt: 1, message: "550 5.7.1 sender refused" });
    mailer.fail = undefined;
    const answer = await resend(failed.id);
    expect([answer.status, answer.json]).toEqual([
      202,
      expect.objectContaining({ id: failed.id, status: "pending", code: "PENDING", message: null, attempt: 1 }),
    ]);
    await b.tick();
    expect(mailer.sent.map(({ to }) => to.address)).toEqual(["owner@example.com"]);
    expect(tried).toContain(mailer.sent[0]?.messageId);
    expect((await list("?kind=owner_email")).data).toMatchObject([{ status: "succeeded", attempt: 2 }]);
  });

  it("tries one at once that waits for its next attempt", async () => {
    const { b, mailer, list, post, resend, fails } = await world();
    fails("ERROR_EMAIL_AUTH", "535 no", true);
    await post();
    await b.clock.advance(5 * HOUR);
    mailer.fail = undefined;
    for (const { id } of (await list()).data) expect((await resend(id)).status).toBe(202);
    await b.tick();
    expect(mailer.sent).toHaveLength(2);
  });

  it("goes to one mailbox of a visitor 3 times an hour, and 60 times to one of an owner", async () => {
    const { b, list, post, resend } = await world();
    await post();
    await b.tick();
    const statusesOf = async (kind: string, times: number) => {
      const [{ id }] = (await list(`?kind=${kind}`)).data;
      const statuses: number[] = [];
      for (let i = 0; i < times; i++) {
        statuses.push((await resend(id)).status);
        await b.clock.advance(1);
      }
      return statuses;
    };
    expect(await statusesOf("auto_response", 4)).toEqual([202, 202, 202, 429]);
    expect((await statusesOf("owner_email", 61)).filter((status) => status === 202)).toHaveLength(60);
    await b.clock.advance(HOUR);
    expect(await statusesOf("auto_response", 1)).toEqual([202]);
  });

  it("sends no reply to a spammer, and says what became of it", async () => {
    const { b, mailer, form, list, resend } = await world();
    await b.post(form.id, "email=spam%40example.com&_gotcha=x");
    await b.tick();
    const [reply] = (await list("?kind=auto_response")).data;
    expect(reply).toMatchObject({ status: "skipped", code: "SKIPPED_SPAM" });
    expect((await resend(reply.id)).json).toMatchObject({ status: "skipped", code: "SKIPPED_SPAM" });
    const [owner] = (await list("?kind=owner_email")).data;
    expect((await resend(owner.id)).json).toMatchObject({ status: "pending" });
    await b.tick();
    expect(mailer.sent.map(({ to }) => to.address)).toEqual(["owner@example.com"]);
  });

  it("refuses what is stored no more, and what the plan's month has no place for", async () => {
    const { b, form, post, list, resend } = await world({ plans: { tiny: { submissions_per_month: 1 } } });
    const id = await post();
    await b.tick();
    const [mail] = (await list("?kind=owner_email")).data;
    await b.submissions.delete(form.id, id);
    const gone = await resend(mail.id);
    expect([gone.status, gone.json.error.code]).toEqual([409, "submission_not_stored"]);
    await b.teams.update("default", { plan: "tiny" });
    const beyond = await post();
    await b.tick();
    const [skipped] = (await list(`?submission_id=${beyond}&kind=owner_email`)).data;
    expect(skipped).toMatchObject({ status: "skipped", code: "SKIPPED_PLAN_RESTRICTED" });
    expect((await resend(skipped.id)).json.error.code).toBe("plan_restricted");
  });

  it("is nobody's who has not the form or the scope", async () => {
    const { b, list, post, resend, path } = await world();
    await b.teams.create({ id: "other", name: "Other" });
    await post();
    const [{ id }] = (await list()).data;
    const theirs = await b.keyWith("all", { team_id: "other" });
    const reader = await b.keyWith(["submissions:read"]);
    const writer = await b.keyWith(["forms:write"]);
    expect((await resend(id, theirs)).json.error.code).toBe("form_not_found");
    expect((await b.call("GET", path, { key: theirs })).json.error.code).toBe("form_not_found");
    expect((await resend(id, reader)).json.error).toMatchObject({
      code: "insufficient_scope",
      required: ["forms:write"],
    });
    expect((await b.call("GET", path, { key: writer })).json.error).toMatchObject({ required: ["submissions:read"] });
    expect((await resend(id, writer)).status).toBe(202);
  });
});

describe("backend.jobs", () => {
  it("gets and retries one of any kind", async () => {
    const { b, form, post } = await world();
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/hook" });
    b.answerWebhooks(410);
    await post();
    await b.tick();
    const [job] = await b.jobs.list({ kind: "webhook" });
    expect(await b.jobs.get(job?.id ?? "")).toEqual(job);
    b.answerWebhooks(200);
    expect(await b.jobs.retry(job?.id ?? "")).toMatchObject({ status: "pending", target: webhook.id });
    await b.tick();
    expect(await b.jobs.get(job?.id ?? "")).toMatchObject({ status: "succeeded", attempt: 2 });
    await expect(b.jobs.get("msg_x")).rejects.toMatchObject({ code: "not_found" });
    await expect(b.jobs.retry("msg_x")).rejects.toMatchObject({ code: "not_found" });
  });

  it("recovers mails and webhooks that failed since a moment, and leaves spam and what went out", async () => {
    const { b, mailer, form, post, fails } = await world();
    await b.webhooks.create(form.id, { url: "https://example.com/hook" });
    const out = await post();
    await b.tick();
    fails("ERROR_EMAIL_SMTP_5XX", "550 5.7.1 sender refused");
    b.answerWebhooks(400);
    await b.post(form.id, "email=spam%40example.com&_gotcha=x");
    for (let i = 0; i < 3; i++) await post(`ann${i}@example.com`);
    await b.clock.advance(80 * HOUR);
    mailer.fail = undefined;
    b.answerWebhooks(200);
    const before = mailer.sent.length;
    expect(await b.jobs.recover({ kind: "owner_email", form_id: form.id, since: START, statuses: ["failed"] })).toEqual(
      {
        recovered: 3,
        has_more: false,
      },
    );
    await b.tick();
    expect(mailer.sent.slice(before).map(({ to }) => to.address)).toEqual(Array(3).fill("owner@example.com"));
    expect(await b.jobs.recover({ since: START, statuses: ["failed", "skipped"] })).toEqual({
      recovered: 6,
      has_more: false,
    });
    await b.tick();
    expect(await b.jobs.list({ status: "failed" })).toEqual([]);
    expect((await b.jobs.list({ status: "skipped" })).map(({ code }) => code)).toEqual(Array(3).fill("SKIPPED_SPAM"));
    expect((await b.jobs.list({ submission_id: out })).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  it("recovers what ended since then, and refuses a moment too far back", async () => {
    const { b, post, fails } = await world();
    fails("ERROR_EMAIL_SMTP_5XX", "550 no");
    await post();
    await b.clock.advance(HOUR);
    const since = new Date(b.clock.now()).toISOString();
    await post("bob@example.com");
    await b.tick();
    expect(await b.jobs.recover({ since })).toEqual({ recovered: 2, has_more: false });
    await expect(b.jobs.recover({ since: "2025-12-01T00:00:00Z" })).rejects.toMatchObject({ param: "since" });
    await expect(b.jobs.recover({ since, kinds: [] } as never)).rejects.toMatchObject({ param: "kinds" });
  });

  it("retries a notice that no submission causes", async () => {
    const { b, mailer, post, fails } = await world({ plans: { tiny: { submissions_per_month: 1 } } });
    await b.teams.update("default", { plan: "tiny", owner: { email: "boss@example.com" } });
    fails("ERROR_EMAIL_SMTP_5XX", "550 no");
    await post();
    await post();
    await b.tick();
    mailer.fail = undefined;
    const [notice] = await b.jobs.list({ kind: "plan_notice" });
    expect(notice).toMatchObject({ status: "failed", submission_id: "" });
    await b.jobs.retry(notice?.id ?? "");
    await b.tick();
    expect(mailer.sent.map(({ to }) => to.address)).toEqual(["boss@example.com"]);
  });
});
