import { DAY_MS, HOUR_MS } from "./clock.ts";

/** Wall clocks of a time zone: how far each is ahead of UTC at an instant, in ms. */
export type Ahead = (instant: number) => number;

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

/** The next full hour of the wall clock. */
export const nextHour = (ahead: Ahead, after: number): number =>
  after + HOUR_MS - modulo(after + ahead(after), HOUR_MS);

/**
 * The first instant at which a wall clock shows a time, given as that time in UTC. A time that clocks skip is the moment when
 * they do.
 */
export function instantOf(ahead: Ahead, local: number): number {
  const [before, behind] = [ahead(local - DAY_MS), ahead(local + DAY_MS)];
  const found = [local - before, local - behind].filter((one) => one + ahead(one) === local);
  return found.length > 0 ? Math.min(...found) : changeTo(ahead, behind, local - behind - 1, local - before);
}

/** The first instant after `low`, and not after `high`, at which the clocks are `offset` ahead. */
export function changeTo(ahead: Ahead, offset: number, low: number, high: number): number {
  let [earlier, later] = [low, high];
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (ahead(middle) === offset) later = middle;
    else earlier = middle;
  }
  return later;
}

export const modulo = (a: number, b: number): number => ((a % b) + b) % b;

/** True for an IANA name that this Node knows. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
