import { z } from "zod";
import { Cursor } from "../lib/wire.ts";

/** Month and position of a list of what teams used. */
export const UsageQuery = z.strictObject({
  /** A month in UTC, such as `2026-11`. */
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, "must be a month such as 2026-11"),
  /** Only this team. */
  team_id: z.string().max(64).optional(),
  /** Teams per page, at most 100. */
  limit: z.int().min(1).max(100).default(25),
  cursor: Cursor,
});
export type UsageQuery = z.input<typeof UsageQuery>;

/** What a team used in a month. */
export interface TeamUsage {
  /** The team. */
  team_id: string;
  /** Submissions that took a place in the plan's month: neither spam, nor beyond it. Spam that somebody released is one of them. */
  accepted: number;
  /** Submissions that came as spam. */
  spam: number;
  /** Submissions that came when the plan's month was full, and spam that was released and sent then. */
  over_quota: number;
  /** Emails that a mail server took. */
  emails: number;
  /** Deliveries that a receiver took. */
  webhooks: number;
  /** Bytes of the files that came. */
  file_bytes: number;
  /** Submissions that are stored now, whenever they came. */
  stored: number;
}

/** A page of what teams used, and the cursor of the next one. */
export interface UsageList {
  /** The teams of this page, oldest first. */
  data: TeamUsage[];
  /** True where another page follows. */
  has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}
