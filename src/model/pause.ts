import { block, oneOf, text } from "../lib/leaves.ts";

/** The step that the owner of a destination has to take before anything can be written again. Each has a sentence in `texts/visitors`. */
export const pauseReasons = [
  "google_not_shared",
  "google_no_file",
  "google_no_sheet",
  "google_not_a_sheet",
  "google_key_refused",
  "google_no_key",
  "google_api_off",
  "google_full",
  "airtable_token_refused",
  "airtable_no_access",
  "airtable_no_table",
  "airtable_no_id",
  "notion_token_refused",
  "notion_not_shared",
  "notion_a_page",
  "notion_no_id",
  "mailchimp_key_refused",
  "mailchimp_no_list",
  "hubspot_token_refused",
  "hubspot_no_scope",
] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** Why a destination is turned off, and the name that the sentence is about: an account's address, a sheet, a column. */
export interface Pause {
  reason: PauseReason;
  /** A name that the sentence shows; `""` where it shows none. */
  what: string;
}

export const pauseLeaf = block<Pause>({ reason: oneOf(pauseReasons), what: text("") });
