import type { z } from "zod";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import type { HostSubmissionList } from "../../model/submissions.ts";
import { apiParams, listInput } from "./filters.ts";
import type { MemberRequest } from "./visit.ts";

/** The time that a search may take, as far as its course so far tells: an estimate may be wrong, and the page comes within 5 s. */
const BUDGET_MS = 4_500;
/** Each span of time that is searched is this much longer than the one before, or as much longer as the budget allows. */
const GROWTH = 4;
/** A span begins anew at its end, so one that is hardly longer is not worth its time. */
const LEAST_GROWTH = 1.5;
const LONGEST_MS = 2_000 * DAY_MS;

/** A list that a page asked for. */
export interface Found {
  readonly list: HostSubmissionList;
  /** The moment from which on it was searched; null where all was. */
  readonly since: string | null;
}

/** Marks an address whose `created_after` came from a search that did not look further back. */
export const SEARCHED = "searched";

/** True for a search that has to read values. */
export const looksInValues = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name === "q" || name === "words" || name.startsWith("field["));

/**
 * The submissions of a page. A search in values may have to read all of a million, so it looks at the last hour first, then at
 * spans of time that grow, until the page is full, everything was searched, or the next span would take too long.
 */
export async function searched(
  visit: MemberRequest,
  schema: z.ZodType,
  read: (input: Record<string, unknown>) => Promise<HostSubmissionList>,
): Promise<Found> {
  const { core, query } = visit;
  const input = (more: Record<string, string> = {}) => {
    const params = apiParams(query, "list");
    for (const [name, value] of Object.entries(more)) params.set(name, value);
    return listInput(params, schema);
  };
  if (!looksInValues(query) || query.has("cursor") || query.get("order") === "asc") {
    return { list: await read(input()), since: sinceOf(query) };
  }
  const params = apiParams(query);
  const end = Math.min(core.clock.now(), Date.parse(params.get("created_before") ?? "") || Number.POSITIVE_INFINITY);
  const begin = Date.parse(params.get("created_after") ?? "") || Number.NEGATIVE_INFINITY;
  const { found, span } = await widening(
    core.clock,
    { budget: BUDGET_MS, longest: end - begin },
    (span) => read(input(span === null ? {} : { created_after: iso(end - span) })),
    ({ has_more }) => has_more,
  );
  return { list: found, since: span === null ? sinceOf(query) : iso(end - span) };
}

/**
 * Reads ever longer spans of time, until what was found is full, nothing is left (the span is null), or the next one would take
 * longer than the budget.
 */
export async function widening<T>(
  clock: { now(): number },
  { budget, longest }: { readonly budget: number; readonly longest: number },
  read: (span: number | null) => Promise<T>,
  isFull: (found: T) => boolean,
): Promise<{ found: T; span: number | null }> {
  const first = clock.now();
  for (let span = HOUR_MS; span < Math.min(LONGEST_MS, longest); ) {
    const began = clock.now();
    const found = await read(span);
    const now = clock.now();
    // A span takes about as many times longer as it is longer, and all spans together stay in the budget.
    const growth = Math.min(GROWTH, (budget - (now - first)) / Math.max(1, now - began));
    if (isFull(found) || growth < LEAST_GROWTH) return { found, span };
    span *= growth;
  }
  return { found: await read(null), span: null };
}

/** The moment at which an earlier page of the same search had stopped. */
const sinceOf = (query: URLSearchParams): string | null => (query.has(SEARCHED) ? query.get("created_after") : null);
