import { z } from "zod";
import { isTimeZone } from "../lib/time-zone.ts";
import { Moment, Timestamp } from "../lib/wire.ts";

const intervals = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof intervals)[number];

export const StatisticsQuery = z.strictObject({
  from: Moment.optional().describe(
    "At this moment or later. Default: 48 hours, 30 days, 26 weeks or 12 months before `to`.",
  ),
  to: Moment.optional().describe("Before this moment. Default: now."),
  interval: z.enum(intervals).default("day").describe("The length of a bucket; weeks begin on Monday."),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, "must be a time zone such as Europe/Berlin")
    .default("UTC")
    .describe("An IANA name; days begin at midnight there."),
});
export type StatisticsQuery = z.output<typeof StatisticsQuery>;

const counts = {
  views: z.int().min(0).describe("Times that a page with the form was opened."),
  starts: z.int().min(0).describe("Times that a visitor began to type."),
  submissions: z.int().min(0).describe("Without spam."),
  spam: z.int().min(0).describe("Submissions that are spam."),
};

/** Counts of a form: views, starts, submissions and spam. */
export const Statistics = z
  .object({
    data: z
      .array(z.object({ start: Timestamp.describe("Start of the bucket."), ...counts }))
      .max(400)
      .describe("Every bucket, oldest first, including empty ones."),
    totals: z
      .object({
        ...counts,
        completion_rate: z.number().nullable().describe("Submissions divided by starts; null without starts."),
      })
      .describe("Sums over all buckets."),
  })
  .meta({ id: "Statistics" });
export type Statistics = z.infer<typeof Statistics>;
