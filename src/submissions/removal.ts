import type { Core } from "../core.ts";
import type { Write } from "../drivers/storage/types.ts";
import type { SubmissionRecord } from "./schema.ts";

/** The writes that remove a submission; its files are gone when this resolves. */
export async function removal(core: Core, id: string, submission: SubmissionRecord): Promise<Write[]> {
  return [{ op: "remove", collection: "submissions", id }, ...(await removeFiles(core, submission))];
}

/**
 * Removes the bytes of a submission's files and answers the writes that remove their rows. Bytes go first: an error on the way
 * leaves the rows in place, so that asking again finishes the removal and no bytes are left that nothing names.
 */
export async function removeFiles(core: Core, { attachments }: SubmissionRecord): Promise<Write[]> {
  for (const { file_id } of attachments) await core.blob.remove(file_id);
  return attachments.map(({ file_id }) => ({ op: "remove", collection: "files", id: file_id }));
}
