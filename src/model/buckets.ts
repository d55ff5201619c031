import { DAY_MS, HOUR_MS } from "../lib/clock.ts";
import { type Ahead, aheadIn, changeTo, instantOf, modulo, nextHour } from "../lib/time-zone.ts";
import type { Interval } from "./statistics.ts";

/**
 * The starts of a range's buckets, and the end of the last one: the first is not after `from`, the last not before `to`. Null
 * if there are more than `most`. A day has its local length: 23 or 25 hours twice a year.
 */
export function bucketEdges(
  { from, to }: { readonly from: number; readonly to: number },
  interval: Interval,
  timeZone: string,
  most: number,
): number[] | null {
  const ahead = aheadIn(timeZone);
  const next = interval === "hour" ? (after: number) => nextHour(ahead, after) : days(ahead, interval, from);
  const edges = [interval === "hour" ? hourOf(ahead, from) : next(Number.NEGATIVE_INFINITY)];
  for (let last = edges[0] as number; last < to; ) {
    if (edges.length > most) return null;
    last = next(last);
    edges.push(last);
  }
  return edges;
}

/** The beginning of the wall clock's hour, or the moment within it at which the clock was put. */
function hourOf(ahead: Ahead, instant: number): number {
  const offset = ahead(instant);
  const start = instant - modulo(instant + offset, HOUR_MS);
  return ahead(start) === offset ? start : changeTo(ahead, offset, start, instant);
}

/** Walks from one local day, week or month to the next; the first is that of `from`. */
function days(ahead: Ahead, interval: Exclude<Interval, "hour">, from: number): (after: number) => number {
  const local = new Date(from + ahead(from));
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  let date =
    interval === "month"
      ? Date.UTC(year, month, 1)
      : Date.UTC(year, month, day) - (interval === "week" ? ((local.getUTCDay() + 6) % 7) * DAY_MS : 0);
  return (after) => {
    for (;;) {
      const start = instantOf(ahead, date);
      const at = new Date(date);
      date =
        interval === "month"
          ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)
          : date + (interval === "week" ? 7 : 1) * DAY_MS;
      // A day that a zone has skipped, as Samoa did in 2011, has no moment.
      if (start > after) return start;
    }
  };
}
