import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { askedAgain, runAgain, staysUnsent } from "../../../../src/features/deliveries/again.ts";
import { endedBy } from "../../../../src/features/deliveries/ended.ts";
import { reopened } from "../../../../src/features/jobs/reopen.ts";
import { iso } from "../../../../src/lib/clock.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import type { SubmissionRecord } from "../../../../src/model/submission-record.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
/** The store's clock is another one: due times are by it, and times that people see are not. */
const STORE = NOW + 7_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const core = {
  clock: { now: () => NOW },
  storeClock: { now: () => STORE },
  options: { files: { linkTtlSeconds: 600 } },
} as unknown as Core;

const job = (more: Partial<JobRecord> = {}): JobRecord => ({
  kind: "webhook",
  lane: "webhook",
  target: "whk_1",
  form_id: "form",
  team_id: "default",
  submission_id: "sub",
  status: "pending",
  code: "PENDING",
  attempt: 0,
  lost: 0,
  leased: true,
  due_at: iso(STORE + 60_000),
  deadline_at: iso(STORE + 3 * DAY),
  occurred_at: iso(NOW - HOUR),
  created_at: iso(NOW - HOUR),
  event: "submission.created",
  spam: false,
  links_expire_at: iso(NOW),
  ...more,
});

describe("a run", () => {
  it("that succeeds ends the delivery, and leaves nothing of the run behind", () => {
    const before = job({
      lost: 2,
      last_chance: 1,
      unsure: true,
      forced: true,
      result: { status: "retry", code: "X" },
      http_status: 500,
      node_error_code: "ECONNRESET",
      message: "before",
    });
    const after = endedBy(core, before, { status: "succeeded", code: "SUCCESS", http_status: 204, ms: 12 });
    expect(after).toEqual({
      ...job(),
      status: "succeeded",
      code: "SUCCESS",
      attempt: 1,
      leased: false,
      due_at: null,
      occurred_at: iso(NOW),
      http_status: 204,
      attempts: [{ at: iso(NOW), ms: 12, status: "succeeded", code: "SUCCESS", http_status: 204 }],
    });
    for (const name of ["result", "last_chance", "unsure", "forced", "node_error_code", "message"])
      expect(name in after, name).toBe(false);
    // The row that was read stays as it is.
    expect(before.message).toBe("before");
  });

  it("that fails for now is planned again by the store's clock, and keeps what a caller asked for", () => {
    const after = endedBy(core, job({ forced: true, attempt: 1 }), {
      status: "retry",
      code: "ERROR_WEBHOOK_HTTP_5XX",
      http_status: 503,
      node_error_code: "ECONNRESET",
      message: "Later.",
      retryAfter: "3600",
    });
    expect(after).toMatchObject({
      status: "retrying",
      attempt: 2,
      forced: true,
      http_status: 503,
      node_error_code: "ECONNRESET",
      message: "Later.",
      due_at: iso(STORE + HOUR),
      leased: false,
      attempts: [{ ms: 0, status: "retrying", code: "ERROR_WEBHOOK_HTTP_5XX", message: "Later." }],
    });
  });

  it("counts from the beginning of its window, waits longer where the service was slow, and ends with the window", () => {
    const due = (more: Partial<JobRecord>, slow = false): number => {
      const { due_at } = endedBy(core, job(more), { status: "retry", code: "X", slow });
      return Date.parse(String(due_at)) - STORE;
    };
    expect(due({ attempt: 40, window_from: 40 })).toBeLessThanOrEqual(6_000);
    expect(due({ attempt: 40, window_from: 38 })).toBeGreaterThanOrEqual(96_000);
    expect(due({ attempt: 4 })).toBeGreaterThanOrEqual(24 * 60_000);
    expect(due({}, true)).toBeGreaterThanOrEqual(60_000);
    const over = endedBy(core, job({ deadline_at: iso(STORE + 1) }), { status: "retry", code: "X" });
    expect(over).toMatchObject({ status: "failed", due_at: null, attempts: [{ status: "failed" }] });
  });

  it("that was skipped is no attempt and has none in its log, unless it says that it was one", () => {
    const skipped = endedBy(core, job({ attempt: 3 }), { status: "skipped", code: "SKIPPED_SPAM" });
    expect(skipped).toMatchObject({ status: "skipped", attempt: 3, due_at: null });
    expect(skipped.attempts).toBeUndefined();
    const tried = endedBy(core, job({ attempt: 3 }), { status: "skipped", code: "SKIPPED_SPAM", attempted: true });
    expect([tried.attempt, tried.attempts]).toEqual([4, undefined]);
    const untried = endedBy(core, job({ attempts: [] }), { status: "failed", code: "X", attempted: false });
    expect([untried.attempt, untried.attempts]).toEqual([0, []]);
  });

  it("that moves a mail elsewhere keeps its address, and whether it may have been sent", () => {
    const mail = job({ kind: "auto_response", lane: "email", target: "ann@example.com", again: true, last_chance: 1 });
    const moved = { target: "srv_1", at: STORE + HOUR };
    const after = endedBy(core, mail, { status: "retry", code: "DEFERRED", moved });
    expect(after).toMatchObject({
      target: "srv_1",
      to: "ann@example.com",
      code: "DEFERRED",
      status: "pending",
      attempt: 0,
      lost: 0,
      leased: false,
      due_at: iso(STORE + HOUR),
    });
    for (const name of ["again", "last_chance", "unsure"]) expect(name in after, name).toBe(false);
    expect(endedBy(core, { ...mail, lost: 1 }, { status: "retry", code: "X", moved }).unsure).toBe(true);
    expect(endedBy(core, { ...mail, unsure: true }, { status: "retry", code: "X", moved }).unsure).toBe(true);
    const hook = endedBy(core, job(), { status: "retry", code: "X", moved });
    expect("to" in hook).toBe(false);
  });
});

describe("a delivery that is asked for again", () => {
  const submission = { spam: true } as SubmissionRecord;

  it("is due now with a new window and its attempts counted on, without what the latest attempt said", () => {
    const before = job({ status: "failed", attempt: 5, lost: 2, last_chance: 1, http_status: 500, message: "no" });
    expect(reopened(core, { ...before, node_error_code: "EPIPE" })).toEqual({
      ...job(),
      attempt: 5,
      leased: false,
      due_at: iso(STORE),
      deadline_at: iso(STORE + 3 * DAY),
      window_from: 5,
      links_expire_at: iso(NOW + 600_000),
    });
  });

  it("takes the submission's mark of spam before its first attempt alone", () => {
    const ended = { leased: false, due_at: null };
    expect(askedAgain(core, job(ended), submission)).toMatchObject({ spam: true, forced: true, status: "pending" });
    expect(askedAgain(core, job({ ...ended, attempt: 1 }), submission).spam).toBe(false);
    expect(askedAgain(core, job(ended), null).spam).toBe(false);
  });

  it("keeps its lease while it runs, and runs once more after that", () => {
    const lease = { leased: true, due_at: iso(STORE + 1), lost: 1 };
    expect(askedAgain(core, job(lease), null)).toMatchObject({ ...lease, again: true, forced: true });
    expect("last_chance" in askedAgain(core, job(lease), null)).toBe(false);
    expect(askedAgain(core, job({ ...lease, last_chance: 1 }), null).last_chance).toBe(1);
    for (const over of [
      { leased: false, due_at: iso(STORE + 1) },
      { leased: true, due_at: null },
      { leased: true, due_at: iso(STORE) },
    ]) {
      const asked = askedAgain(core, job(over), null);
      expect([asked.again, asked.leased, asked.due_at]).toEqual([undefined, false, iso(STORE)]);
    }
  });

  it("is due again once its run has ended, and any other delivery stays ended", () => {
    const ended = job({ status: "succeeded", due_at: null, leased: false });
    expect(runAgain(core, ended)).toBe(ended);
    const next = runAgain(core, { ...ended, again: true });
    expect(next).toMatchObject({ status: "pending", due_at: iso(STORE), forced: true });
    expect("again" in next).toBe(false);
  });

  it("stays unsent where it would answer somebody who never asked", () => {
    const to = (more: Partial<JobRecord>, spam = false) => staysUnsent(job(more), { spam } as SubmissionRecord);
    expect(to({ kind: "auto_response" }, true)).toBe(true);
    expect(to({ kind: "auto_response", code: "SKIPPED_UNVERIFIED" })).toBe(true);
    expect(to({ kind: "auto_response" })).toBe(false);
    expect(to({ kind: "webhook", code: "SKIPPED_UNVERIFIED" }, true)).toBe(false);
  });
});
