import { type Core, find } from "../core.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { removeFiles } from "./removal.ts";
import type { SubmissionRecord } from "./schema.ts";

/** What a delivery is made of: the stored submission, or the content kept only until its deliveries have run; null when gone. */
export async function contentOf(core: Core, id: string): Promise<SubmissionRecord | null> {
  const row =
    (await core.findJoined<SubmissionRecord>("submissions", id)) ??
    (await core.findJoined<SubmissionRecord>("transient_submissions", id));
  return row?.value ?? null;
}

/** Removes content that was kept for deliveries only, once none of them is due any more. */
export async function releaseContent(core: Core, submission_id: string): Promise<void> {
  const jobs = await jobsOf(core, submission_id);
  if (jobs.some(({ value }) => value.due_at !== null)) return;
  const row = await find<SubmissionRecord>(core, "transient_submissions", submission_id);
  const files = row ? await removeFiles(core, row.value) : [];
  await core.storage.commit([{ op: "remove", collection: "transient_submissions", id: submission_id }, ...files]);
}
