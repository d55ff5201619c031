import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { block, moment, nullable, number, time } from "../../lib/leaves.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { MarkId } from "../../model/marks.ts";
import type { SettingsAt } from "./settings.ts";

/** Other processes read a changed form at most 2 s late; posts that they take meanwhile don't note their places. */
const LATE_MS = 5_000;
const COUNT_MS = 5_000;

/** The note of a form's taken places. `taken` is null after a change that did not count. */
export interface PlacesRecord {
  taken: number | null;
  /** Before this time the rows are counted, whatever `taken` says. */
  sure_from: string;
  expires_at: string | null;
}

export const placesLeaf = block<PlacesRecord>({
  taken: nullable(number()),
  sure_from: moment(),
  expires_at: nullable(time()),
});

/** The id of the note of a form's taken places. */
export const placesOf = (form_id: string): MarkId => `places:${form_id}`;

/** Notes the number of taken places under the version of the note `before`. A note that has expired is counted again. */
export const placesMark = (
  form_id: string,
  {
    taken,
    now,
    before,
  }: { readonly taken: number; readonly now: number; readonly before: Stored<PlacesRecord> | null },
): Write =>
  put("marks", placesOf(form_id), note(taken, now, before?.value.sure_from ?? iso(now)), before?.version ?? null);

/** Has the places counted again, in the commit that adds a submission without taking a place. */
export const placesChanged = (form_id: string, now: number): Write =>
  put("marks", placesOf(form_id), note(null, now, iso(now)));

/**
 * The writes of a change of a form's limit. Throws `invalid_parameter` for a limit below the number of submissions that there
 * are, and `unavailable`.
 */
export async function limitWrites(
  core: Core,
  form_id: string,
  before: FormRecord,
  after: FormRecord,
  at: SettingsAt,
): Promise<Write[]> {
  const { limit } = after.settings.availability;
  if (limit === null || limit === before.settings.availability.limit) return [];
  const there = await countPlaces(core, form_id);
  if (limit < there) {
    throw wrongParameter(
      `${at}availability.limit`,
      `must be at least ${there}, the number of submissions that there are`,
    );
  }
  const now = core.clock.now();
  return [put("marks", placesOf(form_id), note(null, now, iso(now + LATE_MS)))];
}

const note = (taken: number | null, now: number, sure_from: string): PlacesRecord => ({
  taken,
  sure_from,
  expires_at: iso(now + DAY_MS),
});

/** The submissions of a form that take a place. Throws `unavailable` where the store can't count them in time. */
export async function countPlaces(core: Core, form_id: string): Promise<number> {
  const [stored, waiting] = await Promise.all([
    core.storage.count("submissions", { index: "form_spam", equals: { form_id, spam: false }, budgetMs: COUNT_MS }),
    core.storage.count("pending_submissions", {
      index: "form",
      equals: { form_id },
      where: [{ column: "expires_at", op: "gte", value: iso(core.clock.now()) }],
      budgetMs: COUNT_MS,
    }),
  ]);
  if (stored.exact && waiting.exact) return stored.count + waiting.count;
  throw new ApiError("unavailable", { headers: { "retry-after": "5" } });
}
