import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import { pagesOf } from "../../core/pages.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import type { Caller } from "../../model/keys.ts";
import type { SubmissionBulkMatching, SubmissionBulkStep, SubmissionMatchQuery } from "../../model/submission-bulk.ts";
import { assertDeed, bulkSubmissions, misplacedDeliver, sendsMissed } from "./bulk.ts";
import { assertSearchable } from "./protected-fields.ts";
import { partitionOf, selectionOf } from "./query.ts";
import { returnSnoozedOf } from "./snooze.ts";
import { readerFor } from "./work-reader.ts";

/** Submissions of one step. */
const STEP = 500;
/** A step that has searched this long changes its matches so far, and its cursor continues. */
const SEARCH_MS = 5_000;

/**
 * Changes the matching submissions, newest first, 500 in a step. The cursor leads to the next step, even after an error or a
 * restart, and never to submissions that arrived after the first one. The caller reaches the form. Throws `invalid_parameter`,
 * `scan_concurrency`.
 */
export async function bulkMatching(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionMatchQuery,
  { deliver, cursor, ...deed }: SubmissionBulkMatching,
): Promise<SubmissionBulkStep> {
  if (deliver && !sendsMissed(deed.action)) throw misplacedDeliver();
  assertDeed(core, deed);
  if (query.state !== undefined) await returnSnoozedOf(core, caller, formId);
  const selection = selectionOf(query, caller);
  const { where, filtered, collection } = selection;
  await assertSearchable(core, caller, [formId], selection);
  const scope = JSON.stringify(["bulk", formId, { ...query, field: Object.entries(query.field ?? {}).sort() }, deed]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const release = takeScan(core, caller, filtered ? "filtered" : "long");
  try {
    const store = readerFor(filtered || selection.work ? readerOf(core, caller) : core.storage, selection);
    const run = { ...partitionOf("form", formId, selection), where, after, order: "desc", columnsOnly: true } as const;
    const { found, ended } = await upTo(pagesOf(store, collection, run, STEP + 1));
    const taken = found.slice(0, STEP);
    const ids = taken.map(({ id }) => id);
    const last = taken.at(-1);
    const { changed } = await bulkSubmissions(core, caller, formId, { ...deed, ids, ...(deliver && { deliver }) });
    const has_more = last !== undefined && (!ended || found.length > STEP);
    const place = last && { sort: last.value["created_at"] as string, id: last.id };
    return {
      matched: ids.length,
      changed,
      has_more,
      next_cursor: has_more && place ? core.cursors.issue(place, scope) : null,
    };
  } finally {
    release();
  }
}

/** The rows of these pages, or those that were found in the time that a search may take. */
async function upTo(pages: AsyncIterable<Stored[]>): Promise<{ found: Stored[]; ended: boolean }> {
  const began = performance.now();
  const found: Stored[] = [];
  for await (const rows of pages) {
    found.push(...rows);
    if (performance.now() - began > SEARCH_MS) return { found, ended: false };
  }
  return { found, ended: true };
}
