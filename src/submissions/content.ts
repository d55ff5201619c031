import { type Core, find } from "../core.ts";
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
  const jobs = await core.storage.page("jobs", {
    index: "submission",
    equals: { submission_id },
    order: "asc",
    limit: 1_000,
  });
  if (jobs.some(({ value }) => value["due_at"] !== null && value["due_at"] !== undefined)) return;
  const row = await find<SubmissionRecord>(core, "transient_submissions", submission_id);
  const files = row ? await removeFiles(core, row.value) : [];
  await core.storage.commit([{ op: "remove", collection: "transient_submissions", id: submission_id }, ...files]);
}
