import type { Core } from "../core/core.ts";
import { iso } from "../lib/clock.ts";
import { withAttempt } from "../model/attempts.ts";
import { addresseeOf, type JobRecord } from "../model/jobs.ts";
import type { JobOutcome } from "../model/outcome.ts";
import { nextAttempt } from "../webhooks/schedule.ts";

/** The job as a run leaves it. */
export function endedBy(core: Core, job: JobRecord, outcome: JobOutcome): JobRecord {
  const { http_status: _, node_error_code: __, message: ___, result: ____, forced, ...rest } = job;
  const { moved, status, http_status, node_error_code, message } = outcome;
  if (moved) {
    // A mail that an earlier version planned has its address in `target` only, which would be lost.
    const to = addresseeOf(job);
    return { ...job, to, target: moved.target, code: outcome.code, lost: 0, leased: false, due_at: iso(moved.at) };
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
  return {
    ...rest,
    ...(attempts && { attempts }),
    ...(http_status !== undefined && { http_status }),
    ...(node_error_code !== undefined && { node_error_code }),
    ...(message !== undefined && { message }),
    ...(forced && next !== null && { forced }),
    status: ended,
    code,
    attempt,
    lost: 0,
    leased: false,
    due_at: next === null ? null : iso(next),
    occurred_at,
  };
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
