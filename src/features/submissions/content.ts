import type { Core } from "../../core/core.ts";
import { remove } from "../../core/rows.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import type { Read } from "../jobs/reads.ts";
import { removeFiles } from "./removal.ts";

/** The content of a delivery: the stored submission, or content kept only until its deliveries have run; null if it is gone. */
export async function contentOf(
  core: Core,
  id: string,
  read: Read = core.rows.batched,
): Promise<SubmissionRecord | null> {
  const row = (await read("submissions", id)) ?? (await read("transient_submissions", id));
  return row?.value ?? null;
}

/** Removes content that was kept for deliveries only, once none of them is due any more. */
export async function releaseContent(core: Core, submission_id: string): Promise<void> {
  const jobs = await jobsOf(core, submission_id);
  if (jobs.some(({ value }) => value.due_at !== null)) return;
  const row = await core.rows.get("transient_submissions", submission_id);
  const files = row ? await removeFiles(core, row.value) : [];
  await core.commitNow([remove("transient_submissions", submission_id), ...files]);
}
