import { z } from "zod";
import { isTimeZone } from "../lib/time-zone.ts";

/** When the notifications of a form are collected into one email for each recipient. */
export const Digest = z
  .object({
    interval: z
      .enum(["none", "hourly", "daily", "weekly"])
      .describe("`none` sends each immediately; `hourly` on the hour; `weekly` on Mondays."),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 08:00")
      .describe("The time of day for `daily` and `weekly`, such as `08:00`."),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, "must be a time zone such as Europe/Berlin")
      .describe("An IANA name, such as Europe/Berlin."),
  })
  .describe("Collects the notifications for each recipient into one email; webhooks are not collected.");
export type Digest = z.infer<typeof Digest>;

export const defaultDigest: Digest = { interval: "none", at: "08:00", time_zone: "UTC" };

/** True while the notifications of a form are collected. */
export const collects = ({ interval }: { readonly interval?: string | undefined }): boolean =>
  interval !== undefined && interval !== "none";
