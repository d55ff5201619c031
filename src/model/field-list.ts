import { z } from "zod";
import { Timestamp } from "../lib/wire.ts";

/** The number of read submissions with a field, and the time of the newest one. */
export const FieldStatistic = z
  .object({
    /** The field's name. */
    name: z.string(),
    count: z.int().min(1).describe("Submissions with this field."),
    /** The time of the latest one. */
    last_seen: Timestamp,
  })
  .meta({ id: "FieldStatistic" });

export const FieldList = z
  .object({
    /** The fields, at most 200. */
    data: z.array(FieldStatistic).max(200),
    /** Submissions that were read for this. */
    submissions_read: z.int().min(0).max(2_000),
  })
  .meta({ id: "FieldList" });
export type FieldList = z.infer<typeof FieldList>;
