import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Caller } from "../../model/keys.ts";
import type { AllSubmissionsQuery } from "../../model/submission-queries.ts";
import type { SubmissionCount } from "../../model/submissions.ts";
import { reachable } from "./list.ts";
import { selectionOf } from "./query.ts";
import { readerFor } from "./work-reader.ts";

/** Time for one number beside a list, which must not wait for it. */
const BUDGET_MS = 300;

/**
 * The number of hits of a search, or as many as were found within a third of a second, with `exact: false`. Of the named forms,
 * otherwise of all that the caller reaches. Throws `invalid_parameter`, `scan_concurrency`.
 */
export async function countBriefly(
  core: Core,
  caller: Caller,
  query: AllSubmissionsQuery,
): Promise<Pick<SubmissionCount, "count" | "exact">> {
  const selection = selectionOf(query, caller);
  const { partitions, where } = await reachable(core, caller, query, selection);
  const release = takeScan(core, caller, selection.filtered ? "filtered" : "long");
  const until = performance.now() + BUDGET_MS;
  try {
    const store = readerFor(readerOf(core, caller), selection);
    let total = 0;
    for (const partition of partitions) {
      const budgetMs = until - performance.now();
      if (budgetMs <= 0) return { count: total, exact: false };
      const { count, exact } = await store.count(selection.collection, { ...partition, where, budgetMs });
      total += count;
      if (!exact) return { count: total, exact: false };
    }
    return { count: total, exact: true };
  } finally {
    release();
  }
}
