import type { Row } from "../../core/rows.ts";
import { openedRows } from "../../features/privacy/shown.ts";
import { partitionOf } from "../../features/submissions/query.ts";
import { toHostSubmission } from "../../features/submissions/view.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import type { Visit } from "./visit.ts";

/** Fewer newer ones, so that the open one stands in the upper half of the list. */
const NEWER = 6;
const OLDER = 20;

/** Submissions of a folder around one of them, each list beginning with the nearest. */
export interface Beside {
  readonly newer: readonly HostSubmission[];
  readonly older: readonly HostSubmission[];
}

/** The submissions of the same folder that came after this one, and those before it. */
export async function besideOf(visit: Visit, { id, form_id, spam, created_at }: HostSubmission): Promise<Beside> {
  const { core, redactor } = visit;
  const near = async (order: "asc" | "desc", limit: number): Promise<HostSubmission[]> => {
    const partitions = [partitionOf("form", form_id, spam)];
    const after = { sort: created_at, id };
    const page: { rows: Row<"submissions">[] } = await core.rows.page("submissions", {
      partitions,
      after,
      order,
      limit,
    });
    return (await openedRows(core, page.rows)).map((row) => {
      const shown = toHostSubmission(core, row.id, row.value);
      return redactor ? redactor.answer(shown) : shown;
    });
  };
  const [newer, older] = await Promise.all([near("asc", NEWER), near("desc", OLDER)]);
  return { newer, older };
}
