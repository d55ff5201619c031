import { describe, expect, it } from "vitest";
import type { Events } from "../../../../src/core/events.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { StaleWriteError } from "../../../../src/drivers/storage/types.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const plans = { small: { submissions_per_month: 3 }, wide: { submissions_per_month: 5 } };

/** A form with a mail and a webhook, of a team whose plan has 3 submissions a month; `processes` share one store. */
async function small(processes = 1, form: object = {}) {
  const storage = memoryStorage();
  const backends: Harness[] = [];
  const told: Events["plan.exceeded"][] = [];
  for (let i = 0; i < processes; i++) {
    const one = harness({ storage, plans });
    one.on("plan.exceeded", (event) => void told.push(event));
    backends.push(one);
  }
  const [b] = backends as [Harness];
  await b.teams.create({ id: "acme", name: "Acme", plan: "small", owner: { email: "owner@acme.example" } });
  const { id } = await b.forms.create(
    { name: "A", self_email_notification: { recipients: ["me@example.com"] }, ...form },
    { team_id: "acme" },
  );
  const hook = await b.webhooks.create(id, { url: "https://hooks.example.com/" });
  const key = await b.keyWith("all", { team_id: "acme" });
  const spam = () => b.post(id, { n: "1", _gotcha: "filled" });
  return { b, backends, told, id, hook, key, spam };
}

const mailsTo = (b: Harness, address: string) => b.mails.filter(({ to }) => to.address === address);
const about = { team_id: "acme", plan: "small", limit: 3, month: "2026-01" };

describe("a plan's month", () => {
  it("is not used up by spam", async () => {
    const { b, id, told, spam } = await small();
    for (let i = 0; i < 20; i++) expect((await spam()).status).toBe(200);
    for (let i = 0; i < 3; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect([mailsTo(b, "me@example.com").length, b.webhookCalls.length, told]).toEqual([3, 3, []]);
  });

  it("is full once: one event and one mail to the owner, however many come beyond it", async () => {
    const { b, id, told, spam } = await small();
    for (let i = 0; i < 3; i++) await b.submit(id, { fields: { n: String(i) } });
    await spam();
    expect(told).toEqual([]);
    for (let i = 0; i < 4; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect(told).toEqual([about]);
    expect(mailsTo(b, "me@example.com")).toHaveLength(3);
    const [notice, ...more] = mailsTo(b, "owner@acme.example");
    expect([more, notice?.subject]).toEqual([[], "Your forms have used up this month's submissions"]);
    expect(notice?.text).toContain("Your plan “small” includes 3 submissions a month, and in 2026-01 (UTC)");
    expect(notice?.html).toContain("Your plan “small” includes 3 submissions a month");

    await b.clock.advance(31 * 24 * 3_600_000);
    for (let i = 0; i < 4; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect(told).toEqual([about, { ...about, month: "2026-02" }]);
    expect(mailsTo(b, "owner@acme.example")).toHaveLength(2);
    expect(mailsTo(b, "me@example.com")).toHaveLength(6);
  });

  it("is kept by posts that arrive at once, in several processes", async () => {
    const { backends, told, id } = await small(3);
    await Promise.all(Array.from({ length: 60 }, (_, i) => backends[i % 3]?.submit(id, { fields: { n: String(i) } })));
    for (const b of backends) await b.tick();
    const mails = backends.flatMap((b) => [...b.mails]);
    expect(mails.filter(({ to }) => to.address === "me@example.com")).toHaveLength(3);
    expect(mails.filter(({ to }) => to.address === "owner@acme.example")).toHaveLength(1);
    expect(backends.flatMap((b) => b.webhookCalls)).toHaveLength(3);
    expect(told).toEqual([about]);
    expect((await backends[0]?.forms.get(id))?.submissions.all_time).toBe(60);
  });

  it("goes on where a plan without a number left off", async () => {
    const { b, id } = await small();
    await b.teams.update("acme", { plan: "unlimited" });
    await b.clock.advance(3_000);
    for (let i = 0; i < 2; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.teams.update("acme", { plan: "small" });
    await b.clock.advance(3_000);
    for (let i = 0; i < 3; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect(mailsTo(b, "me@example.com")).toHaveLength(3);
  });

  it("counts what came while the plan had no number, where it had one before", async () => {
    const { b, id } = await small();
    await b.submit(id, { fields: { n: "limited" } });
    await b.teams.update("acme", { plan: "unlimited" });
    await b.clock.advance(3_000);
    for (let i = 0; i < 2; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.teams.update("acme", { plan: "small" });
    await b.clock.advance(3_000);
    for (let i = 0; i < 2; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect(mailsTo(b, "me@example.com")).toHaveLength(3);
  });

  it("loses no place to a submission that others change while it is admitted", async () => {
    const storage = memoryStorage();
    let stale = 3;
    const b = harness({
      plans,
      storage: {
        ...storage,
        async commit(writes) {
          const admits =
            writes.some(({ op }) => op === "add") && writes.some((write) => "expect" in write && write.expect);
          if (admits && stale-- > 0) throw new StaleWriteError("submissions", "x");
          return storage.commit(writes);
        },
      },
    });
    await b.teams.create({ id: "acme", name: "Acme", plan: "wide" });
    const recipients = ["me@example.com"];
    const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients } }, { team_id: "acme" });
    await b.post(id, { n: "1", _gotcha: "filled" });
    const [spam] = (await b.submissions.list(id, { status: "spam" })).data;
    const key = await b.keyWith("all", { team_id: "acme" });
    const path = `/v1/forms/${id}/submissions/${spam?.id}?deliver=true`;
    expect((await b.call("PATCH", path, { key, body: { spam: false } })).status).toBe(200);
    await b.tick();
    expect([stale < 0, mailsTo(b, "me@example.com").length]).toEqual([true, 1]);
    for (let i = 0; i < 6; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect(mailsTo(b, "me@example.com")).toHaveLength(plans.wide.submissions_per_month);
  });

  it("loses no place to a post that is refused, or is a repeat", async () => {
    const { b, id } = await small(1, { validation: { rules: [{ field: "n", checks: [{ type: "required" }] }] } });
    const repeat = () => b.post(id, { n: "1" }, { "idempotency-key": "one" });
    expect((await Promise.all([repeat(), repeat(), repeat(), repeat()])).every(({ status }) => status === 200)).toBe(
      true,
    );
    for (let i = 0; i < 5; i++) expect((await b.post(id, { other: "x" })).status).toBe(422);
    for (let i = 0; i < 2; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect(mailsTo(b, "me@example.com")).toHaveLength(3);
  });

  it("of one team is not used up by another that posts at the same moment", async () => {
    const { b, id } = await small();
    await b.teams.create({ id: "other", name: "Other", plan: "wide" });
    const recipients = ["them@example.com"];
    const other = await b.forms.create({ name: "B", self_email_notification: { recipients } }, { team_id: "other" });
    await Promise.all(
      Array.from({ length: 14 }, (_, i) => b.submit(i % 2 ? id : other.id, { fields: { n: String(i) } })),
    );
    await b.tick();
    expect([mailsTo(b, "me@example.com").length, mailsTo(b, "them@example.com").length]).toEqual([3, 5]);
  });

  it("has no end for a team without a number, of which nothing is noted", async () => {
    const storage = memoryStorage();
    const b = harness({ storage, plans });
    const told: unknown[] = [];
    b.on("plan.exceeded", (event) => void told.push(event));
    await b.teams.create({ id: "acme", name: "Acme", plan: "unlimited", owner: { email: "owner@acme.example" } });
    const recipients = ["me@example.com"];
    const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients } }, { team_id: "acme" });
    for (let i = 0; i < 4; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    const noted = await storage.get("marks", ["month:acme:2026-01"]);
    expect([mailsTo(b, "me@example.com").length, told, noted.size]).toEqual([4, [], 0]);
  });

  it("is noted until forty days after its beginning, and said in the log", async () => {
    const storage = memoryStorage();
    const lines: unknown[][] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (...args: unknown[]) => void lines.push(args) };
    const b = harness({ storage, plans, logger });
    await b.teams.create({ id: "acme", name: "Acme", plan: "small" });
    const recipients = ["me@example.com"];
    const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients } }, { team_id: "acme" });
    for (let i = 0; i < 5; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    const noted = (await storage.get("marks", ["month:acme:2026-01"])).get("month:acme:2026-01");
    expect(noted?.value).toEqual({ taken: 3, told: true, expires_at: "2026-02-10T00:00:00.000Z" });
    const about = { team_id: "acme", plan: "small", limit: 3, month: "2026-01" };
    expect(lines).toEqual([
      [
        "team acme: 3 submissions of plan small are used up for 2026-01; further submissions are stored but not sent",
        about,
      ],
    ]);
    // Nobody's address is known, so nobody is written to.
    expect(b.mails.filter(({ subject }) => subject.includes("used up"))).toEqual([]);
  });

  it("sends what comes beyond it where the plan says so, also spam that turns out to be none", async () => {
    const b = harness({ plans: { open: { submissions_per_month: 1, overage: "deliver" } } });
    const told: unknown[] = [];
    b.on("plan.exceeded", (event) => void told.push(event));
    await b.teams.create({ id: "acme", name: "Acme", plan: "open" });
    const recipients = ["me@example.com"];
    const { id } = await b.forms.create({ name: "A", self_email_notification: { recipients } }, { team_id: "acme" });
    const spam = (await b.post(id, { n: "1", _gotcha: "filled" })).json.submission_id;
    for (let i = 0; i < 3; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.submissions.update(id, spam, { spam: false }, { deliver: true });
    await b.tick();
    expect([mailsTo(b, "me@example.com").length, told.length]).toEqual([4, 1]);
  });

  it("marks spam as beyond it only where it is full, until it has a place", async () => {
    const { b, id, spam } = await small();
    const early = (await spam()).json.submission_id;
    for (let i = 0; i < 2; i++) await b.submit(id, { fields: { n: String(i) } });
    const before = (await spam()).json.submission_id;
    await b.submit(id, { fields: { n: "last" } });
    const after = (await spam()).json.submission_id;
    const isBeyond = async (one: string) => (await b.submissions.get(id, one)).over_quota === true;
    expect(await Promise.all([early, before, after].map(isBeyond))).toEqual([false, false, true]);
    await b.clock.advance(31 * 24 * 3_600_000);
    await b.submissions.update(id, after, { spam: false }, { deliver: true });
    expect(await isBeyond(after)).toBe(false);
    // It has used a place of the new month.
    for (let i = 0; i < 3; i++) await b.submit(id, { fields: { n: String(i) } });
    await b.tick();
    expect(mailsTo(b, "me@example.com")).toHaveLength(3 + 3);
  });
});

describe("what is sent later", () => {
  const redeliverPath = (id: string, hook: string, submission: string) =>
    `/v1/forms/${id}/webhooks/${hook}/deliveries/${submission}/redeliver`;

  it("does not go beyond the month's number by a redelivery", async () => {
    const { b, id, hook, key } = await small();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await b.submit(id, { fields: { n: String(i) } })).id);
    await b.tick();
    const again = (at: number) => b.call("POST", redeliverPath(id, hook.id, ids[at] ?? ""), { key });
    const refused = await again(3);
    expect([refused.status, refused.json.error.code, refused.json.error.message]).toEqual([
      403,
      "plan_restricted",
      "The plan's month is full, and this submission exceeds its limit; send it again next month.",
    ]);
    const since = new Date(b.clock.now() - 3_600_000).toISOString();
    expect(await b.deliveries.recover(id, hook.id, { since, statuses: ["skipped"] })).toMatchObject({ recovered: 0 });
    await b.tick();
    expect(b.webhookCalls).toHaveLength(3);
    // What has its place may be sent as often as one likes.
    for (let i = 0; i < 2; i++) expect((await again(0)).status).toBe(202);
    await b.tick();
    expect(b.webhookCalls).toHaveLength(4);

    await b.teams.update("acme", { plan: "wide" });
    await b.clock.advance(3_000);
    // Redeliveries of one submission at once take one place, so there is one left for the other.
    expect((await Promise.all([again(3), again(3), again(3)])).map(({ status }) => status)).toEqual([202, 202, 202]);
    expect((await again(4)).status).toBe(202);
    await b.tick();
    expect(b.webhookCalls).toHaveLength(6);
    await b.submit(id, { fields: { n: "6" } });
    await b.tick();
    expect(b.webhookCalls).toHaveLength(6);
  });

  it("takes a place when spam turns out to be none, and waits for one where the month is full", async () => {
    const { b, id, spam, key } = await small();
    const posted: string[] = [];
    for (let i = 0; i < 2; i++) posted.push((await spam()).json.submission_id);
    for (let i = 0; i < 2; i++) await b.submit(id, { fields: { n: String(i) } });
    const deliver = (at: number) =>
      b.call("PATCH", `/v1/forms/${id}/submissions/${posted[at]}?deliver=true`, { key, body: { spam: false } });
    expect((await deliver(0)).json.spam).toBe(false);
    expect((await deliver(1)).json.spam).toBe(false);
    expect((await deliver(0)).status).toBe(200);
    await b.tick();
    expect([b.webhookCalls.length, mailsTo(b, "me@example.com").length]).toEqual([3, 3]);
    await b.clock.advance(31 * 24 * 3_600_000);
    expect((await deliver(1)).status).toBe(200);
    await b.tick();
    expect([b.webhookCalls.length, mailsTo(b, "me@example.com").length]).toEqual([4, 4]);
  });
});
