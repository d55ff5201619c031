import { block, moment, text } from "../lib/leaves.ts";

/** A form that was deleted. What it left is read by its id. */
export interface DeletedForm {
  /** The form's id. */
  id: string;
  /** The team that it had. */
  team_id: string;
  /** The name that it had. */
  name: string;
  /** The time of its deletion. */
  deleted_at: string;
}

/** The row of a deleted form; `created_at` is that of the row, the time of the deletion. */
export interface DeletedFormRecord {
  team_id: string;
  name: string;
  created_at: string;
}

/** Reads a deleted form from the store. */
export const deletedFormLeaf = block<DeletedFormRecord>({ team_id: text(""), name: text(""), created_at: moment() });

/** A page of deleted forms, and the cursor of the next one. */
export interface DeletedFormList {
  /** The forms of this page, the last deleted first. */
  data: DeletedForm[];
  /** True where another page follows. */
  has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}
