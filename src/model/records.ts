import { block, type Leaf, moment, nullable, number, time } from "../lib/leaves.ts";
import { type AbuseReportRecord, abuseReportLeaf } from "./abuse.ts";
import { type ActivityRecord, activityLeaf, type RunRecord, runLeaf } from "./activities.ts";
import { type AuditRecord, auditLeaf } from "./audit.ts";
import { type DeletedFormRecord, deletedFormLeaf } from "./deleted-forms.ts";
import { type DraftRecord, draftLeaf } from "./drafts.ts";
import { type EmailServerRecord, emailServerLeaf } from "./email-servers.ts";
import { type FileRecord, fileLeaf } from "./files.ts";
import { type FormRecord, formLeaf } from "./form-record.ts";
import { type ImageRecord, imageLeaf } from "./images.ts";
import { type JobRecord, jobLeaf } from "./jobs.ts";
import { type KeyRecord, keyLeaf } from "./keys.ts";
import { type MessageRecord, messageLeaf } from "./messages.ts";
import { type PendingRecord, pendingLeaf } from "./pending.ts";
import { type SavedReplyRecord, type SavedViewRecord, savedReplyLeaf, savedViewLeaf } from "./saved.ts";
import { type SubmissionRecord, submissionLeaf } from "./submission-record.ts";
import { type SuppressionRecord, suppressionLeaf } from "./suppressions.ts";
import { type TeamRecord, teamLeaf } from "./teams.ts";
import { type TrashedRecord, trashedLeaf } from "./trash.ts";
import { type WebhookState, webhookStateLeaf } from "./webhook-state.ts";

/** A counter's value, and the time of the latest count. */
export interface Tally {
  n: number;
  at: string;
}

/** The member that every mark has. Only the feature that wrote a mark knows its other members, and reads them by `rows.mark`. */
export interface MarkRecord {
  /** Null where it stays. */
  expires_at: string | null;
}

/** The record type of each collection. */
export interface Records {
  teams: TeamRecord;
  keys: KeyRecord;
  email_servers: EmailServerRecord;
  forms: FormRecord;
  webhook_states: WebhookState;
  images: ImageRecord;
  submissions: SubmissionRecord;
  transient_submissions: SubmissionRecord;
  files: FileRecord;
  jobs: JobRecord;
  counters: Tally;
  marks: MarkRecord;
  pending_submissions: PendingRecord;
  drafts: DraftRecord;
  audit: AuditRecord;
  messages: MessageRecord;
  suppressions: SuppressionRecord;
  submission_runs: RunRecord;
  trashed_submissions: TrashedRecord;
  activities: ActivityRecord;
  saved_replies: SavedReplyRecord;
  saved_views: SavedViewRecord;
  abuse_reports: AbuseReportRecord;
  deleted_forms: DeletedFormRecord;
}

/**
 * Readers of all records. A record keeps leaves that a newer version added, and gets defaults for leaves that it lacks. So
 * every leaf that you add needs a default here.
 */
export const recordLeaves: { readonly [C in keyof Records]: Leaf<Records[C]> } = {
  teams: teamLeaf,
  keys: keyLeaf,
  email_servers: emailServerLeaf,
  forms: formLeaf,
  webhook_states: webhookStateLeaf,
  images: imageLeaf,
  submissions: submissionLeaf,
  transient_submissions: submissionLeaf,
  files: fileLeaf,
  jobs: jobLeaf,
  counters: block<Tally>({ n: number(0), at: moment() }),
  marks: block<MarkRecord>({ expires_at: nullable(time()) }),
  pending_submissions: pendingLeaf,
  drafts: draftLeaf,
  audit: auditLeaf,
  messages: messageLeaf,
  suppressions: suppressionLeaf,
  submission_runs: runLeaf,
  trashed_submissions: trashedLeaf,
  activities: activityLeaf,
  saved_replies: savedReplyLeaf,
  saved_views: savedViewLeaf,
  abuse_reports: abuseReportLeaf,
  deleted_forms: deletedFormLeaf,
};
