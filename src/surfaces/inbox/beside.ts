import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { AllSubmissionsQuery } from "../../model/submission-queries.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import { cameFrom, isFromAll, listInput } from "./filters.ts";
import { looksInValues, widening } from "./search.ts";
import type { MemberRequest } from "./visit.ts";

/** Fewer newer ones, so that the open one stands in the upper half of the list. */
const NEWER = 6;
const OLDER = 20;
/** The time that a search for each side may take: the submission itself waits for it. */
const BUDGET_MS = 700;

/** Submissions of a list around one of them, each side beginning with the nearest. */
export interface Beside {
  readonly newer: readonly HostSubmission[];
  readonly older: readonly HostSubmission[];
}

/**
 * The submissions of the list that this one was opened from: those that came after it, and those before it. A search that takes
 * long looks only at the time around it. None where the list itself would be refused.
 */
export async function besideOf(visit: MemberRequest, open: HostSubmission): Promise<Beside> {
  try {
    // One after the other: both together would take all places that a person has for searches.
    return { newer: await near(visit, open, "asc", NEWER), older: await near(visit, open, "desc", OLDER) };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { newer: [], older: [] };
    throw error;
  }
}

async function near(
  visit: MemberRequest,
  { id, form_id, spam, created_at }: HostSubmission,
  order: "asc" | "desc",
  limit: number,
): Promise<HostSubmission[]> {
  const { core, query } = visit;
  const params = cameFrom(query);
  params.delete("from");
  // Opened by its address alone, it stands in its own folder.
  if (params.get("status") !== "all") params.set("status", spam ? "spam" : "inbox");
  params.set("order", order);
  params.set("limit", String(limit));
  const asked = listInput(params, AllSubmissionsQuery);
  const parsed = AllSubmissionsQuery.safeParse(asked);
  if (!parsed.success) return [];
  const input = parsed.data;
  const read = (more: { created_after?: string; created_before?: string }): Promise<HostSubmission[]> =>
    visit.call("listNear", {
      params: { form_id },
      body: { query: { ...asked, ...more }, after: { sort: created_at, id }, everywhere: isFromAll(query) },
    });
  const at = Date.parse(created_at);
  const within = (span: number) =>
    order === "desc"
      ? { created_after: iso(Math.max(at - span, Date.parse(input.created_after ?? "") || 0)) }
      : {
          created_before: iso(Math.min(at + span, Date.parse(input.created_before ?? "") || Number.POSITIVE_INFINITY)),
        };
  if (!looksInValues(params)) return read({});
  const { found } = await widening(
    core.clock,
    { budget: BUDGET_MS, longest: order === "desc" ? Number.POSITIVE_INFINITY : core.clock.now() - at },
    (span) => read(span === null ? {} : within(span)),
    (rows) => rows.length >= limit,
  );
  return found;
}
