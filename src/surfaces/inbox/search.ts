import type { z } from "zod";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import type { HostSubmissionList } from "../../model/submissions.ts";
import { apiParams, listInput } from "./filters.ts";
import type { Visit } from "./visit.ts";

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

/**
 * The submissions of a page. A search in values may have to read all of a million, so it looks at the last hour first, then at
 * spans of time that grow, until the page is full, everything was searched, or the next span would take too long.
 */
export async function searched(
  visit: Visit,
  schema: z.ZodType,
  read: (input: Record<string, unknown>) => Promise<HostSubmissionList>,
): Promise<Found> {
  const { core, query } = visit;
  const input = (more: Record<string, string> = {}) => {
    const params = apiParams(query, "list");
    for (const [name, value] of Object.entries(more)) params.set(name, value);
    return listInput(params, schema);
  };
  const inValues = [...query.keys()].some((name) => name === "q" || name.startsWith("field["));
  if (!inValues || query.has("cursor") || query.get("order") === "asc") {
    return { list: await read(input()), since: sinceOf(query) };
  }
  const params = apiParams(query);
  const end = Math.min(core.clock.now(), Date.parse(params.get("created_before") ?? "") || Number.POSITIVE_INFINITY);
  const begin = Date.parse(params.get("created_after") ?? "") || Number.NEGATIVE_INFINITY;
  const first = core.clock.now();
  for (let span = HOUR_MS; span < LONGEST_MS && end - span > begin; ) {
    const since = iso(end - span);
    const began = core.clock.now();
    const list = await read(input({ created_after: since }));
    const now = core.clock.now();
    // A span takes about as many times longer as it is longer, and all spans together stay in the budget.
    const growth = Math.min(GROWTH, (BUDGET_MS - (now - first)) / Math.max(1, now - began));
    if (list.has_more || growth < LEAST_GROWTH) return { list, since };
    span *= growth;
  }
  return { list: await read(input()), since: sinceOf(query) };
}

/** The moment at which an earlier page of the same search had stopped. */
const sinceOf = (query: URLSearchParams): string | null => (query.has(SEARCHED) ? query.get("created_after") : null);
