import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/reads.ts";
import { type Row, remove, retrying } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import type { DraftRecord } from "../../model/drafts.ts";
import type { Caller } from "../../model/keys.ts";
import { fieldMatcher } from "../../model/restriction.ts";
import type { SubmissionField, SubmissionRecord } from "../../model/submissions.ts";
import { blobDown } from "../files/store.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { openSealed } from "../privacy/files.ts";
import { hashFinder } from "../privacy/mention.ts";
import { openedRows, plainFor } from "../privacy/shown.ts";
import { contentRemoval, removeFiles } from "../submissions/removal.ts";
import { takeScan } from "../submissions/scans.ts";
import { streamOf } from "../submissions/stream.ts";
import { toSubmission } from "../submissions/view.ts";
import { eraseFromDeliveries, reachedTeams, type Subject } from "./deliveries.ts";
import { draftsOf, eraseDrafts } from "./drafts.ts";
import { mentionOf } from "./mentions.ts";
import type { ErasureReceipt } from "./schema.ts";

/**
 * Every submission with an address, over all forms that the caller reaches, oldest first, and every draft with it, as the JSON
 * text of a `DataSubjectExport`, written while it is read. Throws `scan_concurrency`.
 */
export function exportSubject(
  core: Core,
  caller: Caller,
  { email, team_id }: Subject,
  signal: AbortSignal | undefined,
  keep: Keep | undefined = keepOf(caller),
): ReadableStream<Uint8Array> {
  const release = takeScan(core, caller, "long");
  const isIn = mentionOf(email);
  const drafts = draftsOf(core, caller, isIn, team_id);
  const found = keptBack(holding(core, caller, email, team_id), email, keep);
  return streamOf(exportText(core, found, keep ? keptDrafts(drafts, isIn, keep) : drafts), release, signal);
}

/** Keeps values back: the fields of a form, and a submission, as the caller may see them. */
export interface Keep {
  fields(form_id: string, fields: readonly SubmissionField[]): SubmissionField[];
  record(record: SubmissionRecord): SubmissionRecord;
}

/** Keeps back the fields that a key never gets. */
function keepOf({ without }: Caller): Keep | undefined {
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
  keep: Keep | undefined,
): AsyncGenerator<Row<"submissions">[]> {
  const isIn = mentionOf(email);
  for await (const rows of pages) {
    if (!keep) yield rows;
    else
      yield rows
        .map((row) => ({ ...row, value: keep.record(row.value) }))
        .filter(
          ({ value: { fields, referer, attachments } }) =>
            fields.some(({ key, value }) => isIn(value) || isIn(key)) ||
            isIn(referer) ||
            attachments.some(({ name }) => isIn(name)),
        );
  }
}

async function* exportText(
  core: Core,
  pages: AsyncIterable<Row<"submissions">[]>,
  drafts: AsyncIterable<Row<"drafts">[]>,
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
  yield before === "," ? "]}" : "}";
}

async function* keptDrafts(
  pages: AsyncIterable<Row<"drafts">[]>,
  isIn: (text: string) => boolean,
  keep: Keep,
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
const keptFields = (form_id: string, fields: DraftRecord["fields"], keep: Keep): DraftRecord["fields"] =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const shown = [value].flat().map((one) => keep.fields(form_id, [{ key, value: String(one) }])[0]?.value ?? null);
      return [key, Array.isArray(value) ? shown : (shown[0] ?? null)];
    }),
  );

/**
 * Removes every submission with an address, including its files and deliveries, and the address from deliveries without a
 * submission. Returns a receipt. Throws `scan_concurrency`, and `unavailable` if a file could not be removed: all else is
 * erased then, and repeating the call finishes it.
 */
export async function eraseSubject(core: Core, caller: Caller, { email, team_id }: Subject): Promise<ErasureReceipt> {
  const release = takeScan(core, caller, "long");
  const erased = { submissions: 0, files: 0, deliveries: 0 };
  let fault: unknown;
  try {
    for await (const rows of holding(core, caller, email, team_id)) {
      for (const { id, value } of rows) {
        const jobs = await retrying(() =>
          eraseOne(core, id, value, (error) => {
            fault = error;
          }),
        );
        if (jobs === null) continue;
        erased.submissions++;
        erased.files += value.attachments.length;
        erased.deliveries += jobs;
      }
    }
    await eraseDrafts(core, caller, mentionOf(email), team_id);
    erased.deliveries += await eraseFromDeliveries(core, caller, mentionOf(email), team_id);
    await core.storage.scrub?.();
  } finally {
    release();
  }
  if (fault) throw fault;
  return { erased, at: iso(core.clock.now()) };
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
  const own = await (stored ? contentRemoval(core, stored) : removeFiles(core, value)).catch((error: unknown) => {
    failed(blobDown(core, error));
    return null;
  });
  if (!own) return null;
  const jobs = await jobsOf(core, id);
  const writes: Write[] = jobs.map((job) => remove("jobs", job.id));
  await core.storage.commit([
    ...own,
    ...writes,
    remove("transient_submissions", id),
    remove("pending_submissions", id),
  ]);
  return jobs.length;
}

/**
 * The submissions with an address anywhere: in a field, as the reply address, in the page's URL. Rows are read whole, because a
 * search in fields alone would miss the rest; encrypted values are decrypted, and hashed ones compared by hash. Throws
 * `internal_error` at the end if one can't be read.
 */
export async function* holding(
  core: Core,
  caller: Caller,
  email: string,
  team_id?: string | null,
): AsyncGenerator<Row<"submissions">[]> {
  const isIn = mentionOf(email);
  const mentions = ({ fields, reply_to, subject, referer, attachments }: SubmissionRecord): boolean =>
    fields.some(({ key, value }) => isIn(value) || isIn(key)) ||
    [reply_to, subject, referer].some(isIn) ||
    attachments.some(({ name }) => isIn(name));
  const keepsHash = hashFinder(core, [...new Set([email, email.toLowerCase()])]);
  const namesFile = async ({ form_id, attachments }: SubmissionRecord): Promise<boolean> => {
    for (const { file_id, sealed } of attachments) {
      if (sealed && isIn((await openSealed(core, { form_id, sealed }, file_id))?.name)) return true;
    }
    return false;
  };
  const through = readerOf(core, caller);
  const teams = await reachedTeams(core, caller, team_id);
  const runs = caller.form_ids
    ? caller.form_ids.map((form_id) => ({ index: "form", equals: { form_id } }))
    : teams.map((team_id) => ({ index: "team", equals: { team_id } }));
  const stored = (["submissions", "pending_submissions"] as const).flatMap((collection) =>
    runs.map((run) => ({ ...run, collection })),
  );
  let fault: Error | null = null;
  const unreadable = ({ value }: Stored, error: Error): void => {
    if (teams.includes(String(value["team_id"]))) fault ??= error;
  };
  const reached = ({ team_id, form_id }: SubmissionRecord) =>
    teams.includes(team_id) && (caller.form_ids?.includes(form_id) ?? true);
  for (const { collection, index, equals } of [
    ...stored,
    { collection: "transient_submissions" as const, index: "all", equals: {} },
  ]) {
    for await (const rows of core.rows.walk(collection, { index, equals, through, unreadable })) {
      const theirs = rows.filter(({ value }) => reached(value));
      const hashed = new Set(theirs.filter(({ value }) => keepsHash(value)).map(({ id }) => id));
      const clear = await openedRows(core, theirs);
      const found: Row<"submissions">[] = [];
      for (const row of clear) {
        if (hashed.has(row.id) || mentions(row.value) || (await namesFile(row.value))) found.push(row);
      }
      yield found;
    }
  }
  // Only now, so that the rest is found or erased; but nobody must be told that no more data exists.
  if (fault) throw fault;
}
