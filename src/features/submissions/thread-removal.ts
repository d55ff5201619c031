import type { Core } from "../../core/core.ts";
import { type Row, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";

/** The writes that remove the messages under a submission; the bytes of the files that came with them are gone when this resolves. */
export async function threadRemoval(core: Core, submission_id: string): Promise<Write[]> {
  const writes: Write[] = [];
  for await (const rows of core.rows.walk("messages", { index: "submission", equals: { submission_id } })) {
    for (const row of rows) writes.push(...(await messageRemoval(core, row)));
  }
  return writes;
}

/** The same for one message. The files of an answer are those of the submission, or of its form. */
export async function messageRemoval(core: Core, { id, value }: Row<"messages">): Promise<Write[]> {
  const own = value.direction === "in" ? value.attachments : [];
  for (const { file_id } of own) await core.blob.remove(file_id);
  return [remove("messages", id), ...own.map(({ file_id }) => remove("files", file_id))];
}
