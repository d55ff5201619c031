import { block, list, moment, nullable, number, text, time } from "../lib/leaves.ts";

/** What a person did in the inbox, as it is kept. */
export interface AuditRecord {
  team_id: string;
  /** Null where it was done to no form. */
  form_id: string | null;
  /** The host's id of the person. */
  user_id: string;
  user_name: string;
  action: string;
  /** The first targets; empty if it applied to all that match a filter. */
  ids: string[];
  /** The number of all targets. */
  count: number;
  created_at: string;
  /** Null where the plan keeps it for good. */
  expires_at: string | null;
}

/** Reads an entry from the store. */
export const auditLeaf = block<AuditRecord>({
  team_id: text(),
  form_id: nullable(text()),
  user_id: text(""),
  user_name: text(""),
  action: text(""),
  ids: list(text()),
  count: number(0),
  created_at: moment(),
  expires_at: nullable(time()),
});
