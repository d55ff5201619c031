import type { Core } from "../../core/core.ts";
import { type Row, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { withoutWords } from "../jobs/forget.ts";
import { tallied } from "./tally.ts";
import { threadRemoval } from "./thread-removal.ts";

/** The writes that remove a submission, and what receivers and mail servers said when it was sent. See `contentRemoval`. */
export async function removal(core: Core, row: Row<"submissions">): Promise<Write[]> {
  return [...(await contentRemoval(core, row)), ...(await withoutWords(core, row.id))];
}

/**
 * The writes that remove a submission with its messages and leave its deliveries; its files are gone when this resolves. The commit throws `StaleWriteError` where it was
 * changed or removed since it was read.
 */
export async function contentRemoval(core: Core, { id, value, version }: Row<"submissions">): Promise<Write[]> {
  return [
    remove("submissions", id, version),
    ...(await removeFiles(core, value)),
    ...(await notesRemoval(core, id, value)),
    ...(await threadRemoval(core, id)),
    ...tallied([{ id, before: value, after: null }], iso(core.clock.now())),
  ];
}

/** The writes that remove what people noted on a submission and did with it. */
export async function notesRemoval(core: Core, id: string, { work }: SubmissionRecord): Promise<Write[]> {
  // One that was never worked on has none.
  if (!work) return [];
  const rows = await core.rows.all("activities", { index: "submission", equals: { submission_id: id } });
  return rows.map((row) => remove("activities", row.id));
}

/**
 * Removes the bytes of a submission's files and returns the writes that remove their rows. Bytes go first: after an error the
 * rows are still there, so repeating it finishes the removal, and no bytes are left without a row.
 */
export async function removeFiles(core: Core, { attachments }: SubmissionRecord): Promise<Write[]> {
  for (const { file_id } of attachments) await core.blob.remove(file_id);
  return attachments.map(({ file_id }) => remove("files", file_id));
}
