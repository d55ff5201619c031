import { block, moment } from "../lib/leaves.ts";
import { type Consent, consentLeaf } from "./consent.ts";
import { type SubmissionRecord, submissionLeaves } from "./submission-record.ts";

/** A submission that waits for its sender's confirmation. */
export interface PendingRecord extends SubmissionRecord {
  consent: Consent;
  /** Time when it is removed, unless somebody has confirmed it. */
  expires_at: string;
}

/** Reads one from the store. */
export const pendingLeaf = block<PendingRecord>({ ...submissionLeaves, consent: consentLeaf, expires_at: moment() });
