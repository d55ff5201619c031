import { z } from "zod";
import { isEmail } from "./email.ts";
import { isOrigin, ORIGIN } from "./origin.ts";

/** ISO 8601 UTC with milliseconds, as in every response. */
export const Timestamp = z.string().meta({ format: "date-time", examples: ["2026-11-21T08:00:00.000Z"] });

/** The origin of a web page. */
export const Origin = z.string().refine(isOrigin, ORIGIN);

/** One email address. */
export const Email = z
  .string()
  .refine(isEmail, "must be one email address, such as name@example.com")
  .meta({ format: "idn-email" });

/** A list that pages with a cursor. */
export const listOf = <T extends z.ZodType>(item: T, id: string) =>
  z
    .object({
      /** The entries of this page. */
      data: z.array(item),
      /** True where another page follows. */
      has_more: z.boolean(),
      next_cursor: z.string().nullable().describe("Leads to the next page; null on the last one."),
    })
    .meta({ id });

/** `cursor` of a list. */
export const Cursor = z.string().max(1000).optional().describe("The `next_cursor` of the page before.");

/** `limit` of a list: 1 to 100, default 25. */
export const Limit = z
  .string()
  .regex(/^([1-9]\d?|100)$/, "must be a whole number from 1 to 100")
  .default("25")
  .transform(Number)
  .meta({ override: { type: "integer", minimum: 1, maximum: 100, default: 25 }, description: "Entries of one page." });

/** A moment that a request names, as the store writes times, so that text order is time order. */
export const Moment = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 timestamp such as 2026-11-21T08:00:00.000Z" })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d{4}-/.test(text), "must be in a year from 0000 to 9999")
  .meta({ override: { type: "string", format: "date-time" } });
