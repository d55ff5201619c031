import type { SubmissionField } from "./submission-field.ts";
import type { SubmissionRecord } from "./submission-record.ts";

/** Replaces the values of fields that a person may not see. */
export interface Redaction {
  /** The fields as the person may see them. */
  fields(form_id: string, fields: readonly SubmissionField[]): SubmissionField[];
  /** A stored submission as the person may see it: without the files of such fields, nor a URL that has a value of one. */
  record(record: SubmissionRecord): SubmissionRecord;
}
