import { setImmediate } from "node:timers/promises";
import type { Core } from "../../core/core.ts";
import { type Reader, readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row } from "../../core/rows.ts";
import type { Condition, Equals, Position } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import type { Caller } from "../../model/keys.ts";
import type { NumberedPage, NumberedQuery } from "../../model/submission-numbered.ts";
import { seenBy } from "../privacy/shown.ts";
import { assertSearchable } from "./protected-fields.ts";

/** Rows read at once on the way to a page. */
const STEP = 250;
const COUNT_BUDGET_MS = 60_000;

/** A page of a form's submissions by its number. Throws `scan_concurrency`, `invalid_parameter`, `unavailable`. */
export async function listNumbered(
  core: Core,
  caller: Caller,
  form: Row<"forms">,
  query: NumberedQuery,
): Promise<NumberedPage> {
  const named = query.filter.flatMap((one) => ("field" in one ? { name: one.field, param: "filter" } : []));
  await assertSearchable(core, caller, [form.id], { named, everywhere: null });
  const release = takeScan(core, caller, query.filter.some((one) => "field" in one) ? "filtered" : "long");
  try {
    return await numberedPage(core, caller, form.id, query);
  } finally {
    release();
  }
}

async function numberedPage(core: Core, caller: Caller, form: string, query: NumberedQuery): Promise<NumberedPage> {
  const reader = readerOf(core, caller);
  const { limit, page } = query;
  const list = listOf(core, form, query);
  const { index, equals, where } = list;
  const { count: total, exact } = await reader.count("submissions", {
    index,
    equals,
    where,
    budgetMs: COUNT_BUDGET_MS,
  });
  if (!exact) {
    const message = "The form has too many submissions to count with this filter; narrow it with date.";
    throw new ApiError("unavailable", { message, headers: { "retry-after": "60" } });
  }
  const rows = await slice(core, reader, list, total, (page - 1) * limit, limit);
  const policies = (await core.rows.cached("forms", form))?.value ?? null;
  const data: NumberedPage["data"] = [];
  for (const { id, value } of rows) {
    const { created_at, updated_at, fields } = await seenBy(core, policies, id, value, "export", caller);
    data.push({ id, created_at, updated_at, fields });
  }
  return { data, page, limit, total };
}

interface List {
  readonly index: string;
  readonly equals: Equals;
  readonly where: readonly Condition[];
  readonly sort: "created_at" | "updated_at";
  readonly order: "asc" | "desc";
}

/** The index and the conditions of a query; a spam filter is part of the index if there is one for it. */
function listOf(core: Core, form_id: string, { sort, order, filter }: NumberedQuery): List {
  const where = filter.map((one): Condition => {
    if ("days" in one) return { column: "created_at", op: "gte", value: iso(core.clock.now() - one.days * DAY_MS) };
    return "field" in one ? one : { column: one.column, op: "in", value: [one.value] };
  });
  if (sort === "updated_at") return { index: "form_updated", equals: { form_id }, where, sort, order };
  const spam = filter.findIndex((one) => "column" in one && one.column === "spam");
  const pinned = filter[spam];
  if (!pinned || !("column" in pinned)) return { index: "form", equals: { form_id }, where, sort, order };
  const rest = where.filter((_, at) => at !== spam);
  return { index: "form_spam", equals: { form_id, spam: pinned.value }, where: rest, sort, order };
}

/** `limit` rows after the first `skip` of `total`, read by key from the nearer end of the list. */
async function slice(
  core: Core,
  reader: Reader,
  { sort, order, ...list }: List,
  total: number,
  skip: number,
  limit: number,
): Promise<Row<"submissions">[]> {
  const wanted = Math.min(limit, total - skip);
  if (wanted <= 0) return [];
  const behind = total - skip - wanted;
  const backwards = behind < skip;
  const direction = backwards === (order === "asc") ? "desc" : "asc";
  // Rows as they are stored: one that can't be read counts as well, on the way to the page.
  const read = (count: number, after: Position | undefined) =>
    reader.page("submissions", { ...list, order: direction, after, limit: count });

  let after: Position | undefined;
  for (let left = backwards ? behind : skip; left > 0; ) {
    const rows = await read(Math.min(left, STEP), after);
    const last = rows.at(-1);
    // Rows were removed since they were counted.
    if (!last) return [];
    after = { sort: last.value[sort] as string, id: last.id };
    left -= rows.length;
    await setImmediate();
  }
  const rows = core.rows.readable("submissions", await read(wanted, after));
  return backwards ? rows.reverse() : rows;
}
