import type { Core } from "../../core/core.ts";
import { type Partition, toList } from "../../core/paging.ts";
import type { Row } from "../../core/rows.ts";
import type { Equals, Position } from "../../drivers/storage/types.ts";
import type { DeliveryStatus } from "../../model/jobs.ts";

const PAGE = 200;
/** Deliveries that one page looks at. A form may have a million of them, and few that match. */
const MAX_READ = 2_000;

/** The deliveries of a page, and its start. */
export interface JobsPage<Item> {
  readonly run: Partition;
  /** The scope of a cursor. */
  readonly scope: string;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** The delivery as it is shown, null if it does not match. */
  shown(row: Row<"jobs">): Item | null;
}

/** Deliveries of one run, newest first. A page may be shorter than `limit` if few of many match; follow the cursor. */
export async function pageOfJobs<Item>(
  core: Core,
  { run, scope, limit, cursor, shown }: JobsPage<Item>,
): Promise<{ data: Item[]; has_more: boolean; next_cursor: string | null }> {
  const data: Item[] = [];
  let last: Position | null = null;
  let after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const page = (next: Position | null) => toList(data, next, (position) => core.cursors.issue(position, scope));
  for (let read = 0; ; read += PAGE) {
    const { rows, next } = await core.rows.page("jobs", { partitions: [run], after, order: "desc", limit: PAGE });
    for (const row of rows) {
      const item = shown(row);
      if (item === null) continue;
      if (data.length === limit) return page(last);
      data.push(item);
      last = { sort: row.value.created_at, id: row.id };
    }
    if (next === null || read + PAGE >= MAX_READ) return page(next);
    after = next;
  }
}

/** Index and columns of the deliveries of a form, or of those in one state, which are read without the others. */
export const formRun = (form_id: string, status: DeliveryStatus | undefined): [index: string, equals: Equals] =>
  status === undefined ? ["form", { form_id }] : ["form_status", { form_id, status }];

/** The deliveries of a form in any state or in one, or those of one of its submissions, which are few. */
export function jobsRun(formId: string, submissionId: string | undefined, status?: DeliveryStatus): Partition {
  if (submissionId !== undefined) return { index: "submission", equals: { submission_id: submissionId } };
  const [index, equals] = formRun(formId, status);
  return { index, equals };
}
