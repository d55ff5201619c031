/** Whole days without a post, before which a form is never called quiet. */
const LEAST_DAYS = 2;
/** Posts that were to be expected in the silence. By chance, none of seven come once in a thousand times. */
const LEAST_EXPECTED = 7;
const WEEK = 7;

/** A form that has fallen silent. */
export interface Quiet {
  /** Whole days without a post. */
  readonly days: number;
  /** Posts a day before. */
  readonly usual: number;
}

/**
 * Tells if a form is quieter than chance explains, from its posts of each day, oldest first, the last one being today. The
 * silence is compared with the same days of the week before it, since many forms rest on weekends.
 */
export function quietOf(days: readonly number[]): Quiet | null {
  const today = days.length - 1;
  const last = days.findLastIndex((n) => n > 0);
  const silent = today - 1 - last;
  if (last < 0 || silent < LEAST_DAYS) return null;
  // From the first post on: a new form was not silent before it was there.
  const first = days.findIndex((n) => n > 0);
  if (last - first < WEEK - 1) return null;
  let expected = 0;
  for (let day = last + 1; day < today; day++) {
    const same: number[] = [];
    for (let before = day - WEEK; before >= first; before -= WEEK) if (before <= last) same.push(days[before] ?? 0);
    expected += same.length === 0 ? 0 : same.reduce((sum, n) => sum + n, 0) / same.length;
  }
  if (expected < LEAST_EXPECTED) return null;
  const before = days.slice(first, last + 1);
  return { days: silent, usual: before.reduce((sum, n) => sum + n, 0) / before.length };
}
