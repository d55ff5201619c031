import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { shownSource } from "../../model/source.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { HostSubmission, Submission } from "../../model/submissions.ts";
import type { TrashedRecord } from "../../model/trash.ts";
import { valuesOf } from "../../model/values.ts";
import { workOf } from "../../model/work.ts";
import { fileUrl, linkExpiry } from "../files/links.ts";
import { facing } from "../teams/face.ts";

/** The API shape of a submission. Links to its files are made now, or expire at `linksExpireAt` (epoch ms) if that is fixed. */
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
  const shown = { id, form_id, created_at, spam, read, ip, country, user_agent, referer, fields, attachments };
  if (!record.source && !record.over_quota) return shown;
  return {
    ...shown,
    ...(record.source && { source: shownSource(record.source) }),
    ...(record.over_quota && { over_quota: true as const }),
  };
}

/** When a submission in the trash was deleted, and when it is removed. */
function trashTimes(record: object): HostSubmission["trash"] {
  const { trashed_at, expires_at } = record as Partial<TrashedRecord>;
  return trashed_at === undefined || expires_at === undefined ? undefined : { trashed_at, expires_at };
}

/** The same for the host, with its verdict, its values by name and its files; the schema of an HTTP response leaves those out. */
export function toHostSubmission(core: Core, id: string, record: SubmissionRecord): HostSubmission {
  const submission = toSubmission(core, id, record);
  const trash = trashTimes(record);
  const files = record.attachments.map(({ key, name, mime_type, size }, at) => {
    const { url } = submission.attachments[at] as Submission["attachments"][number];
    return { key, name, mime_type, size, url };
  });
  return {
    ...submission,
    verdict: record.verdict,
    values: valuesOf(submission),
    files,
    work: workOf(record),
    read_by: record.read_by ?? [],
    ...(trash && { trash }),
    ...(record.consent && { consent: record.consent }),
    ...(record.revisions && {
      revisions: record.revisions.map(({ replaced_at, fields }) => ({ replaced_at, fields })),
    }),
    ...(record.routed_to && { routed_to: record.routed_to }),
  };
}

/** Several of them, of any teams. */
export const toHostSubmissions = (core: Core, rows: readonly Row<"submissions">[]): Promise<HostSubmission[]> =>
  Promise.all(
    rows.map(async ({ id, value }) => {
      const face = value.attachments.length > 0 ? await facing(core, value.team_id) : core;
      return toHostSubmission(face, id, value);
    }),
  );
