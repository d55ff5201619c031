/** The source of time. An injected one lets a test pass days in a millisecond. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Calls `fn` once after `ms`. Returns a function that cancels it. A timer never keeps the process alive. */
  setTimer(fn: () => void, ms: number): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(fn, ms) {
    // setTimeout treats anything above 2^31-1 ms as 1 ms.
    const timer = setTimeout(fn, Math.min(ms, 2_147_483_647));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A time that never comes, for rows that are found by one. */
export const END_OF_TIME = "9999-12-31T23:59:59.999Z";

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

const KEPT = 64;
const MINUTE_MS = 60_000;
const texts = new Map<number, string>();
/** The beginnings of texts, by the number of the minute. */
const minutes = new Map<number, string>();

/** ISO 8601 UTC with milliseconds, the form of every time in the store and on the wire. */
export function iso(ms: number): string {
  // A submission and its jobs name the same few moments a dozen times, and so do those that arrive with it.
  let text = texts.get(ms);
  if (text === undefined) {
    text = ofMinute(Math.floor(ms / MINUTE_MS), ms) ?? new Date(ms).toISOString();
    if (texts.size >= KEPT) texts.clear();
    texts.set(ms, text);
  }
  return text;
}

/** The text of a time, from the beginning that its minute has in common: a third of the cost of `toISOString`. Undefined for no whole number. */
function ofMinute(minute: number, ms: number): string | undefined {
  const rest = ms - minute * MINUTE_MS;
  if (!Number.isInteger(rest)) return undefined;
  let start = minutes.get(minute);
  if (start === undefined) {
    // Throws for a time that no date can have.
    start = new Date(ms).toISOString().slice(0, -7);
    if (minutes.size >= KEPT) minutes.clear();
    minutes.set(minute, start);
  }
  const digits = String(100_000 + rest);
  return `${start}${digits.slice(1, 3)}.${digits.slice(3)}Z`;
}

/** The UTC month of a timestamp, `2026-11`. */
export const monthOf = (timestamp: string): string => timestamp.slice(0, 7);

/** The UTC day of a timestamp, `2026-11-22`. */
export const dayOf = (timestamp: string): string => timestamp.slice(0, 10);
