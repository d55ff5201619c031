import { DAY_MS, HOUR_MS } from "../lib/clock.ts";
import type { Interval } from "../model/statistics.ts";

/** Wall clocks of a time zone: how far each is ahead of UTC at an instant, in ms. */
type Ahead = (instant: number) => number;

export function aheadIn(timeZone: string): Ahead {
  if (timeZone === "UTC") return () => 0;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  } as Intl.DateTimeFormatOptions);
  return (instant) => {
    const whole = Math.floor(instant / 1_000) * 1_000;
    const at: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(whole)) at[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = at;
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
  };
}

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
  const next = interval === "hour" ? hours(ahead) : days(ahead, interval, from);
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

const hours =
  (ahead: Ahead) =>
  (after: number): number =>
    after + HOUR_MS - modulo(after + ahead(after), HOUR_MS);

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
      const start = startOf(ahead, date);
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

/** The first instant of a local date, given as its midnight in UTC. Where clocks skip midnight, the day begins when they do. */
function startOf(ahead: Ahead, midnight: number): number {
  const [before, behind] = [ahead(midnight - DAY_MS), ahead(midnight + DAY_MS)];
  const found = [midnight - before, midnight - behind].filter((one) => one + ahead(one) === midnight);
  return found.length > 0 ? Math.min(...found) : changeTo(ahead, behind, midnight - behind - 1, midnight - before);
}

/** The first instant after `low`, and not after `high`, at which the clocks are `offset` ahead. */
function changeTo(ahead: Ahead, offset: number, low: number, high: number): number {
  let [earlier, later] = [low, high];
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (ahead(middle) === offset) later = middle;
    else earlier = middle;
  }
  return later;
}

const modulo = (a: number, b: number): number => ((a % b) + b) % b;
