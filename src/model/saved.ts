import { block, dictionary, flag, moment, nullable, text } from "../lib/leaves.ts";

/** A reply that a team keeps. */
export interface SavedReplyRecord {
  team_id: string;
  created_at: string;
  name: string;
  text: string;
}

/** Reads one from the store. */
export const savedReplyLeaf = block<SavedReplyRecord>({
  team_id: text(),
  created_at: moment(),
  name: text(""),
  text: text(""),
});

/** A list of the inbox that a person keeps, for the whole team if it is shared. */
export interface SavedViewRecord {
  team_id: string;
  created_at: string;
  name: string;
  /** Null: the list of all forms. */
  form_id: string | null;
  /** The parameters of the list. */
  query: Record<string, string>;
  shared: boolean;
  /** The id of the person. */
  user_id: string;
}

/** Reads one from the store. */
export const savedViewLeaf = block<SavedViewRecord>({
  team_id: text(),
  created_at: moment(),
  name: text(""),
  form_id: nullable(text()),
  query: dictionary(text("")),
  shared: flag(false),
  user_id: text(""),
});
