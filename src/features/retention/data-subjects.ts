import type { Core } from "../../core/core.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import { type Row, remove, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { streamOf } from "../../lib/text-stream.ts";
import type { ErasureReceipt, SimilarSubmission } from "../../model/data-subjects.ts";
import type { DraftRecord } from "../../model/drafts.ts";
import type { Caller } from "../../model/keys.ts";
import type { Message } from "../../model/messages.ts";
import type { Redaction } from "../../model/redaction.ts";
import { fieldMatcher } from "../../model/restriction.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { blobDown } from "../files/store.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { plainFor } from "../privacy/shown.ts";
import { contentRemoval, removeFiles } from "../submissions/removal.ts";
import { trashContentRemoval } from "../submissions/trash.ts";
import { toSubmission } from "../submissions/view.ts";
import { eraseFromDeliveries, type Subject } from "./deliveries.ts";
import { draftsOf, eraseDrafts } from "./drafts.ts";
import { holding } from "./holding.ts";
import { mentionOf, nameMentionOf } from "./mentions.ts";
import { eraseMessages, messagesOf } from "./messages.ts";

/**
 * Every submission with an address, over all forms that the caller reaches, oldest first, and every draft with it, as the JSON
 * text of a `DataSubjectExport`, written while it is read. Throws `scan_concurrency`.
 */
export function exportSubject(
  core: Core,
  caller: Caller,
  { email, team_id }: Subject,
  signal: AbortSignal | undefined,
  keep: Redaction | undefined = keepOf(caller),
): ReadableStream<Uint8Array> {
  const release = takeScan(core, caller, "long");
  const isIn = mentionOf(email);
  const drafts = draftsOf(core, caller, isIn, team_id);
  const similar: SimilarSubmission[] = [];
  // A near miss may be one in a value that is kept back, so none is told then.
  const found = keptBack(holding(core, caller, email, team_id, keep ? undefined : similar), email, keep);
  const messages = messagesOf(core, caller, isIn, team_id);
  const text = exportText(core, found, keep ? keptDrafts(drafts, isIn, keep) : drafts, messages, similar);
  return streamOf(text, release, signal);
}

/** Keeps back the fields that a key never gets. */
export function keepOf({ without }: Caller): Redaction | undefined {
  if (!without) return undefined;
  const isWithheld = fieldMatcher(without);
  return {
    fields: (_, fields) => fields.filter(({ key }) => !isWithheld(key)),
    record: (record) => plainFor(null, record, "reader", { without }),
  };
}

/**
 * Rows as a caller sees them whom values are kept from. One that has the address only in such a value is left out: that it is
 * there would tell the value.
 */
export async function* keptBack(
  pages: AsyncIterable<Row<"submissions">[]>,
  email: string,
  keep: Redaction | undefined,
): AsyncGenerator<Row<"submissions">[]> {
  const isIn = mentionOf(email);
  const isNamed = nameMentionOf(email);
  for await (const rows of pages) {
    if (!keep) yield rows;
    else
      yield rows
        .map((row) => ({ ...row, value: keep.record(row.value) }))
        .filter(
          ({ value: { fields, referer, user_agent, attachments } }) =>
            fields.some(({ key, value }) => isIn(value) || isIn(key)) ||
            isIn(referer) ||
            isIn(user_agent) ||
            attachments.some(({ name }) => isNamed(name)),
        );
  }
}

async function* exportText(
  core: Core,
  pages: AsyncIterable<Row<"submissions">[]>,
  drafts: AsyncIterable<Row<"drafts">[]>,
  messages: AsyncIterable<Message>,
  similar: readonly SimilarSubmission[],
): AsyncGenerator<string> {
  let before = '{"data":[';
  for await (const rows of pages) {
    for (const { id, value } of rows) {
      const { consent } = value;
      yield before + JSON.stringify({ ...toSubmission(core, id, value), ...(consent && { consent }) });
      before = ",";
    }
  }
  yield before === "," ? "]" : `${before}]`;
  before = ',"drafts":[';
  for await (const rows of drafts) {
    // Without its name, which is the key to it.
    for (const { value } of rows) {
      const { form_id, fields, expires_at } = value;
      yield before + JSON.stringify({ form_id, fields, expires_at });
      before = ",";
    }
  }
  yield before === "," ? "]" : "";
  before = ',"messages":[';
  for await (const message of messages) {
    yield before + JSON.stringify(message);
    before = ",";
  }
  yield before === "," ? "]" : "";
  yield similar.length > 0 ? `,"similar":${JSON.stringify(similar)}}` : "}";
}

async function* keptDrafts(
  pages: AsyncIterable<Row<"drafts">[]>,
  isIn: (text: string) => boolean,
  keep: Redaction,
): AsyncGenerator<Row<"drafts">[]> {
  for await (const rows of pages) {
    yield rows
      .map((row) => ({
        ...row,
        value: { ...row.value, fields: keptFields(row.value.form_id, row.value.fields, keep) },
      }))
      .filter(({ value }) =>
        Object.entries(value.fields)
          .flat(2)
          .some((one) => isIn(String(one))),
      );
  }
}

/** The values of a draft, each as the caller may see it. */
const keptFields = (form_id: string, fields: DraftRecord["fields"], keep: Redaction): DraftRecord["fields"] =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const shown = [value].flat().map((one) => keep.fields(form_id, [{ key, value: String(one) }])[0]?.value ?? null);
      return [key, Array.isArray(value) ? shown : (shown[0] ?? null)];
    }),
  );

/**
 * Removes every submission with an address, including its files and deliveries, and the address from deliveries without a
 * submission. Returns a receipt, and the teams of the submissions for the audit. Throws `scan_concurrency`, and `unavailable` if
 * a file could not be removed: all else is erased then, and repeating the call finishes it.
 */
export async function eraseSubject(
  core: Core,
  caller: Caller,
  { email, team_id }: Subject,
): Promise<ErasureReceipt & { readonly team_ids: readonly string[] }> {
  const release = takeScan(core, caller, "long");
  const erased = { submissions: 0, files: 0, deliveries: 0 };
  const similar: SimilarSubmission[] = [];
  const teams = new Set<string>();
  let fault: unknown;
  try {
    for await (const rows of holding(core, caller, email, team_id, similar)) {
      for (const { id, value } of rows) {
        const jobs = await retrying(() =>
          eraseOne(core, id, value, (error) => {
            fault = error;
          }),
        );
        if (jobs === null) continue;
        teams.add(value.team_id);
        erased.submissions++;
        erased.files += value.attachments.length;
        erased.deliveries += jobs;
      }
    }
    await eraseDrafts(core, caller, mentionOf(email), team_id);
    await eraseMessages(core, caller, email, mentionOf(email), team_id);
    erased.deliveries += await eraseFromDeliveries(core, caller, mentionOf(email), team_id);
    await core.storage.scrub?.();
  } finally {
    release();
  }
  if (fault) throw fault;
  return { erased, ...(similar.length > 0 && { similar }), at: iso(core.clock.now()), team_ids: [...teams] };
}

/** Erases one submission with its files and deliveries. Returns the number of deliveries, null if a file could not be removed. */
async function eraseOne(
  core: Core,
  id: string,
  value: SubmissionRecord,
  failed: (error: unknown) => void,
): Promise<number | null> {
  // As it is now, for it may have been marked since it was found.
  const stored = await core.rows.get("submissions", id);
  const trashed = stored ? null : await core.rows.get("trashed_submissions", id);
  const content = stored
    ? contentRemoval(core, stored)
    : trashed
      ? trashContentRemoval(core, trashed)
      : removeFiles(core, value);
  const own = await content.catch((error: unknown) => {
    failed(blobDown(core, error));
    return null;
  });
  if (!own) return null;
  const jobs = await jobsOf(core, id);
  const writes: Write[] = jobs.map((job) => remove("jobs", job.id));
  await core.commitNow([...own, ...writes, remove("transient_submissions", id), remove("pending_submissions", id)]);
  return jobs.length;
}
