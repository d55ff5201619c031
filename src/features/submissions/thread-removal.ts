import type { Core } from "../../core/core.ts";
import { type Row, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { MessageRecord } from "../../model/messages.ts";
import type { StoredFile } from "../../model/submission-file.ts";

/** The writes that remove the messages under a submission; the bytes of the files that came with them are gone when this resolves. */
export async function threadRemoval(core: Core, submission_id: string): Promise<Write[]> {
  const writes: Write[] = [];
  for await (const rows of core.rows.walk("messages", { index: "submission", equals: { submission_id } })) {
    for (const row of rows) writes.push(...(await messageRemoval(core, row)));
  }
  return writes;
}

/** The same for one message. */
export async function messageRemoval(core: Core, { id, value }: Row<"messages">): Promise<Write[]> {
  const own = ownFiles(value);
  for (const { file_id } of own) await core.blob.remove(file_id);
  return [remove("messages", id), ...own.map(({ file_id }) => remove("files", file_id))];
}

/** The files that go with a message. The others of an answer are those of the submission, or of its form. */
export const ownFiles = ({ direction, attachments, uploads = [] }: MessageRecord): StoredFile[] =>
  direction === "in" ? attachments : attachments.filter(({ file_id }) => uploads.includes(file_id));
