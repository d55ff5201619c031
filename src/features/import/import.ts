import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import type {
  ImportFailure,
  ImportOptions,
  ImportResult,
  ImportRow,
  ImportRows,
  UnreadableRow,
} from "../../model/import.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { placesChanged } from "../forms/places.ts";
import { daysKept } from "../forms/retention-mark.ts";
import { submissionOf } from "../intake/post.ts";
import { protectFields } from "../privacy/protect.ts";
import { takeRoom } from "../teams/stock.ts";
import { type Identity, identityOf } from "./identity.ts";
import { type ReadRow, RowFault, readRow } from "./row.ts";
import { tallyOf } from "./tally.ts";

/** Rows of one commit, and about their bytes: small, so that posts of visitors get in between. */
const BATCH = 250;
const BATCH_BYTES = 512 * 1024;
const MAX_FAILED = 1_000;
/** Ids that a dry run remembers to find rows that come twice. */
const MAX_SEEN = 200_000;

export const Source = z.string().trim().min(1).max(100);
const Options = z.strictObject({
  source: Source,
  dry_run: z.boolean().default(false),
  onFailed: z.custom<(failure: ImportFailure) => void>((given) => typeof given === "function").optional(),
});

/**
 * Stores submissions of elsewhere, each once however often and wherever it is imported. Nothing is sent, and no plan counts them.
 * Throws `form_not_found`, `invalid_parameter`, `limit_reached` where its team may store no more, and what `rows` throws; rows
 * before that stay stored.
 */
export async function importSubmissions(
  core: Core,
  formId: string,
  rows: ImportRows,
  options: ImportOptions,
): Promise<ImportResult> {
  const { source, dry_run, onFailed } = parseInput(Options, options);
  assertRows(rows);
  const identity = identityOf(core, formId, source);
  const result: ImportResult & { failed: ImportFailure[] } = { imported: 0, skipped: 0, failed: [] };
  const seen = dry_run ? new Set<string>() : null;
  const oldest = oldestKept(core, (await formOf(core, formId)).value);
  let batch: ReadRow[] = [];
  let weight = 0;
  let index = 0;
  let expiring = 0;
  for await (const row of rows) {
    const read = readable(row, index++);
    if (read) {
      batch.push(read);
      weight += read.weight;
    }
    if (batch.length >= BATCH || weight >= BATCH_BYTES) await flush();
    // Also where no row can be stored, others get their turn.
    else if (index % BATCH === 0) await setImmediate();
  }
  await flush();
  if (expiring > 0) result.expiring = expiring;
  if (!dry_run) log(core, formId, source, result);
  return result;

  function readable(row: ImportRow | UnreadableRow, at: number): ReadRow | null {
    try {
      if (typeof row === "object" && row !== null && "unreadable" in row) throw new RowFault(String(row.unreadable));
      return readRow(row as ImportRow, core.clock.now());
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      const line = (row as ImportRow | null)?.line;
      const failure = { index: at, ...(typeof line === "number" && { line }), message: error.message };
      onFailed?.(failure);
      if (result.failed.length < MAX_FAILED) result.failed.push(failure);
      else result.more_failed = (result.more_failed ?? 0) + 1;
      return null;
    }
  }

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const form = await formOf(core, formId);
    const stored = await retrying(() => store(core, form, batch, identity, { source, seen }));
    result.imported += stored.length;
    result.skipped += batch.length - stored.length;
    if (oldest !== null) expiring += stored.filter(({ created_at }) => created_at < oldest).length;
    batch = [];
    weight = 0;
  }
}

function assertRows(rows: unknown): void {
  const iterable = Object(rows) as Partial<Record<symbol, unknown>>;
  if (typeof rows === "string" || !(iterable[Symbol.asyncIterator] || iterable[Symbol.iterator])) {
    const message = "`rows` must be a list or an async iterable of rows; `form-backend/import` reads files.";
    throw new ApiError("invalid_parameter", { param: "rows", message });
  }
}

async function formOf(core: Core, formId: string): Promise<Row<"forms">> {
  const form = await core.rows.cached("forms", formId);
  if (!form) throw new ApiError("form_not_found");
  if (form.value.storage.store_submissions) return form;
  throw new ApiError("invalid_parameter", {
    param: "storage.store_submissions",
    message: "`storage.store_submissions` is off, so the form stores no submissions; turn it on before an import.",
  });
}

function oldestKept(core: Core, form: Row<"forms">["value"]): string | null {
  const days = daysKept(form);
  return days === null ? null : iso(core.clock.now() - days * DAY_MS);
}

/** Stores the rows that are not stored yet, and returns them. Throws `StaleWriteError` if another import was faster. */
async function store(
  core: Core,
  form: Row<"forms">,
  batch: readonly ReadRow[],
  identity: Identity,
  { source, seen }: { readonly source: string; readonly seen: Set<string> | null },
): Promise<readonly ReadRow[]> {
  const named = batch.map((row) => ({ row, ids: identity(row) }));
  const there = await core.storage.get("submissions", [...new Set(named.flatMap(({ ids }) => ids))]);
  const fresh = new Map<string, ReadRow>();
  for (const { row, ids } of named) {
    const isKnown = ids.some((id) => there.get(id)?.value["form_id"] === form.id || fresh.has(id) || seen?.has(id));
    const id = isKnown ? undefined : ids.find((one) => !there.has(one));
    if (id !== undefined) fresh.set(id, row);
  }
  if (seen) {
    for (const id of fresh.keys()) if (seen.size < MAX_SEEN) seen.add(id);
    return [...fresh.values()];
  }
  const writes: Write[] = [];
  const records: SubmissionRecord[] = [];
  for (const [id, row] of fresh) {
    const record = await recordOf(core, form, id, row, source);
    records.push(record);
    writes.push(put("submissions", id, record, null));
  }
  if (writes.length === 0) return [];
  const room = await takeRoom(core, form.value.team_id, { stored: records.length, bytes: 0 });
  try {
    const tally = tallyOf(core, form.id, records, 1);
    await core.commitNow([...writes, ...tally, placesChanged(form.id, core.clock.now())]);
  } catch (error) {
    await room?.giveBack();
    throw error;
  }
  return [...fresh.values()];
}

async function recordOf(
  core: Core,
  form: Row<"forms">,
  id: string,
  { created_at, posted, spam, read, visitor }: ReadRow,
  source: string,
): Promise<SubmissionRecord> {
  const protecting = protectFields(core, form, id, posted.fields);
  const { clear: _, ...content } = protecting ? await protecting : { fields: posted.fields, clear: null };
  // It takes no place in a month, and needs one before somebody has it sent after all.
  const judged = { spam, verdict: [], over_quota: false, uncounted: true };
  const post = { form, posted, visitor, within: null };
  return { ...submissionOf(post, created_at, judged, content), read, imported_from: source };
}

function log({ options: { logger } }: Core, form_id: string, source: string, result: ImportResult): void {
  const { imported, skipped, failed, more_failed = 0, expiring = 0 } = result;
  const unread = failed.length + more_failed;
  const numbers = `${imported} imported, ${skipped} there already, ${unread} could not be read`;
  logger.info(`import "${source}" into form ${form_id}: ${numbers}`, {
    form_id,
    source,
    imported,
    skipped,
    failed: unread,
  });
  if (expiring === 0) return;
  logger.warn(
    `import "${source}" into form ${form_id}: ${expiring} of the imported submissions are older than the form keeps them (\`storage.keep_for\`), and the next sweep removes them`,
    { form_id, source, expiring },
  );
}
