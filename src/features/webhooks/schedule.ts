const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Nominal wait after attempt 1, 2, …; the last one repeats until the deadline. */
const STEPS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
] as const;
const JITTER = 0.2;
const SLOW_MINIMUM = MINUTE;
const RETRY_AFTER_MAXIMUM = 8 * HOUR;
const LAST_CALL = HOUR;
const LAST_CALL_MARGIN = 5 * MINUTE;

/** Time for the retries of a delivery, from the due time of its first attempt: 72 h in ms. */
export const DELIVERY_WINDOW_MS: number = 72 * HOUR;

export interface EndedAttempt {
  /** Attempts in this window, including this one (1, 2, …). */
  attempt: number;
  /** Time of its end, epoch ms. */
  endedAt: number;
  /** The delivery's deadline, epoch ms: the first due time plus `DELIVERY_WINDOW_MS`. */
  deadlineAt: number;
  /** The `Retry-After` of a 429 or 503 response, as it was sent: seconds or an HTTP date. */
  retryAfter?: string | undefined;
  /** True after a time-out or a 429: the next attempt waits at least 60 s. */
  slow?: boolean | undefined;
  /** A number in [0, 1); default `Math.random`. */
  random?: (() => number) | undefined;
}

/** The time of the next attempt after a temporary failure (epoch ms), or that the deadline has passed. */
export type NextAttempt = { at: number; failed?: never } | { failed: true; at?: never };

/** Plans the attempt after a failed one: growing waits with ±20 % jitter, and a last one exactly at the deadline when at least 1 h is left. */
export function nextAttempt({
  attempt,
  endedAt,
  deadlineAt,
  retryAfter,
  slow = false,
  random = Math.random,
}: EndedAttempt): NextAttempt {
  const step = STEPS[Math.min(Math.max(attempt, 1), STEPS.length) - 1]!;
  const minimum = slow ? SLOW_MINIMUM : 0;
  const jitter = 1 - JITTER + 2 * JITTER * random();
  const wait = Math.max(
    Math.max(step, minimum) * jitter,
    minimum,
    Math.min(waitAsked(retryAfter, endedAt), RETRY_AFTER_MAXIMUM),
  );
  const at = Math.round(endedAt + wait);
  if (at <= deadlineAt) return { at: wait >= LAST_CALL ? clearOfLastCall(at) : at };
  return deadlineAt - endedAt >= LAST_CALL ? { at: deadlineAt } : { failed: true };

  /**
   * An attempt within the last hour would leave no room for one at the deadline, and a receiver that recovers in that hour
   * would get nothing. It moves to the deadline if the jitter allows that wait, otherwise to just before the hour.
   */
  function clearOfLastCall(planned: number): number {
    const early = deadlineAt - LAST_CALL - LAST_CALL_MARGIN;
    if (planned <= early) return planned;
    return deadlineAt - endedAt <= Math.max(step, minimum) * (1 + JITTER) ? deadlineAt : early;
  }
}

/** RFC 9110 section 10.2.3. Anything else, and a time in the past, is ignored. */
function waitAsked(retryAfter: string | undefined, now: number): number {
  const text = retryAfter?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * SECOND;
  // Date.parse also reads "-5" and "1.5" as dates; all three HTTP forms begin with a day's name, and the oldest omits GMT.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return 0;
  const asked = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) - now;
  return asked > 0 ? asked : 0;
}
