import { block, flag, moment, text } from "../lib/leaves.ts";
import type { MarkId } from "./marks.ts";

/** The note of a form that changes its team: its rows follow in steps. */
export interface FormMoveRecord {
  form_id: string;
  /** The team that the form came to last. */
  team_id: string;
  /** True once all rows have followed; one more look finds those of posts that were under way. */
  followed: boolean;
  expires_at: string;
}

export const formMoveLeaf = block<FormMoveRecord>({
  form_id: text(),
  team_id: text(),
  followed: flag(false),
  expires_at: moment(),
});

export const formMoveMark = (form_id: string): MarkId => `form-move:${form_id}`;
