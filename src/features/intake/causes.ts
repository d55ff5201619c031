import type { Core } from "../../core/core.ts";
import { put, type Row } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { addTo, closedCounter, countersOf, seenCounter } from "../forms/counters.ts";
import { type PlannedJob, planJobs } from "../jobs/plan.ts";
import { countWrite } from "../jobs/quota.ts";
import { usageWrite } from "../teams/usage.ts";

/** Parts of a stored submission. */
export interface Caused {
  readonly jobs: readonly PlannedJob[];
  /** False if the form does not store the content, and no delivery needs it either. */
  readonly kept: boolean;
  /** The submission itself among them. */
  readonly writes: readonly Write[];
}

/** The submission and everything it causes, to be committed together. `counted` submissions take a place in the plan's month. */
export function causedBy(
  core: Core,
  form: Row<"forms">,
  id: string,
  submission: SubmissionRecord,
  { now, counted }: { readonly now: number; readonly counted: boolean },
): Caused {
  const { created_at, team_id } = submission;
  const jobs = planJobs(core, form, id, submission, now);
  const stored = form.value.storage.store_submissions;
  // If the form does not store content, it is kept only while a delivery needs it.
  const kept = stored || jobs.some(({ job }) => job.due_at !== null);
  const counters = countersOf(form.id, created_at);
  const trace = core.telemetry.trace();
  return {
    jobs,
    kept,
    writes: [
      ...(kept ? [put(stored ? "submissions" : "transient_submissions", id, submission, null)] : []),
      ...jobs.map(({ id: jobId, job }) => put("jobs", jobId, trace === undefined ? job : { ...job, trace }, null)),
      addTo(counters.all, 1, created_at),
      addTo(counters.month, 1, created_at),
      ...(submission.spam ? [] : [addTo(counters.day, 1, created_at)]),
      ...(submission.spam || !stored
        ? [addTo(seenCounter(form.id), 1, created_at), addTo(closedCounter(form.id), 1, created_at)]
        : []),
      ...(counted
        ? [countWrite(team_id, created_at)]
        : [usageWrite(team_id, created_at, submission.spam ? "spam" : "over_quota")]),
    ],
  };
}

/** Has the lanes look for the jobs, once they are committed. */
export function wakeFor(core: Core, jobs: readonly PlannedJob[]): void {
  const woken: string[] = [];
  for (const { job } of jobs) {
    if (job.due_at === null || woken.includes(job.lane)) continue;
    woken.push(job.lane);
    core.queue.wake(job.lane);
  }
}
