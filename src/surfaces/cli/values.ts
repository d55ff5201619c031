import { InvalidArgumentError } from "commander";

/** An integer from `min` to `max`. */
export const integer =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return value;
  };

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment as ISO 8601: a date, a time, or how long ago, such as `90m`, `24h` or `7d`; with `sign` 1, how long from now. */
export const moment =
  (now: () => number, sign: -1 | 1 = -1) =>
  (text: string): string => {
    const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    if (count !== undefined) return new Date(now() + sign * Number(count) * (UNITS[unit] ?? 0)).toISOString();
    const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
    const at = isDate ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) {
      throw new InvalidArgumentError("It must be a time such as 2026-01-31, 2026-01-31T08:00:00Z, 24h or 7d.");
    }
    return new Date(at).toISOString();
  };

/** A moment that lies ahead: a date, a time, or how long from now. */
export const ahead =
  (now: () => number) =>
  (text: string): string => {
    const at = moment(now, 1)(text);
    if (Date.parse(at) <= now()) throw new InvalidArgumentError("It must lie ahead.");
    return at;
  };

/** Text that is not empty. */
export const filled = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
};
