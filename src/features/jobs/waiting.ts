import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";

const PAGE = 100;

/** The jobs that wait under a target, oldest first; the caller may move each one to another target. */
export async function* waitingUnder(core: Core, target: string): AsyncGenerator<Row<"jobs">> {
  for await (const rows of core.rows.walk("jobs", { index: "target", equals: { target }, limit: PAGE })) {
    for (const row of rows) if (row.value.due_at !== null) yield row;
  }
}
