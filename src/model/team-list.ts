import { z } from "zod";
import { Cursor } from "../lib/wire.ts";
import type { Team } from "./teams.ts";

/** Filters and position of a page of teams. */
export const TeamListQuery = z.strictObject({
  /** Only teams with this text in their id, their name or their owner's address, in any case. */
  q: z.string().min(1).max(200).optional(),
  /** Only teams with this plan. */
  plan: z.string().max(64).optional(),
  /** Only teams that are on, or only those that are off. */
  active: z.boolean().optional(),
  /** Teams per page, at most 100. */
  limit: z.int().min(1).max(100).default(25),
  cursor: Cursor,
});
export type TeamListQuery = z.input<typeof TeamListQuery>;

/** A page of teams, and the cursor of the next one. */
export interface TeamList {
  /** The teams of this page, oldest first. */
  data: Team[];
  /** True where another page follows. */
  has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}
