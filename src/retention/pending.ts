import type { Core } from "../core/core.ts";
import { put, type Row, remove } from "../core/rows.ts";
import { StaleWriteError, type Write } from "../drivers/storage/types.ts";
import { discard, giveUp } from "../files/store.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { addresseeOf, type JobKind } from "../model/jobs.ts";

/** Mails to the visitor's address. */
const visitors: ReadonlySet<JobKind> = new Set<JobKind>(["auto_response", "confirmation"]);

/** The writes that take a visitor's address out of the deliveries of a submission. */
export async function withoutAddress(core: Core, submission_id: string): Promise<Write[]> {
  const theirs = (await jobsOf(core, submission_id)).filter(
    ({ value }) => visitors.has(value.kind) && addresseeOf(value) !== "",
  );
  return theirs.map(({ id, version, value: { message: _, ...job } }) =>
    put("jobs", id, { ...job, to: "", target: "", due_at: null }, version),
  );
}

/**
 * Removes a submission that nobody has confirmed in time. Its row goes first, and only if it is unchanged: one that is being
 * confirmed at this moment keeps its files.
 */
export async function forgetPending(core: Core, { id, version, value }: Row<"pending_submissions">): Promise<void> {
  const files = value.attachments.map(({ file_id }) => file_id);
  const writes = files.flatMap((file) => [remove("files", file), giveUp(core, file)]);
  try {
    const jobs = await withoutAddress(core, id);
    await core.storage.commit([remove("pending_submissions", id, version), ...writes, ...jobs]);
  } catch (error) {
    if (error instanceof StaleWriteError && error.collection === "pending_submissions") return;
    throw error;
  }
  await discard(core, files);
}
