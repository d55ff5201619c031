import type { StorageDriver, Stored } from "../drivers/storage/types.ts";
import type { FormRecord } from "../forms/schema.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import type { Posted } from "./fields.ts";

/** What is known of a post besides its body. */
export interface Visitor {
  readonly ip: string | null;
  readonly country: string | null;
  readonly user_agent: string | null;
  readonly referer: string | null;
}

/** Where the writes go: into the group commit, or into a transaction of the host's. */
export type Within = Pick<StorageDriver, "commit"> | null;

/** A post that has been read, on its way into the store. */
export interface Post {
  readonly form: Stored<FormRecord>;
  readonly posted: Posted;
  readonly visitor: Visitor;
  readonly within: Within;
}

/** The answer to an accepted post; the same again for a repeat under its idempotency key. */
export interface Accepted {
  readonly id: string;
  readonly submission: SubmissionRecord;
}

/** A post as the submission that is stored of it. */
export function submissionOf(
  { form, posted: { fields, files, special }, visitor }: Post,
  created_at: string,
  judged: Pick<SubmissionRecord, "spam" | "verdict" | "over_quota">,
): SubmissionRecord {
  return {
    form_id: form.id,
    team_id: form.value.team_id,
    created_at,
    updated_at: created_at,
    read: false,
    ...judged,
    ...visitor,
    fields,
    attachments: [...files.list],
    attached: files.list.length > 0,
    subject: special._subject || null,
    reply_to: special._replyto || null,
  };
}
