import { z } from "zod";
import { Timestamp } from "../lib/wire.ts";
import { SubmissionField } from "./submission-field.ts";

const NumberedFilter = z.union([
  z.strictObject({ days: z.int() }),
  z.strictObject({ column: z.enum(["attached", "spam"]), value: z.boolean() }),
  z.strictObject({ field: z.string(), op: z.enum(["contains", "not_contains"]), value: z.string() }),
]);
/** One condition of a numbered list. `days` keeps submissions of the last days, up to now. */
export type NumberedFilter = z.output<typeof NumberedFilter>;

/** A page of submissions by its number, for the older API. */
export const NumberedQuery = z.strictObject({
  limit: z.int(),
  page: z.int(),
  sort: z.enum(["created_at", "updated_at"]),
  order: z.enum(["asc", "desc"]),
  filter: z.array(NumberedFilter),
});
export type NumberedQuery = z.output<typeof NumberedQuery>;

export const NumberedPage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      created_at: Timestamp,
      updated_at: Timestamp,
      fields: z.array(SubmissionField),
    }),
  ),
  page: z.int(),
  limit: z.int(),
  /** The submissions of all pages. */
  total: z.int(),
});
export type NumberedPage = z.output<typeof NumberedPage>;
