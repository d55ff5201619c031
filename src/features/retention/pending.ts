import type { Core } from "../../core/core.ts";
import { type Row, remove } from "../../core/rows.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { discard, giveUp } from "../files/store.ts";
import { withoutAddress } from "../jobs/forget.ts";

/**
 * Removes a submission that nobody has confirmed in time. Its row goes first, and only if it is unchanged: one that is being
 * confirmed at this moment keeps its files.
 */
export async function forgetPending(core: Core, { id, version, value }: Row<"pending_submissions">): Promise<void> {
  const files = value.attachments.map(({ file_id }) => file_id);
  const writes = files.flatMap((file) => [remove("files", file), giveUp(core, file)]);
  try {
    const jobs = await withoutAddress(core, id);
    await core.commitNow([remove("pending_submissions", id, version), ...writes, ...jobs]);
  } catch (error) {
    if (error instanceof StaleWriteError && error.collection === "pending_submissions") return;
    throw error;
  }
  await discard(core, files);
}
