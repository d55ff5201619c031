import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import type { Stored } from "../../../../src/drivers/storage/types.ts";
import { planJobs, submitterOf } from "../../../../src/features/jobs/plan.ts";
import { planUpdate } from "../../../../src/features/jobs/plan-update.ts";
import { type FormRecord, formLeaf } from "../../../../src/model/form-record.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import type { RoutedTo } from "../../../../src/model/routing.ts";
import { type SubmissionRecord, submissionLeaf } from "../../../../src/model/submission-record.ts";
import { UNVERIFIED } from "../../../../src/model/verdict.ts";
import { field, START } from "../../../../src/surfaces/testing/storage/fixtures.ts";

const HOUR = 3_600_000;
const [ann, bob, cy, dee] = ["ann@example.com", "bob@example.com", "cy@example.com", "dee@example.com"];
const at = (ms: number): string => new Date(ms).toISOString();

/** The clock of the store is a minute ahead of the process' own. */
const core = {
  clock: { now: () => START },
  storeClock: { now: () => START + 60_000 },
  options: { files: { linkTtlSeconds: 3_600 } },
} as Partial<Core> as Core;

/** A stored form with these settings, and a submission of it. The form has no recipients unless `form` names them. */
function given(form: object, submission: object): [Stored<FormRecord>, string, SubmissionRecord] {
  const value = formLeaf.read({ team_id: "t1", ...form });
  const record = submissionLeaf.read({ form_id: "f1", team_id: "t1", attachments: [], fields: [], ...submission });
  return [{ id: "f1", version: 1, value }, "s1", record];
}
const planned = (form: object = {}, submission: object = {}): JobRecord[] =>
  planJobs(core, ...given(form, submission), START).map(({ job }) => job);
const short = (jobs: readonly JobRecord[]): string[] =>
  jobs.map(({ kind, target, to, code }) => [kind, target, ...(to === undefined ? [] : [to]), code].join(" "));

const webhook = (id: string, more: object = {}): object => ({ id, url: `https://hooks.example.com/${id}`, ...more });
const routedTo = (more: Partial<RoutedTo> = {}): RoutedTo => ({
  ...{ rules: [1], otherwise: false, recipients: [], cc: [], bcc: [], webhooks: [], subject: null },
  ...more,
});
const heldBack = { over_quota: true, uncounted: true };

describe("the deliveries of a submission", () => {
  it("are rows that are due now by the store's clock, with one deadline and one expiry of links", () => {
    const [job, ...more] = planned({ webhooks: [webhook("w1")] });
    expect(more).toEqual([]);
    expect(job).toEqual({
      ...{ kind: "webhook", lane: "webhook", target: "w1", form_id: "f1", team_id: "t1", submission_id: "s1" },
      ...{ status: "pending", code: "PENDING", attempt: 0, lost: 0, leased: false, event: "submission.created" },
      ...{ due_at: at(START + 60_000), deadline_at: at(START + 60_000 + 72 * HOUR) },
      ...{ occurred_at: at(START), created_at: at(START), links_expire_at: at(START + HOUR), spam: false },
    });
  });

  it("have an id each", () => {
    const form = { webhooks: [webhook("w1"), webhook("w2")] };
    const ids = planJobs(core, ...given(form, {}), START).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it("say that their content is not kept where the form stores none", () => {
    const form = { webhooks: [webhook("w1")], storage: { store_submissions: false } };
    expect(planned(form)).toMatchObject([{ transient: true }]);
  });

  it("that can't be sent are stored as skipped, never due, with the reason", () => {
    const form = {
      webhooks: [webhook("on"), webhook("off", { enabled: false })],
      self_email_notification: { recipients: [ann] },
      auto_response: { enabled: true },
    };
    expect(short(planned(form, { fields: [field("email", dee)] }))).toEqual([
      "webhook on PENDING",
      "webhook off SKIPPED_WEBHOOK_DISABLED",
      `owner_email default ${ann} PENDING`,
      `auto_response default ${dee} PENDING`,
    ]);
    const spam = planned(form, { fields: [field("email", dee)], spam: true });
    expect(short(spam)).toEqual([
      "webhook on SKIPPED_SPAM",
      "webhook off SKIPPED_SPAM",
      `owner_email default ${ann} SKIPPED_SPAM`,
      `auto_response default ${dee} SKIPPED_SPAM`,
    ]);
    for (const job of spam) expect(job).toMatchObject({ status: "skipped", due_at: null, spam: true });
  });

  it("wait for the plan where the month is full, but spam is skipped as spam", () => {
    const form = { webhooks: [webhook("on"), webhook("off", { enabled: false })] };
    expect(short(planned(form, heldBack))).toEqual([
      "webhook on SKIPPED_PLAN_RESTRICTED",
      "webhook off SKIPPED_PLAN_RESTRICTED",
    ]);
    expect(short(planned(form, { ...heldBack, spam: true }))).toEqual([
      "webhook on SKIPPED_SPAM",
      "webhook off SKIPPED_SPAM",
    ]);
    expect(short(planned(form, { ...heldBack, uncounted: false }))).toEqual([
      "webhook on PENDING",
      "webhook off SKIPPED_WEBHOOK_DISABLED",
    ]);
  });
});

describe("the deliveries to webhooks", () => {
  it("leave out those that want other events", () => {
    const webhooks = [
      webhook("a", { events: ["submission.updated"] }),
      webhook("b", { events: ["submission.created"] }),
    ];
    expect(short(planned({ webhooks }))).toEqual(["webhook b PENDING"]);
  });

  it("leave out those that the routing did not choose", () => {
    const webhooks = [webhook("a"), webhook("b")];
    expect(short(planned({ webhooks }, { routed_to: routedTo({ webhooks: ["b"] }) }))).toEqual(["webhook b PENDING"]);
    expect(planned({ webhooks }, { routed_to: routedTo() })).toEqual([]);
  });

  it("of services that take several at a time have a lane of their own", () => {
    const webhooks = [webhook("sheet", { format: "google_sheets" }), webhook("chat", { format: "slack" })];
    expect(planned({ webhooks }).map(({ lane }) => lane)).toEqual(["batch", "webhook"]);
  });
});

describe("the notifications", () => {
  it("are one mail for each recipient, by the form's own server where it has one", () => {
    const own = { recipients: [ann, bob], sender: { server_id: "srv_1" } };
    const jobs = planned({ self_email_notification: own });
    expect(short(jobs)).toEqual([`owner_email srv_1 ${ann} PENDING`, `owner_email srv_1 ${bob} PENDING`]);
    for (const job of jobs) expect([job.lane, job.copies]).toEqual(["email", undefined]);
    expect(planned({ self_email_notification: { recipients: [] } })).toEqual([]);
    expect(planned({ self_email_notification: { ...own, enabled: false } })).toEqual([]);
  });

  it("go out for spam too where the form wants that", () => {
    const form = { self_email_notification: { recipients: [ann], include_spam: true } };
    expect(short(planned(form, { spam: true }))).toEqual([`owner_email default ${ann} PENDING`]);
  });

  it("go where the routing sends them: as one message where it has copies, else one for each", () => {
    const form = { self_email_notification: { recipients: [dee] } };
    const sent = (more: Partial<RoutedTo>) =>
      planned(form, { routed_to: routedTo(more) }).map(({ to, copies }) => [to, copies]);
    expect(sent({ recipients: [ann, bob] })).toEqual([
      [ann, undefined],
      [bob, undefined],
    ]);
    expect(sent({ recipients: [ann, bob], cc: [cy], bcc: [dee] })).toEqual([
      [ann, { to: [bob], cc: [cy], bcc: [dee] }],
    ]);
    expect(sent({ recipients: [ann], cc: [cy] })).toEqual([[ann, { to: [], cc: [cy], bcc: [] }]]);
    expect(sent({ recipients: [ann], bcc: [dee] })).toEqual([[ann, { to: [], cc: [], bcc: [dee] }]]);
    expect(sent({ cc: [cy], bcc: [dee] })).toEqual([
      [cy, undefined],
      [dee, undefined],
    ]);
    expect(sent({})).toEqual([]);
  });

  it("of a form with a digest go to each alone, and have a week and a day more", () => {
    const form = {
      webhooks: [webhook("w1")],
      auto_response: { enabled: true },
      settings: { digest: { interval: "daily" } },
    };
    const routed_to = routedTo({ recipients: [ann], cc: [cy], bcc: [dee], webhooks: ["w1"] });
    const jobs = planned(form, { routed_to, fields: [field("email", bob)] });
    const usual = START + 60_000 + 72 * HOUR;
    expect(jobs.map(({ kind, to, copies, deadline_at }) => [kind, to, copies, deadline_at])).toEqual([
      ["webhook", undefined, undefined, at(usual)],
      ...[ann, cy, dee].map((to) => ["owner_email", to, undefined, at(usual + 8 * 24 * HOUR)]),
      ["auto_response", bob, undefined, at(usual)],
    ]);
    const none = planned({
      self_email_notification: { recipients: [ann] },
      settings: { digest: { interval: "none" } },
    });
    expect(none).toMatchObject([{ deadline_at: at(usual) }]);
  });
});

describe("the reply to the sender", () => {
  const form = { auto_response: { enabled: true } };

  it("is planned where it is on and there is an address", () => {
    expect(short(planned(form, { reply_to: ann }))).toEqual([`auto_response default ${ann} PENDING`]);
    expect(planned({}, { reply_to: ann })).toEqual([]);
    expect(planned(form)).toEqual([]);
  });

  it("is skipped where nobody could verify the captcha", () => {
    const verdict = [UNVERIFIED];
    expect(short(planned(form, { reply_to: ann, verdict }))).toEqual([
      `auto_response default ${ann} SKIPPED_UNVERIFIED`,
    ]);
    expect(short(planned(form, { reply_to: ann, verdict, spam: true }))).toEqual([
      `auto_response default ${ann} SKIPPED_SPAM`,
    ]);
  });

  it("goes to `_replyto`, otherwise to the one field `email`, if that is exactly one valid address", () => {
    const of = (reply_to: string | null, ...fields: SubmissionRecord["fields"]) => submitterOf({ fields, reply_to });
    expect(of(ann, field("email", bob))).toBe(ann);
    expect(of(null, field("name", cy), field("E-Mail", cy), field("eMail", ` ${bob} `))).toBe(bob);
    expect(of("", field("email", bob))).toBeNull();
    expect(of("nobody", field("email", bob))).toBeNull();
    expect(of(null, field("email", ann), field("EMAIL", bob))).toBeNull();
    expect(of(null, field("email", `${ann}, ${bob}`))).toBeNull();
    expect(of(null)).toBeNull();
  });
});

describe("the deliveries of a change of a submission", () => {
  const updated = { events: ["submission.updated"] };
  const plannedUpdate = (webhooks: readonly object[], submission: object = {}, changed = ["fields"]): JobRecord[] =>
    planUpdate(core, ...given({ webhooks }, submission), changed).map(({ job }) => job);

  it("are one for each webhook that is on and wants them, and that the routing chose", () => {
    const webhooks = [
      webhook("yes", updated),
      webhook("off", { ...updated, enabled: false }),
      webhook("no", { events: ["submission.created"] }),
      webhook("sheet", { ...updated, format: "google_sheets" }),
    ];
    const jobs = plannedUpdate(webhooks);
    expect(jobs.map(({ target, lane }) => [target, lane])).toEqual([
      ["yes", "webhook"],
      ["sheet", "batch"],
    ]);
    expect(jobs[0]).toEqual({
      ...{ kind: "webhook", lane: "webhook", target: "yes", form_id: "f1", team_id: "t1", submission_id: "s1" },
      ...{ status: "pending", code: "PENDING", attempt: 0, lost: 0, leased: false, event: "submission.updated" },
      ...{ due_at: at(START + 60_000), deadline_at: at(START + 60_000 + 72 * HOUR), changed: ["fields"] },
      ...{ occurred_at: at(START), created_at: at(START), links_expire_at: at(START + HOUR), spam: false },
    });
    const routed = plannedUpdate(webhooks, { routed_to: routedTo({ webhooks: ["sheet"] }) });
    expect(routed.map(({ target }) => target)).toEqual(["sheet"]);
  });

  it("are none for spam, unless that is what changed, and none beyond the plan's month", () => {
    const webhooks = [webhook("w1", updated)];
    expect(plannedUpdate(webhooks, { spam: true })).toEqual([]);
    expect(plannedUpdate(webhooks, { spam: true }, ["spam", "read"])).toMatchObject([{ spam: true }]);
    expect(plannedUpdate(webhooks, heldBack, ["spam"])).toEqual([]);
  });
});
