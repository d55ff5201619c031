import type { Core } from "../../core/core.ts";
import { iso } from "../../lib/clock.ts";
import { withAttempt } from "../../model/attempts.ts";
import { addresseeOf, isToWebhook, type JobRecord } from "../../model/jobs.ts";
import type { JobOutcome } from "../../model/outcome.ts";
import { nextAttempt } from "../webhooks/schedule.ts";

/** Leaves of a job that its latest attempt alone decides. */
const ofAttempt = ["http_status", "node_error_code", "message"] as const;

/** The job as a run leaves it. */
export function endedBy(core: Core, job: JobRecord, outcome: JobOutcome): JobRecord {
  const { moved, status, http_status, node_error_code, message } = outcome;
  if (moved) {
    const { again: _, last_chance: __, unsure, ...rest } = job;
    return {
      ...rest,
      // A mail that an earlier version planned has its address in `target` only, which would be lost.
      ...(!isToWebhook(job) && { to: addresseeOf(job) }),
      ...((unsure || job.lost > 0) && { unsure: true }),
      target: moved.target,
      code: outcome.code,
      lost: 0,
      leased: false,
      due_at: iso(moved.at),
    };
  }
  const attempt = (outcome.attempted ?? status !== "skipped") ? job.attempt + 1 : job.attempt;
  const next = status === "retry" ? planned(core, job, attempt, outcome) : null;
  const ended = status !== "retry" ? status : next === null ? "failed" : "retrying";
  const occurred_at = iso(core.clock.now());
  const { code, ms = 0 } = outcome;
  const attempts =
    attempt > job.attempt && ended !== "skipped"
      ? withAttempt(job.attempts, { at: occurred_at, ms, status: ended, code, http_status, message })
      : job.attempts;
  const due_at = next === null ? null : iso(next);
  const after: JobRecord = { ...job, status: ended, code, attempt, lost: 0, leased: false, due_at, occurred_at };
  // One by one, for few jobs have any of them: destructuring with a rest copies slowly.
  if (after.result !== undefined) delete after.result;
  if (after.last_chance !== undefined) delete after.last_chance;
  // Counted attempts say the same.
  if (after.unsure !== undefined) delete after.unsure;
  if (after.forced !== undefined && next === null) delete after.forced;
  for (const name of ofAttempt) if (after[name] !== undefined) delete after[name];
  if (attempts) after.attempts = attempts;
  if (http_status !== undefined) after.http_status = http_status;
  if (node_error_code !== undefined) after.node_error_code = node_error_code;
  if (message !== undefined) after.message = message;
  return after;
}

/** Due time of the next attempt, by the store's clock; null if there is none before the deadline. */
function planned(core: Core, job: JobRecord, attempt: number, { retryAfter, slow }: JobOutcome): number | null {
  const next = nextAttempt({
    attempt: attempt - (job.window_from ?? 0),
    endedAt: core.storeClock.now(),
    deadlineAt: Date.parse(job.deadline_at),
    retryAfter,
    slow,
  });
  return next.at ?? null;
}
