import { DAY_MS, iso } from "../../lib/clock.ts";
import type { Run } from "./run.ts";

/** A form, and the days for which it keeps something. */
export interface Aged {
  readonly id: string;
  readonly days: number;
}

/** Those forms that have older rows of a collection than they keep, by one statement for all where the store can. */
export async function olderThan(
  { core, now }: Run,
  forms: readonly Aged[],
  collection: "submissions" | "trashed_submissions" | "jobs",
): Promise<readonly Aged[]> {
  const { haveBefore } = core.storage;
  if (!haveBefore || forms.length === 0) return forms;
  const runs = forms.map(({ id, days }) => ({ equals: { form_id: id }, before: iso(now - days * DAY_MS) }));
  const found = await haveBefore(collection, { index: "form", runs });
  return found.flatMap((i) => forms[i] ?? []);
}
