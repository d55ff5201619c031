import { DAY_MS } from "../../lib/clock.ts";
import { aheadIn, instantOf, modulo, nextHour } from "../../lib/time-zone.ts";
import type { Digest } from "../../model/digest.ts";

const MINUTE_MS = 60_000;
const MONDAY = 1;
/** A week, and a day before and after it: a zone may have skipped a day. */
const DAYS = 10;

/**
 * The end of the window that an instant is in, later than the instant itself. A time of day that the clocks skip is the moment
 * when they do, and one that comes twice is the first of the two, so that each day has one window.
 */
export function windowEnd(after: number, { interval, at, time_zone }: Digest): number {
  const ahead = aheadIn(time_zone);
  if (interval === "hourly") return nextHour(ahead, after);
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const local = after + ahead(after);
  const today = local - modulo(local, DAY_MS);
  for (let day = -1; day < DAYS; day++) {
    const date = today + day * DAY_MS;
    if (interval === "weekly" && new Date(date).getUTCDay() !== MONDAY) continue;
    const end = instantOf(ahead, date + (hours * 60 + minutes) * MINUTE_MS);
    if (end > after) return end;
  }
  return after + DAY_MS;
}
