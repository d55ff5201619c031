import type { Core } from "../../core/core.ts";
import type { MailAddress } from "../../drivers/mailer/types.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { oneLine } from "../../lib/one-line.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Copies, JobKind } from "../../model/jobs.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { toSubmission } from "../submissions/view.ts";

export type MailKind = Extract<JobKind, "owner_email" | "auto_response">;

/** Everything that a mail of a form is made of. */
export interface Letter {
  readonly form: Stored<FormRecord>;
  readonly submission_id: string;
  readonly submission: SubmissionRecord;
  /** The reply address, null if there is none or nobody may see it. */
  readonly answersTo: string | null;
  readonly from: MailAddress;
  readonly words: Words;
  readonly to: string;
  /** The others that the message goes to; left out where there are none. */
  readonly copies?: Copies;
  /** One over all attempts of a delivery. */
  readonly messageId: string;
  /** The time of sending, in epoch ms. */
  readonly date: number;
  /** The files of the submission, with signed links. */
  readonly files: readonly LetterFile[];
  /** Frozen with the delivery; null where it has no links. */
  readonly links_expire_at: string | null;
  /** Of a reply: the address where the sender changes the submission; left out where there is none. */
  readonly edit_url?: string | null;
}

/** All of a letter but who sends it, and in which language. */
export interface Draft extends Omit<Letter, "from" | "words" | "messageId" | "date" | "files"> {
  /** The delivery's id. */
  readonly jobId: string;
}

/** A file of a submission as a mail shows it: never attached, always a link. */
export interface LetterFile {
  readonly key: string;
  readonly name: string;
  readonly size: string;
  readonly url: string;
}

/** The files of the submission, with signed links. */
export function filesOf(core: Core, words: Words, draft: Draft): LetterFile[] {
  const { submission_id, submission, links_expire_at } = draft;
  const until = links_expire_at === null ? undefined : Date.parse(links_expire_at);
  const links = toSubmission(core, submission_id, submission, until).attachments;
  return links.flatMap(({ key, url }, at) => {
    const file = submission.attachments[at];
    return file ? [{ key, name: oneLine(file.name) || "file", size: words.size(file.size), url }] : [];
  });
}

/** True if text runs from right to left, which its first letter says. */
export const isRtl = (text: string): boolean =>
  /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    /\p{L}/u.exec(text)?.[0] ?? "",
  );
