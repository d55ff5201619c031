import type { Core } from "../core/core.ts";
import { put, type Row } from "../core/rows.ts";
import type { Write } from "../drivers/storage/types.ts";
import { addTo, formCounter, seenCounter } from "../forms/counters.ts";
import { countWrite } from "../jobs/month.ts";
import { type PlannedJob, planJobs } from "../jobs/plan.ts";
import { dayOf, monthOf } from "../lib/clock.ts";
import type { SubmissionRecord } from "../model/submissions.ts";

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
  return {
    jobs,
    kept,
    writes: [
      ...(kept ? [put(stored ? "submissions" : "transient_submissions", id, submission, null)] : []),
      ...jobs.map(({ id: jobId, job }) => put("jobs", jobId, job, null)),
      addTo(formCounter(form.id, "all"), 1, created_at),
      addTo(formCounter(form.id, monthOf(created_at)), 1, created_at),
      ...(submission.spam ? [] : [addTo(formCounter(form.id, dayOf(created_at)), 1, created_at)]),
      ...(submission.spam || !stored ? [addTo(seenCounter(form.id), 1, created_at)] : []),
      ...(counted ? [countWrite(team_id, created_at)] : []),
    ],
  };
}

/** Has the lanes look for the jobs, once they are committed. */
export function wakeFor(core: Core, jobs: readonly PlannedJob[]): void {
  for (const lane of new Set(jobs.filter(({ job }) => job.due_at).map(({ job }) => job.lane))) core.queue.wake(lane);
}
