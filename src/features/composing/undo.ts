import type { Core } from "../../core/core.ts";
import { remove } from "../../core/rows.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import type { Caller } from "../../model/keys.ts";
import { discard, giveUp } from "../files/store.ts";
import { authorOf } from "../keys/author.ts";
import { jobIdsOf } from "../messages/send.ts";
import { ownFiles } from "../submissions/thread-removal.ts";

/** An answer of the inbox waits this long before it goes out. */
export const UNDO_MS = 10_000;

/** An answer that was taken back. */
export interface TakenBack {
  readonly text: string;
  /** The number of files that were uploaded for it, and are gone. */
  readonly files: number;
}

/**
 * Takes a person's own answer back, unless a worker has its mail already: then nothing changes, and the result is null. Throws
 * `not_found`.
 */
export async function takeBack(
  core: Core,
  caller: Caller,
  { submission_id, id }: { readonly submission_id: string; readonly id: string },
): Promise<TakenBack | null> {
  const row = await core.rows.get("messages", id);
  const author = await authorOf(core, caller);
  if (row?.value.submission_id !== submission_id || row.value.direction !== "out" || row.value.author?.id !== author.id)
    throw new ApiError("not_found", { message: "There is no such answer of yours." });
  const jobs = await core.rows.many("jobs", jobIdsOf(id, row.value));
  const begun = [...jobs.values()].some(
    ({ value: { status, leased, attempt } }) => status !== "pending" || leased || attempt > 0,
  );
  if (begun || !jobs.has(id)) return null;
  const files = ownFiles(row.value).map(({ file_id }) => file_id);
  try {
    await core.commitNow([
      // A worker that claims a job meanwhile changes its version.
      ...[...jobs.values()].map((job) => remove("jobs", job.id, job.version)),
      remove("messages", id, row.version),
      ...files.flatMap((file) => [remove("files", file), giveUp(core, file)]),
    ]);
  } catch (error) {
    if (error instanceof StaleWriteError) return null;
    throw error;
  }
  await discard(core, files);
  return { text: row.value.text, files: files.length };
}
