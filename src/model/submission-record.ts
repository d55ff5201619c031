import { block, flag, type Leaves, list, moment, nullable, number, optional, text } from "../lib/leaves.ts";
import { type Consent, consentLeaf } from "./consent.ts";
import { type ProtectedValues, protectedLeaf } from "./protected.ts";
import { revisionLeaf, type StoredRevision } from "./revisions.ts";
import { type RoutedTo, routedLeaf } from "./routing.ts";
import { senderLeaf } from "./sender.ts";
import { type SpamMark, spamMarkLeaf } from "./spam-model.ts";
import { type SubmissionField, submissionFieldLeaf } from "./submission-field.ts";
import { type StoredFile, storedFileLeaf } from "./submission-file.ts";
import { type Verdict, verdictLeaf } from "./verdict.ts";
import { type Aside, asideLeaf, type WorkRecord, workLeaf } from "./work.ts";

/** A submission as it is stored. */
export interface SubmissionRecord {
  form_id: string;
  team_id: string;
  created_at: string;
  updated_at: string;
  spam: boolean;
  read: boolean;
  ip: string | null;
  country: string | null;
  user_agent: string | null;
  referer: string | null;
  fields: SubmissionField[];
  protected?: ProtectedValues;
  attachments: StoredFile[];
  attached: boolean;
  verdict: Verdict[];
  over_quota: boolean;
  /** It takes no place in the plan's month, being spam or beyond the month's number, and needs one before it is sent again. */
  uncounted?: boolean;
  /** Special fields that its emails need, never shown as fields. */
  subject: string | null;
  reply_to: string | null;
  /** The visitor's language, for the reply; left out where it is English. */
  language?: string;
  /** Of forms that ask for the sender's confirmation. */
  consent?: Consent;
  /** Where the visitor came from; left out where the form keeps none, or none was sent. */
  source?: SubmissionField[];
  /** Where the form's routing sends it; left out if it has none. Kept, so that a later sending goes to the same places. */
  routed_to?: RoutedTo;
  /** Versions from before its sender changed it, oldest first. */
  revisions?: StoredRevision[];
  /** How often its sender changed it. */
  changes?: number;
  /** The source that an import named; left out for posts. */
  imported_from?: string;
  /** Out of the list of open ones. Left out or null: it is open. */
  aside?: Aside | null;
  /** The sender's address as `senderOf` hashes it. Left out or null: none is stored in clear, or it is older than this member. */
  sender?: string | null;
  /** What people at work have set; left out until somebody has. */
  work?: WorkRecord;
  /** The last judgement of a person; left out until somebody has made one. */
  marked?: SpamMark;
  /** The ids of people who have read it; left out of old ones. */
  read_by?: string[];
}

/** The leaves of a stored submission. */
export const submissionLeaves: Leaves<SubmissionRecord> = {
  form_id: text(),
  team_id: text(),
  created_at: moment(),
  updated_at: moment(),
  spam: flag(false),
  read: flag(false),
  ip: nullable(text()),
  country: nullable(text()),
  user_agent: nullable(text()),
  referer: nullable(text()),
  fields: list(submissionFieldLeaf),
  protected: optional(protectedLeaf),
  attachments: list(storedFileLeaf),
  attached: flag(false),
  verdict: list(verdictLeaf),
  over_quota: flag(false),
  uncounted: optional(flag()),
  subject: nullable(text()),
  reply_to: nullable(text()),
  language: optional(text()),
  consent: optional(consentLeaf),
  source: optional(list(submissionFieldLeaf)),
  routed_to: optional(routedLeaf),
  revisions: optional(list(revisionLeaf)),
  changes: optional(number()),
  imported_from: optional(text()),
  aside: asideLeaf,
  sender: senderLeaf,
  work: optional(workLeaf),
  marked: optional(spamMarkLeaf),
  read_by: optional(list(text(""))),
};

/** Reads a submission from the store. */
export const submissionLeaf = block(submissionLeaves);

/** True where the plan's month was full and the plan sends nothing beyond it. */
export const isHeldBack = ({ over_quota, uncounted }: Pick<SubmissionRecord, "over_quota" | "uncounted">): boolean =>
  over_quota && uncounted === true;
