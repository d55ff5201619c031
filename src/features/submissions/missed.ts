import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import type { Lane } from "../../drivers/queue/types.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { planJobs } from "../jobs/plan.ts";
import { reopened } from "../jobs/reopen.ts";

/** A delivery that spam had held back. */
export interface ReleasedJob {
  readonly write: Write;
  readonly lane: Lane;
}

/** The deliveries of a submission that is no longer spam: those skipped as spam, or all of them if none was planned. */
export async function releasedJobs(
  core: Core,
  id: string,
  record: SubmissionRecord,
  sends: boolean,
): Promise<ReleasedJob[]> {
  const { planned, skipped } = await missed(core, id, record, sends);
  return [
    ...planned.map(({ id: jobId, job }) => ({ lane: job.lane, write: put("jobs", jobId, job, null) })),
    ...(sends ? skipped : []).map(({ id: jobId, value, version }) => ({
      lane: value.lane,
      write: put("jobs", jobId, { ...reopened(core, value), spam: false }, version),
    })),
  ];
}

async function missed(core: Core, id: string, record: SubmissionRecord, sends: boolean) {
  const jobs = await jobsOf(core, id);
  const isUnplanned = jobs.length === 0 && record.spam;
  const form = isUnplanned ? await core.rows.get("forms", record.form_id) : null;
  return {
    planned: form ? planJobs(core, form, id, { ...record, spam: false, over_quota: !sends }, core.clock.now()) : [],
    skipped: jobs.filter(({ value }) => value.code === "SKIPPED_SPAM"),
  };
}

/** The deliveries that "not spam" with `deliver` would start for a submission, as long as the plan's month has room. */
export async function missedJobs(core: Core, id: string, record: SubmissionRecord): Promise<JobRecord[]> {
  const { planned, skipped } = await missed(core, id, record, true);
  const form = skipped.length > 0 ? await core.rows.get("forms", record.form_id) : null;
  // Spam is skipped as spam first; a webhook that is paused or gone is skipped again at its turn.
  const isOn = ({ kind, target }: JobRecord): boolean =>
    kind !== "webhook" || form?.value.webhooks.some((webhook) => webhook.id === target && webhook.enabled) === true;
  return [
    ...planned.map(({ job }) => job).filter(({ status }) => status === "pending"),
    ...skipped.map(({ value }) => value).filter(isOn),
  ];
}
