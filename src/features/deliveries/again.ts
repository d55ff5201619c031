import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { admitted } from "../jobs/quota.ts";
import { reopened } from "../jobs/reopen.ts";
import { contentOf } from "../submissions/content.ts";

/** A delivery as a caller has it sent again: also to a webhook that is off. `submission` is null for a mail that has none. */
export function askedAgain(core: Core, job: JobRecord, submission: SubmissionRecord | null): JobRecord {
  // Before the first attempt, the content is the current one. Afterwards every attempt sends the same bytes.
  const spam = job.attempt === 0 && submission ? submission.spam : job.spam;
  const asked = { ...reopened(core, job), spam, forced: true };
  const { leased, due_at, lost, last_chance } = job;
  const isRunning = leased && due_at !== null && Date.parse(due_at) > core.storeClock.now();
  if (!isRunning) return asked;
  return { ...asked, leased, due_at, lost, ...(last_chance !== undefined && { last_chance }), again: true };
}

/** A delivery after a run, as it is stored: due once more if a caller asked for it again during the run. */
export function runAgain(core: Core, ended: JobRecord): JobRecord {
  if (!ended.again) return ended;
  const { again: _, ...job } = reopened(core, ended);
  return { ...job, forced: true };
}

/**
 * True if a mail must never be sent: a reply to an unverified address, or to one from spam, would make us send someone else's
 * spam.
 */
export const staysUnsent = ({ kind, code }: JobRecord, { spam }: SubmissionRecord): boolean =>
  kind === "auto_response" && (spam || code === "SKIPPED_UNVERIFIED");

/** The submission that a delivery is about; null if it is gone. */
export const causeOf = async (core: Core, { kind, submission_id }: JobRecord): Promise<SubmissionRecord | null> =>
  kind === "confirmation"
    ? ((await core.rows.get("pending_submissions", submission_id))?.value ?? null)
    : contentOf(core, submission_id);

/**
 * Sends one delivery of any kind again, whatever its state is: same id, counting its attempts on, 72 h of retries. A delivery
 * that must not be sent is returned as it is. One that was spam or beyond the plan's month is counted in the month first.
 * Throws `submission_not_stored`, `plan_restricted` if the month is full, and `missing()`.
 */
export async function sendAgain(core: Core, { id, value }: Row<"jobs">, missing: () => ApiError): Promise<JobRecord> {
  const { submission_id } = value;
  if (submission_id !== "" && !(await admitted(core, submission_id))) {
    throw new ApiError("plan_restricted", {
      message: "The plan's month is full, and this submission exceeds its limit; send it again next month.",
    });
  }
  const job = await core.rows.update(
    "jobs",
    id,
    async (before) => {
      if (submission_id === "") return askedAgain(core, before, null);
      const submission = await causeOf(core, before);
      if (!submission) throw new ApiError("submission_not_stored");
      return staysUnsent(before, submission) ? null : askedAgain(core, before, submission);
    },
    missing,
  );
  core.queue.wake(job.lane);
  return job;
}
