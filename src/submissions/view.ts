import type { Core } from "../core.ts";
import { fileUrl, linkExpiry } from "../files/links.ts";
import type { HostSubmission, Submission, SubmissionRecord } from "./schema.ts";

/** The API shape of a submission. Links to its files are minted now, or end at `linksExpireAt` (epoch ms) where that is frozen. */
export function toSubmission(
  core: Core,
  id: string,
  record: SubmissionRecord,
  linksExpireAt: number = linkExpiry(core),
): Submission {
  const { form_id, created_at, spam, read, ip, country, user_agent, referer, fields } = record;
  const attachments = record.attachments.map(({ key, file_id, name, mime_type }) => ({
    key,
    url: fileUrl(core, file_id, name, linksExpireAt),
    mime_type,
  }));
  return { id, form_id, created_at, spam, read, ip, country, user_agent, referer, fields, attachments };
}

/** The same with its verdict, for the host; the schema of an HTTP answer leaves that out. */
export const toHostSubmission = (core: Core, id: string, record: SubmissionRecord): HostSubmission => ({
  ...toSubmission(core, id, record),
  verdict: record.verdict,
});
