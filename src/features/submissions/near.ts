import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import { pageMerged } from "../../core/paging.ts";
import type { Position } from "../../drivers/storage/types.ts";
import type { Caller } from "../../model/keys.ts";
import type { AllSubmissionsQuery } from "../../model/submission-queries.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import { shownTo } from "../privacy/shown.ts";
import { reachable } from "./list.ts";
import { assertSearchable } from "./protected-fields.ts";
import { partitionOf, selectionOf } from "./query.ts";
import { toHostSubmissions } from "./view.ts";
import { readerFor } from "./work-reader.ts";

/**
 * The submissions of a list next to a place in it, the nearest first: newer ones in the order `asc`. `formId` null = of every
 * form. Throws what the lists throw.
 */
export async function submissionsNear(
  core: Core,
  caller: Caller,
  formId: string | null,
  { after, ...query }: Omit<AllSubmissionsQuery, "cursor"> & { readonly after: Position },
): Promise<HostSubmission[]> {
  const selection = selectionOf(query, caller);
  if (formId !== null) await assertSearchable(core, caller, [formId], selection);
  const { partitions, where } =
    formId === null
      ? await reachable(core, caller, query, selection)
      : { partitions: [partitionOf("form", formId, selection)], where: selection.where };
  const done = takeScan(core, caller, selection.filtered ? "filtered" : null);
  try {
    const page = { partitions, where, after, order: query.order, limit: query.limit };
    const { rows } = await pageMerged(readerFor(readerOf(core, caller), selection), selection.collection, page);
    const readable = core.rows.readable(selection.collection, rows);
    return await toHostSubmissions(core, await shownTo(core, caller, readable));
  } finally {
    done();
  }
}
