import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketEdges } from "../../../src/model/buckets.ts";
import type { Interval } from "../../../src/model/statistics.ts";
import { runs } from "../../_support/runs.ts";

const HOUR = 60 * 60_000;
const at = (text: string): number => Date.parse(text);
const edges = (from: string, to: string, interval: Interval, zone: string): string[] | undefined =>
  bucketEdges({ from: at(from), to: at(to) }, interval, zone, 400)?.map((ms) =>
    new Date(ms).toISOString().slice(0, 16),
  );

/** What the wall clock of a zone shows at an instant, by the platform itself. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const clockOf = (zone: string): Intl.DateTimeFormat => {
  const known =
    clocks.get(zone) ??
    new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", timeZoneName: "longOffset" },
    } as Intl.DateTimeFormatOptions);
  clocks.set(zone, known);
  return known;
};

function wall(zone: string, instant: number) {
  const parts = clockOf(zone).formatToParts(instant);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { date: `${of("year")}-${of("month")}-${of("day")}`, hour: of("hour"), offset: of("timeZoneName") };
}

/** The name of the bucket that an instant lies in, made without a look at edges. */
function naive(zone: string, interval: Interval, instant: number): string {
  const { date, hour, offset } = wall(zone, instant);
  if (interval === "hour") return `${date}T${hour}${offset}`;
  if (interval === "day") return date;
  if (interval === "month") return date.slice(0, 7);
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

describe("buckets", () => {
  it("are 23 and 25 hours long on the days when clocks change", () => {
    expect(edges("2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", "day", "Europe/Berlin")).toEqual([
      "2026-03-27T23:00",
      "2026-03-28T23:00",
      "2026-03-29T22:00",
      "2026-03-30T22:00",
    ]);
    expect(edges("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "day", "Europe/Berlin")).toEqual([
      "2026-10-24T22:00",
      "2026-10-25T23:00",
    ]);
  });

  it("begin on Mondays and on the first of a month", () => {
    expect(edges("2026-11-22T10:00:00Z", "2026-11-23T00:00:01Z", "week", "UTC")).toEqual([
      "2026-11-16T00:00",
      "2026-11-23T00:00",
      "2026-11-30T00:00",
    ]);
    expect(edges("2026-01-31T23:30:00Z", "2026-02-28T23:00:00Z", "month", "Europe/Berlin")).toEqual([
      "2026-01-31T23:00",
      "2026-02-28T23:00",
    ]);
  });

  it("begin with the first moment of a day that has no midnight, and leave out one that was skipped", () => {
    expect(edges("2026-04-24T10:00:00Z", "2026-04-24T11:00:00Z", "day", "Africa/Cairo")).toEqual([
      "2026-04-23T22:00",
      "2026-04-24T21:00",
    ]);
    expect(edges("2011-12-30T00:00:00Z", "2012-01-01T00:00:00Z", "day", "Pacific/Apia")).toEqual([
      "2011-12-29T10:00",
      "2011-12-30T10:00",
      "2011-12-31T10:00",
      "2012-01-01T10:00",
    ]);
  });

  it("are as many as there may be, and null for one more", () => {
    const from = at("2026-01-01T00:00:00Z");
    expect(bucketEdges({ from, to: from + 400 * HOUR }, "hour", "UTC", 400)).toHaveLength(401);
    expect(bucketEdges({ from, to: from + 400 * HOUR + 1 }, "hour", "UTC", 400)).toBe(null);
  });

  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Havana",
    "Pacific/Chatham",
  ];
  it("hold what a naive recount puts together, in any zone, over every change of clocks", () => {
    const instant = fc.integer({ min: at("2020-01-01T00:00:00Z") / 60_000, max: at("2030-01-01T00:00:00Z") / 60_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom<Interval>("hour", "day", "week", "month"),
        instant,
        fc.array(fc.nat({ max: 20_000 }), { minLength: 2, maxLength: 12 }),
        (zone, interval, minute, steps) => {
          const span = { hour: 1, day: 12, week: 60, month: 300 }[interval];
          const points = steps.map((step) => (minute + (step % 10_000) * span) * 60_000).sort((a, b) => a - b);
          const [from, to] = [points[0] as number, (points.at(-1) as number) + 1];
          const found = bucketEdges({ from, to }, interval, zone, 400);
          if (!found) return;
          expect(found[0]).toBeLessThanOrEqual(from);
          expect(found[1]).toBeGreaterThan(from);
          expect(found.at(-1)).toBeGreaterThanOrEqual(to);
          expect(found.at(-2)).toBeLessThan(to);
          const placed = points.map((point) => ({
            name: naive(zone, interval, point),
            bucket: found.findLastIndex((edge) => edge <= point),
          }));
          // Sorted by time, so that neighbours are enough: what lies between two of one bucket lies in it too.
          for (const [i, { name, bucket }] of placed.slice(1).entries()) {
            expect([zone, interval, points[i], placed[i]?.bucket === bucket]).toEqual([
              ...[zone, interval, points[i], placed[i]?.name === name],
            ]);
          }
        },
      ),
      { numRuns: runs(150, 5_000), seed: 20_261_122 },
    );
  }, 120_000);
});
