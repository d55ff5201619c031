import { z } from "zod";
import { block, moment, oneOf, text } from "../lib/leaves.ts";
import { Cursor } from "../lib/wire.ts";

const reportKinds = ["report", "check"] as const;

/** A form that somebody should look at. */
export interface AbuseReport {
  /** The id of the report. */
  id: string;
  /** The form. */
  form_id: string;
  /** The form's team. */
  team_id: string;
  /** `report`: a visitor reported it; `check`: a check of forms found something. */
  kind: (typeof reportKinds)[number];
  /** What the visitor wrote, or what the check found. */
  reason: string;
  /** The time of the report. */
  created_at: string;
}
export type AbuseReportRecord = Omit<AbuseReport, "id">;

/** Reads a report from the store. */
export const abuseReportLeaf = block<AbuseReportRecord>({
  form_id: text(""),
  team_id: text(""),
  kind: oneOf(reportKinds, "report"),
  reason: text(""),
  created_at: moment(),
});

/** Filters and position of a page of reports. */
export const AbuseListQuery = z.strictObject({
  /** Only reports about this form. */
  form_id: z.string().max(64).optional(),
  /** Reports per page, at most 100. */
  limit: z.int().min(1).max(100).default(25),
  cursor: Cursor,
});
export type AbuseListQuery = z.input<typeof AbuseListQuery>;

/** A page of reports, and the cursor of the next one. */
export interface AbuseList {
  /** The reports of this page, newest first. */
  data: AbuseReport[];
  /** True where another page follows. */
  has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}
