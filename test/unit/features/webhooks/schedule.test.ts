import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DELIVERY_WINDOW_MS, type EndedAttempt, nextAttempt } from "../../../../src/features/webhooks/schedule.ts";
import { runs } from "../../../_support/runs.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOMINAL = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR];
const start = Date.UTC(2026, 10, 21, 4, 16);
const middle = () => 0.5;

const after = (attempt: Partial<EndedAttempt>) =>
  nextAttempt({ attempt: 1, endedAt: start, deadlineAt: start + DELIVERY_WINDOW_MS, random: middle, ...attempt });
const wait = (attempt: Partial<EndedAttempt>): number => after(attempt).at! - (attempt.endedAt ?? start);

/** Every attempt of a delivery that never succeeds; each lasts `lasts` ms. */
function failingDelivery({ lasts, slow, random }: { lasts: number; slow?: boolean; random: () => number }) {
  const deadlineAt = start + DELIVERY_WINDOW_MS;
  const attempts = [{ at: start, endedAt: start + lasts }];
  for (;;) {
    const endedAt = attempts.at(-1)!.endedAt;
    const next = nextAttempt({ attempt: attempts.length, endedAt, deadlineAt, slow, random });
    if (next.failed) return { attempts, deadlineAt };
    attempts.push({ at: next.at, endedAt: next.at + lasts });
  }
}

const randomness = fc.infiniteStream(
  fc.oneof(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.constantFrom(0, 1 - Number.EPSILON)),
);

describe("the schedule of a delivery that never succeeds", () => {
  test("without jitter it is the documented one", () => {
    const { attempts } = failingDelivery({ lasts: 0, random: middle });
    const offsets = attempts.map(({ at }) => new Date(at - start).toISOString().slice(8, 19));
    expect(
      offsets.map(
        (offset) => `${(Number(offset.slice(0, 2)) - 1) * 24 + Number(offset.slice(3, 5))}${offset.slice(5)}`,
      ),
    ).toEqual(
      `0:00:00 0:00:05 0:00:35 0:02:35 0:12:35 0:42:35 1:42:35 3:42:35 7:42:35 15:42:35 23:42:35 31:42:35 39:42:35 47:42:35 55:42:35
        63:42:35 72:00:00`.split(/\s+/),
    );
  });

  test("it has 16 to 20 attempts, its gaps are within 20 % of the step, and the last attempt is at the deadline", () => {
    fc.assert(
      fc.property(randomness, fc.nat({ max: 15 * SECOND }), fc.boolean(), (stream, lasts, slow) => {
        const { attempts, deadlineAt } = failingDelivery({ lasts, slow, random: () => stream.next().value });
        expect(attempts.length).toBeGreaterThanOrEqual(16);
        expect(attempts.length).toBeLessThanOrEqual(20);
        const last = attempts.at(-1)!;
        expect(last.at).toBe(deadlineAt);
        attempts.slice(1).forEach(({ at }, index) => {
          const step = Math.max(NOMINAL[Math.min(index, 8)]!, slow ? MINUTE : 0);
          const gap = at - attempts[index]!.endedAt;
          expect(gap).toBeLessThanOrEqual(step * 1.2);
          if (at !== deadlineAt) expect(gap).toBeGreaterThanOrEqual(step * 0.8);
          if (slow) expect(gap).toBeGreaterThanOrEqual(MINUTE);
        });
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  test.each([
    ["shortest", 0, 20],
    ["longest", 1 - Number.EPSILON, 16],
  ])("with the %s waits throughout", (_name, value, count) => {
    expect(failingDelivery({ lasts: 0, random: () => value }).attempts).toHaveLength(count);
  });

  test("the jitter uses its whole range", () => {
    const waits = Array.from({ length: 2_000 }, () => wait({ attempt: 9, random: Math.random }) / (8 * HOUR));
    expect(Math.min(...waits)).toBeLessThan(0.85);
    expect(Math.max(...waits)).toBeGreaterThan(1.15);
  });
});

describe("the deadline", () => {
  const deadlineAt = start + DELIVERY_WINDOW_MS;
  test.each([
    ["an attempt that fits exactly is made then", { attempt: 1, endedAt: deadlineAt - 5 * SECOND }, { at: deadlineAt }],
    [
      "less than 1 h left and the next too late: failed",
      { attempt: 17, endedAt: deadlineAt - HOUR + 1 },
      { failed: true },
    ],
    [
      "exactly 1 h left: a last attempt at the deadline",
      { attempt: 17, endedAt: deadlineAt - HOUR },
      { at: deadlineAt },
    ],
    ["7 h left: a last attempt at the deadline", { attempt: 17, endedAt: deadlineAt - 7 * HOUR }, { at: deadlineAt }],
    ["the attempt at the deadline ended: failed", { attempt: 17, endedAt: deadlineAt + 3 }, { failed: true }],
    ["ended at the very deadline: failed", { attempt: 1, endedAt: deadlineAt }, { failed: true }],
    [
      "a Retry-After past the deadline: at the deadline",
      { attempt: 1, endedAt: deadlineAt - 2 * HOUR, retryAfter: "28800" },
      { at: deadlineAt },
    ],
    [
      "a Retry-After past the deadline in the last hour: failed",
      { attempt: 1, endedAt: deadlineAt - MINUTE, retryAfter: "3600" },
      { failed: true },
    ],
  ])("%s", (_case, attempt, expected) => expect(after(attempt)).toEqual(expected));
});

describe("throttling", () => {
  test("a slow receiver is left alone for 60 s at least; later steps are as ever", () => {
    for (const random of [() => 0, middle, () => 1 - Number.EPSILON]) {
      for (const attempt of [1, 2]) {
        const gap = wait({ attempt, slow: true, random });
        expect(gap).toBeGreaterThanOrEqual(MINUTE);
        expect(gap).toBeLessThanOrEqual(1.2 * MINUTE);
      }
    }
    expect(wait({ attempt: 3, slow: true })).toBe(2 * MINUTE);
  });

  test.each([
    ["seconds", "90", 90 * SECOND],
    ["seconds with space around", " 90 ", 90 * SECOND],
    ["less than the step", "1", 5 * SECOND],
    ["zero", "0", 5 * SECOND],
    ["more than 8 h", "86400", 8 * HOUR],
    ["an absurd number", "9".repeat(400), 8 * HOUR],
    ["a date", "Sat, 21 Nov 2026 04:18:00 GMT", 2 * MINUTE],
    ["a date of RFC 850", "Saturday, 21-Nov-26 04:18:00 GMT", 2 * MINUTE],
    ["a date of asctime", "Sat Nov 21 04:18:00 2026", 2 * MINUTE],
    ["a date in the past", "Sat, 21 Nov 2026 04:00:00 GMT", 5 * SECOND],
    ["a date beyond 8 h", "Sun, 22 Nov 2026 04:16:00 GMT", 8 * HOUR],
    ["a negative number", "-90", 5 * SECOND],
    ["a fraction", "1.5", 5 * SECOND],
    ["a year alone", "2099", 2_099 * SECOND],
    ["an ISO date, which HTTP does not know", "2026-11-21T05:16:00Z", 5 * SECOND],
    ["a date that is none", "Mon, 99 Foo 2026", 5 * SECOND],
    ["nothing", "", 5 * SECOND],
  ])("Retry-After: %s", (_case, retryAfter, expected) => expect(wait({ retryAfter })).toBe(expected));

  test("any Retry-After gives a whole time within the deadline, or the end", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        fc.integer({ min: 1, max: 30 }),
        (retryAfter, attempt) => {
          const { at } = after({ retryAfter, attempt });
          expect(Number.isInteger(at)).toBe(true);
          expect(at).toBeGreaterThan(start);
          expect(at).toBeLessThanOrEqual(start + 9.6 * HOUR);
        },
      ),
    );
  });
});
