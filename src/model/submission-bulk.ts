import { z } from "zod";
import { Cursor } from "../lib/wire.ts";
import { filters } from "./submission-queries.ts";
import { SubmissionBulk } from "./submissions.ts";

export const SubmissionBulkResult = z
  .object({
    changed: z.int().min(0).describe("Submissions changed; those that needed no change are not counted."),
    not_found: z.array(z.string()).describe("Ids that the form doesn't have."),
  })
  .meta({ id: "SubmissionBulkResult" });
export type SubmissionBulkResult = z.infer<typeof SubmissionBulkResult>;

/** The target of an action, by the filters of a list; submissions that wait for a confirmation are excluded. */
export const SubmissionMatchQuery = z.strictObject({
  ...filters,
  /** The list: `inbox` by default. */
  status: z.enum(["inbox", "spam", "all", "trash"]).default("inbox"),
});
export type SubmissionMatchQuery = z.output<typeof SubmissionMatchQuery>;

/** Its query has `assignee` and `label` as filters, so the actions that would need them as values take ids alone. */
export const SubmissionBulkMatching = SubmissionBulk.omit({ ids: true, assignee: true, label: true })
  .extend({
    /** As with ids, but for `assign`, `label` and `unlabel`. */
    action: SubmissionBulk.shape.action.exclude(["assign", "label", "unlabel"]),
    cursor: Cursor.describe("The `next_cursor` of the step before."),
  })
  .meta({ id: "SubmissionBulkMatching" });
export type SubmissionBulkMatching = z.infer<typeof SubmissionBulkMatching>;

export const SubmissionBulkStep = z
  .object({
    matched: z.int().min(0).max(500).describe("Submissions of this step."),
    changed: z.int().min(0).describe("Submissions changed; those that needed no change are not counted."),
    has_more: z.boolean().describe("While this is true, repeat the request with the cursor."),
    /** The `cursor` of the next step; null after the last. */
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "SubmissionBulkStep" });
export type SubmissionBulkStep = z.infer<typeof SubmissionBulkStep>;
