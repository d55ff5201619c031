import { ignoreStale, type Row } from "../../core/rows.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { withoutAddress } from "../jobs/forget.ts";
import { trashContentRemoval } from "../submissions/trash.ts";
import { BATCH, type Run } from "./run.ts";

/** Removes what the form keeps no longer: its retention goes on in the trash. */
export function expireTrashOf(run: Run, form_id: string, days: number): Promise<void> {
  const where = [{ column: "created_at", op: "lt", value: iso(run.now - days * DAY_MS) }] as const;
  const query = { index: "form", equals: { form_id }, where, limit: BATCH };
  return expireTrash(run, run.core.rows.walk("trashed_submissions", query));
}

/** Removes these submissions from the trash for good. */
export async function expireTrash(run: Run, pages: AsyncIterable<Row<"trashed_submissions">[]>): Promise<void> {
  for await (const rows of pages) {
    await run.alive();
    for (const row of rows) {
      const gone = await run.attempt(`submission ${row.id} in the trash`, async () => {
        const content = await trashContentRemoval(run.core, row);
        // Somebody has restored it in the meantime.
        await run.core.commitNow([...content, ...(await withoutAddress(run.core, row.id))]).catch(ignoreStale);
      });
      if (!gone) continue;
      run.swept.submissions++;
      run.swept.files += row.value.attachments.length;
    }
  }
}
