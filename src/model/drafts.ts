import { block, dictionary, type Leaf, moment, text } from "../lib/leaves.ts";

type Scalar = string | number | boolean | null;

/** The value of a field, as a page sent it. */
export type DraftValue = Scalar | Scalar[];

/** Values that a visitor has typed into a form and not sent yet. */
export interface DraftRecord {
  form_id: string;
  team_id: string;
  fields: Record<string, DraftValue>;
  expires_at: string;
}

/** Only checked values are ever stored. */
const valueLeaf: Leaf<DraftValue> = { read: (stored) => (stored ?? null) as DraftValue };

/** Reads a draft from the store. */
export const draftLeaf = block<DraftRecord>({
  form_id: text(),
  team_id: text(),
  fields: dictionary(valueLeaf),
  expires_at: moment(),
});
