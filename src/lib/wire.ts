import { z } from "zod";

/** ISO 8601 UTC with milliseconds, as every answer writes it. */
export const Timestamp = z.string().meta({ format: "date-time", example: "2026-11-21T08:00:00.000Z" });

/** A list that pages with a cursor. */
export const listOf = <T extends z.ZodType>(item: T, id: string) =>
  z.object({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullable() }).meta({ id });

/** `limit` of a list: 1 to 100, default 25. */
export const Limit = z
  .string()
  .regex(/^([1-9]\d?|100)$/, "must be a whole number from 1 to 100")
  .default("25")
  .transform(Number)
  .meta({ override: { type: "integer", minimum: 1, maximum: 100, default: 25 } });
