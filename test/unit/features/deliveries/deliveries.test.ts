import { describe, expect, it } from "vitest";
import { fault, type Submitted, submitted } from "../submissions/_submissions.ts";

const HOUR = 60 * 60 * 1_000;

interface Hooked extends Submitted {
  webhook: string;
  deliveries: Submitted["deliveries"];
  log(query?: string): ReturnType<Submitted["call"]>;
  one(id: string): ReturnType<Submitted["call"]>;
  again(id: string): ReturnType<Submitted["call"]>;
}

async function hooked(options: Parameters<typeof submitted>[0] = {}): Promise<Hooked> {
  const b = await submitted(options);
  const { id: webhook } = await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" });
  const path = `/v1/forms/${b.id}/webhooks/${webhook}/deliveries`;
  return Object.assign(b, {
    webhook,
    log: (query = "") => b.call("GET", path + query),
    one: (id: string) => b.call("GET", `${path}/${id}`),
    again: (id: string) => b.call("POST", `${path}/${id}/redeliver`),
  });
}

const subjects = (json: { data: { submission_id: string }[] }): string[] =>
  json.data.map(({ submission_id }) => submission_id);

describe("GET …/deliveries", () => {
  it("answers one entry per submission with its latest outcome, newest first", async () => {
    const b = await hooked();
    const first = await b.submitted({ n: "1" });
    await b.tick();
    b.answerWebhooks(503);
    const second = await b.submitted({ n: "2" });
    await b.clock.advance(6_000);
    const third = await b.submitted({ n: "3" }, { spam: true });
    const { status, json } = await b.log();
    expect(status).toBe(200);
    expect(json).toEqual({
      data: [
        {
          submission_id: third,
          webhook_id: b.webhook,
          status: "skipped",
          code: "SKIPPED_SPAM",
          attempt: 0,
          occurred_at: "2026-01-01T00:00:09.000Z",
        },
        {
          submission_id: second,
          webhook_id: b.webhook,
          status: "retrying",
          code: "ERROR_WEBHOOK_HTTP_5XX",
          attempt: 2,
          http_status: 503,
          message: expect.stringContaining("503"),
          occurred_at: expect.stringMatching(/^2026-01-01T00:00:0[6-8]\.\d{3}Z$/),
        },
        {
          submission_id: first,
          webhook_id: b.webhook,
          status: "succeeded",
          code: "SUCCESS",
          attempt: 1,
          http_status: 200,
          occurred_at: "2026-01-01T00:00:01.000Z",
        },
      ],
      has_more: false,
    });
    expect((await b.one(second)).json).toEqual(json.data[1]);
    expect(await b.deliveries.get(b.id, b.webhook, second)).toEqual(json.data[1]);
    expect(await b.deliveries.list(b.id, b.webhook, { limit: 1 })).toEqual({ data: [json.data[0]], has_more: true });
  });

  it("status: one of succeeded, failed, retrying, pending, skipped", async () => {
    const b = await hooked();
    const ok = await b.submitted({ n: "1" });
    await b.tick();
    b.answerWebhooks(410);
    const gone = await b.submitted({ n: "2" });
    await b.tick();
    await b.webhooks.update(b.id, b.webhook, { enabled: true });
    b.answerWebhooks(500);
    const retried = await b.submitted({ n: "3" });
    await b.tick();
    const spam = await b.submitted({ n: "4" }, { spam: true });
    const fresh = (await b.submit(b.id, { fields: { n: "5" } })).id;
    for (const [status, id] of Object.entries({
      succeeded: ok,
      failed: gone,
      retrying: retried,
      skipped: spam,
      pending: fresh,
    })) {
      expect(subjects((await b.log(`?status=${status}`)).json), status).toEqual([id]);
    }
    for (const status of ["done", "", "Failed"]) {
      expect(fault(await b.log(`?status=${status}`))).toEqual([400, "invalid_parameter", "status"]);
    }
  });

  it("limit: 1 to 100, default 25", async () => {
    const b = await hooked();
    for (let i = 0; i < 27; i++) await b.submit(b.id, { fields: { n: "1" } });
    await b.tick();
    expect((await b.log()).json).toMatchObject({ data: { length: 25 }, has_more: true });
    expect((await b.log("?limit=1")).json.data).toHaveLength(1);
    expect((await b.log("?limit=100")).json).toMatchObject({ data: { length: 27 }, has_more: false });
    for (const limit of ["0", "101", "x", ""]) {
      expect(fault(await b.log(`?limit=${limit}`))).toEqual([400, "invalid_parameter", "limit"]);
    }
  });

  it("before: the last occurred_at leads on without a gap or a repeat, also where many ended at once", async () => {
    const b = await hooked();
    for (let i = 0; i < 60; i++) await b.submit(b.id, { fields: { n: String(i) } });
    await b.tick();
    const seen: string[] = [];
    let before = "";
    for (;;) {
      const { json } = await b.log(`?limit=7${before && `&before=${encodeURIComponent(before)}`}`);
      seen.push(...subjects(json));
      if (!json.has_more) break;
      before = json.data.at(-1).occurred_at;
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
  });

  it("before: never parts deliveries without an attempt that share a millisecond, while they fit a page", async () => {
    const b = await hooked();
    for (let second = 0; second < 10; second++) {
      await b.clock.advance(1_000);
      const body = new URLSearchParams({ n: "1", _gotcha: "x" });
      for (let i = 0; i < 3; i++) await b.post(b.id, body);
    }
    const seen: string[] = [];
    for (let before = "2027-01-01T00:00:00Z"; ; ) {
      const { json } = await b.log(`?limit=5&before=${before}`);
      seen.push(...subjects(json));
      if (!json.has_more) break;
      before = json.data.at(-1).occurred_at;
    }
    expect(seen).toHaveLength(30);
    expect(new Set(seen).size).toBe(30);
  });

  it("before: takes any offset, and 400 on what is no timestamp", async () => {
    const b = await hooked();
    const id = await b.submitted({ n: "1" });
    await b.tick();
    expect(subjects((await b.log("?before=2026-01-01T01:00:01.001%2B01:00")).json)).toEqual([id]);
    expect(subjects((await b.log("?before=2026-01-01T00:00:01.000Z")).json)).toEqual([]);
    for (const before of ["now", "2026-01-01", "1", ""]) {
      expect(fault(await b.log(`?before=${before}`))).toEqual([400, "invalid_parameter", "before"]);
    }
    expect(fault(await b.log("?cursor=x"))).toEqual([400, "invalid_parameter", "cursor"]);
  });
});

describe("GET …/deliveries/{submission_id}", () => {
  it("404 delivery_not_found: unknown, and from before the webhook", async () => {
    const b = await submitted();
    const early = await b.submitted({ n: "1" });
    const { id: webhook } = await b.webhooks.create(b.id, { url: "https://hooks.example.com/a" });
    for (const id of [early, "0".repeat(24), "%00"]) {
      const path = `/v1/forms/${b.id}/webhooks/${webhook}/deliveries/${id}`;
      expect(fault(await b.call("GET", path))).toEqual([404, "delivery_not_found", undefined]);
      expect(fault(await b.call("POST", `${path}/redeliver`))).toEqual([404, "delivery_not_found", undefined]);
    }
  });
});

describe("POST …/deliveries/{submission_id}/redeliver", () => {
  it("answers 202 Delivery with status pending, then sends the same bytes under the same webhook-id", async () => {
    const b = await hooked();
    const id = await b.submitted({ n: "1" });
    await b.tick();
    const { status, json } = await b.again(id);
    expect(status).toBe(202);
    expect(json).toEqual({
      submission_id: id,
      webhook_id: b.webhook,
      status: "pending",
      code: "PENDING",
      attempt: 1,
      occurred_at: "2026-01-01T00:00:01.000Z",
    });
    await b.clock.advance(10_000);
    const [first, second] = b.webhookCalls;
    expect(b.webhookCalls).toHaveLength(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect([first, second].map((call) => call?.headers["X-Service-Attempt"])).toEqual(["1", "2"]);
    expect((await b.one(id)).json).toMatchObject({ status: "succeeded", attempt: 2, http_status: 200 });
  });

  it("starts a new window of 72 h with the schedule from its first step, while attempt keeps counting", async () => {
    const b = await hooked();
    b.answerWebhooks(500);
    const id = await b.submitted({ n: "1" });
    await b.clock.advance(80 * HOUR);
    const failed = (await b.one(id)).json;
    expect(failed.status).toBe("failed");
    const spent = failed.attempt;
    await b.again(id);
    await b.clock.advance(0);
    expect((await b.one(id)).json).toMatchObject({ status: "retrying", attempt: spent + 1 });
    // 5 s ± 20 % after the first attempt of the window, 30 s ± 20 % after the second.
    await b.clock.advance(6_000);
    expect((await b.one(id)).json.attempt).toBe(spent + 2);
    await b.clock.advance(36_000);
    expect((await b.one(id)).json.attempt).toBe(spent + 3);
    await b.clock.advance(70 * HOUR);
    expect((await b.one(id)).json.status).toBe("retrying");
    await b.clock.advance(2 * HOUR);
    expect((await b.one(id)).json).toMatchObject({ status: "failed" });
    expect((await b.one(id)).json.attempt).toBeGreaterThan(spent + 10);
    b.answerWebhooks(200);
    await b.again(id);
    await b.tick();
    expect((await b.one(id)).json.status).toBe("succeeded");
  });

  it("sends also for a paused webhook, retries included; what comes later stays skipped", async () => {
    const b = await hooked();
    await b.webhooks.update(b.id, b.webhook, { enabled: false });
    const id = await b.submitted({ n: "1" });
    await b.tick();
    expect((await b.one(id)).json).toMatchObject({ status: "skipped", code: "SKIPPED_WEBHOOK_DISABLED" });
    b.answerWebhooks(500);
    await b.again(id);
    await b.tick();
    expect((await b.one(id)).json).toMatchObject({ status: "retrying", attempt: 1 });
    b.answerWebhooks(200);
    await b.clock.advance(10_000);
    expect((await b.one(id)).json).toMatchObject({ status: "succeeded", attempt: 2 });
    const later = await b.submitted({ n: "2" });
    await b.tick();
    expect((await b.one(later)).json.status).toBe("skipped");
    expect((await b.webhooks.get(b.id, b.webhook)).enabled).toBe(false);
  });

  it("sends what was skipped as spam, as the spam it is, or no longer is", async () => {
    const b = await hooked();
    const spam = await b.submitted({ n: "1" }, { spam: true });
    const cleared = await b.submitted({ n: "2" }, { spam: true });
    await b.submissions.update(b.id, cleared, { spam: false });
    await b.again(spam);
    await b.again(cleared);
    await b.tick();
    const sent = new Map(b.webhookCalls.map(({ body }) => [JSON.parse(body).data.id, JSON.parse(body).data.spam]));
    expect(sent).toEqual(
      new Map([
        [spam, true],
        [cleared, false],
      ]),
    );
  });

  it("asked for twice while one is due is one delivery", async () => {
    const b = await hooked();
    const id = await b.submitted({ n: "1" });
    await b.tick();
    const answers = await Promise.all([b.again(id), b.again(id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await b.tick();
    expect(b.webhookCalls).toHaveLength(2);
  });

  it("moves to the front of the log when it settles again", async () => {
    const b = await hooked();
    const ids = [await b.submitted({ n: "1" }), await b.submitted({ n: "2" })];
    await b.tick();
    expect(subjects((await b.log()).json)).toEqual(ids.toReversed());
    await b.deliveries.redeliver(b.id, b.webhook, ids[0] as string);
    expect(subjects((await b.log()).json)).toEqual(ids.toReversed());
    await b.clock.advance(1_000);
    expect(subjects((await b.log()).json)).toEqual(ids);
  });

  it("409 submission_not_stored when the submission is gone", async () => {
    const b = await hooked();
    const id = await b.submitted({ n: "1" });
    await b.tick();
    await b.submissions.delete(b.id, id);
    expect(fault(await b.again(id))).toEqual([409, "submission_not_stored", undefined]);
    expect((await b.one(id)).json.status).toBe("succeeded");
    await b.forms.update(b.id, { storage: { store_submissions: false } });
    const passing = await b.submitted({ n: "2" });
    await b.tick();
    expect(fault(await b.again(passing))).toEqual([409, "submission_not_stored", undefined]);
  });
});
