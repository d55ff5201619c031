import type { Core } from "../../core/core.ts";
import { type Row, remove, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import type { ImportDeleted } from "../../model/import.ts";
import { overBlob } from "../files/store.ts";
import { withoutWords } from "../jobs/forget.ts";
import { notesRemoval, removeFiles } from "../submissions/removal.ts";
import { runWrites } from "../submissions/runs.ts";
import { threadRemoval } from "../submissions/thread-removal.ts";
import { Source } from "./import.ts";
import { tallyOf } from "./tally.ts";

const BATCH = 250;

/**
 * Removes the submissions that imports from this source stored, and counts them out. The form may be deleted. Throws
 * `form_not_found`, `invalid_parameter`, `unavailable`.
 */
export async function deleteImported(core: Core, formId: string, source: string): Promise<ImportDeleted> {
  const from = parseInput(Source, source, "source");
  let deleted = 0;
  for await (const page of core.rows.walk("submissions", {
    index: "form",
    equals: { form_id: formId },
    limit: BATCH,
  })) {
    const isOurs = ({ value }: Row<"submissions">): boolean => value.imported_from === from && value.form_id === formId;
    let current: readonly Row<"submissions">[] = page.filter(isOurs);
    if (current.length === 0) continue;
    deleted += await retrying(async () => {
      if (current.length === 0) return 0;
      const writes: Write[] = [];
      for (const { id, value, version } of current) {
        const files = await overBlob(core, () => removeFiles(core, value));
        writes.push(remove("submissions", id, version), ...files, ...runWrites(id, value, null));
        writes.push(
          ...(await notesRemoval(core, id, value)),
          ...(await threadRemoval(core, id)),
          ...(await withoutWords(core, id)),
        );
      }
      const values = current.map(({ value }) => value);
      await core.commitNow([...writes, ...tallyOf(core, formId, values, -1)]).catch(async (error: unknown) => {
        // Somebody marked or removed one of them in the meantime.
        const ids = current.map(({ id }) => id);
        current = [...(await core.rows.many("submissions", ids)).values()].filter(isOurs);
        throw error;
      });
      return values.length;
    });
  }
  if (deleted === 0 && !(await core.rows.get("forms", formId))) throw new ApiError("form_not_found");
  return { deleted };
}
