import { setImmediate } from "node:timers/promises";
import type { Core } from "../core.ts";
import type { Condition, Equals, Position, Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { Caller } from "../keys/schema.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import { takeScan } from "../submissions/scans.ts";
import type { SubmissionField, SubmissionRecord } from "../submissions/schema.ts";
import type { ListQuery } from "./filter.ts";

/** Rows read at once on the way to a page. */
const STEP = 250;
const COUNT_BUDGET_MS = 60_000;

/** A submission as the legacy API answers it. */
export interface LegacySubmission {
  _id: string;
  form: string;
  createdAt: string;
  updatedAt: string;
  fields: SubmissionField[];
}

export interface LegacyPage {
  form: string;
  results: number;
  pagination: {
    current_page: number;
    previous_page: number | null;
    next_page: number | null;
    total_page: number;
    total_submissions: number;
  };
  submissions: LegacySubmission[];
}

/** A numbered page of a form's submissions. Whether the caller may reach the form was judged before. Throws `scan_concurrency`. */
export async function listLegacySubmissions(
  core: Core,
  caller: Caller,
  form: string,
  query: ListQuery,
): Promise<LegacyPage> {
  const release = takeScan(
    core,
    caller,
    query.filter.some((one) => "field" in one),
  );
  try {
    return await numberedPage(core, form, query);
  } finally {
    release();
  }
}

async function numberedPage(core: Core, form: string, query: ListQuery): Promise<LegacyPage> {
  const { limit, page } = query;
  const list = listOf(core, form, query);
  const { index, equals, where } = list;
  const { count: total, exact } = await core.storage.count("submissions", {
    index,
    equals,
    where,
    budgetMs: COUNT_BUDGET_MS,
  });
  if (!exact) {
    const message = "The form has too many submissions to count with this filter; narrow it with date.";
    throw new ApiError("unavailable", { message, headers: { "retry-after": "60" } });
  }
  const rows = await slice(core, list, total, (page - 1) * limit, limit);
  const pages = Math.ceil(total / limit);
  return {
    form,
    results: rows.length,
    pagination: {
      current_page: page,
      previous_page: page > 1 ? page - 1 : null,
      next_page: page < pages ? page + 1 : null,
      total_page: pages,
      total_submissions: total,
    },
    submissions: rows.map(({ id, value: { created_at, updated_at, fields } }) => ({
      _id: id,
      form,
      createdAt: created_at,
      updatedAt: updated_at,
      fields,
    })),
  };
}

interface List {
  readonly index: string;
  readonly equals: Equals;
  readonly where: readonly Condition[];
  readonly sort: "created_at" | "updated_at";
  readonly order: "asc" | "desc";
}

/** The index and the conditions behind a query; a spam filter is part of the index where there is one for it. */
function listOf(core: Core, form_id: string, { sort, filter }: ListQuery): List {
  const byUpdate = sort.startsWith("updatedAt");
  const order = sort.endsWith(":1") ? "asc" : "desc";
  const where = filter.map((one): Condition => {
    if ("days" in one) return { column: "created_at", op: "gte", value: iso(core.clock.now() - one.days * DAY_MS) };
    return "field" in one ? one : { column: one.column, op: "in", value: [one.value] };
  });
  if (byUpdate) return { index: "form_updated", equals: { form_id }, where, sort: "updated_at", order };
  const spam = filter.findIndex((one) => "column" in one && one.column === "spam");
  const pinned = filter[spam];
  if (!pinned || !("column" in pinned)) return { index: "form", equals: { form_id }, where, sort: "created_at", order };
  const rest = where.filter((_, at) => at !== spam);
  return { index: "form_spam", equals: { form_id, spam: pinned.value }, where: rest, sort: "created_at", order };
}

/** `limit` rows behind the first `skip` of `total`, walked to by key from whichever end of the list is nearer. */
async function slice(
  core: Core,
  { sort, order, ...list }: List,
  total: number,
  skip: number,
  limit: number,
): Promise<Stored<SubmissionRecord>[]> {
  const wanted = Math.min(limit, total - skip);
  if (wanted <= 0) return [];
  const behind = total - skip - wanted;
  const backwards = behind < skip;
  const direction = backwards === (order === "asc") ? "desc" : "asc";
  const read = async (count: number, after: Position | undefined) =>
    (await core.storage.page("submissions", {
      ...list,
      order: direction,
      after,
      limit: count,
    })) as unknown as Stored<SubmissionRecord>[];

  let after: Position | undefined;
  for (let left = backwards ? behind : skip; left > 0; ) {
    const rows = await read(Math.min(left, STEP), after);
    const last = rows.at(-1);
    // Rows were removed since they were counted.
    if (!last) return [];
    after = { sort: last.value[sort], id: last.id };
    left -= rows.length;
    await setImmediate();
  }
  const rows = await read(wanted, after);
  return backwards ? rows.reverse() : rows;
}
