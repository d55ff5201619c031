import { block, moment } from "../lib/leaves.ts";
import { type SubmissionRecord, submissionLeaves } from "./submission-record.ts";

/** A submission in the trash. */
export interface TrashedRecord extends SubmissionRecord {
  /** The time at which it was deleted. */
  trashed_at: string;
  /** The time at which it is removed. */
  expires_at: string;
}

/** Reads one from the store. */
export const trashedLeaf = block<TrashedRecord>({ ...submissionLeaves, trashed_at: moment(), expires_at: moment() });
