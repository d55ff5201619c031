import type { StorageDriver, Stored } from "../../drivers/storage/types.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { leaksValue } from "../../model/leaks.ts";
import { senderOf } from "../../model/sender.ts";
import { sourceOf } from "../../model/source.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Posted } from "./fields.ts";

/** Information about a post besides its body. */
export interface Visitor {
  readonly ip: string | null;
  readonly country: string | null;
  readonly user_agent: string | null;
  readonly referer: string | null;
  /** The header `Accept-Language`. It is not stored; the chosen language is. */
  readonly accept_language?: string | null;
  /** The header `Formspree-Session-Data`, of posts in that dialect. It is not stored; what it says of spam is. */
  readonly session?: string | null;
}

/** The target of the writes: the group commit, or a transaction of the host. */
export type Within = ReturnType<NonNullable<StorageDriver["within"]>> | null;

/** A post that has been read, on its way into the store. */
export interface Post {
  readonly form: Stored<FormRecord>;
  readonly posted: Posted;
  readonly visitor: Visitor;
  readonly within: Within;
}

/** The response to an accepted post; the same for a repeat under its idempotency key. */
export interface Accepted {
  readonly id: string;
  readonly submission: SubmissionRecord;
}

/** A post as the submission that is stored of it. */
export function submissionOf(
  { form, posted: { fields, files, special }, visitor: { ip, country, user_agent, referer } }: Post,
  created_at: string,
  judged: Pick<SubmissionRecord, "spam" | "verdict" | "over_quota" | "uncounted" | "language" | "routed_to">,
  kept: Pick<SubmissionRecord, "fields" | "protected"> = { fields },
): SubmissionRecord {
  const leaks = leaksValue(form.value.settings.fields, fields);
  const silent = (text: string | null | undefined): string | null => (text && !leaks?.(text) ? text : null);
  const source = form.value.settings.source.enabled
    ? sourceOf(special._source).filter(({ value }) => !leaks?.(value))
    : [];
  return {
    form_id: form.id,
    team_id: form.value.team_id,
    created_at,
    updated_at: created_at,
    read: false,
    ...judged,
    ip,
    country,
    user_agent,
    referer: silent(referer),
    ...kept,
    sender: senderOf(kept.fields),
    attachments: [...files.list],
    attached: files.list.length > 0,
    subject: silent(special._subject),
    reply_to: silent(special._replyto),
    ...(source.length > 0 && { source }),
  };
}
