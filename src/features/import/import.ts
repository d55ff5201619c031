import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { type Row, retrying } from "../../core/rows.ts";
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
import { placesChanged } from "../forms/places.ts";
import { daysKept } from "../forms/retention-mark.ts";
import { takeRoom } from "../teams/stock.ts";
import { RowFault } from "./fault.ts";
import { type Identity, identityOf } from "./identity.ts";
import { closed, keeping, type Prepared, prepare } from "./record.ts";
import { type ReadRow, readRow } from "./row.ts";
import { tallyOf } from "./tally.ts";

/** Rows of one commit, and about their bytes: small, so that posts of visitors get in between. */
const BATCH = 250;
const BATCH_BYTES = 512 * 1024;
const MAX_FAILED = 1_000;
/** Rows whose files are stored at the same time. */
const SIDE_BY_SIDE = 16;
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
      return readRow(row as ImportRow, at, core.clock.now());
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      fail(at, (row as ImportRow | null)?.line, error.message);
      return null;
    }
  }

  function fail(at: number, line: unknown, message: string): void {
    const failure = { index: at, ...(typeof line === "number" && { line }), message };
    onFailed?.(failure);
    if (result.failed.length < MAX_FAILED) result.failed.push(failure);
    else result.more_failed = (result.more_failed ?? 0) + 1;
  }

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const form = await formOf(core, formId);
    const { stored, refused } = await retrying(() => store(core, form, batch, identity, { source, seen }));
    for (const { row, message } of refused) fail(row.index, row.line, message);
    result.imported += stored.length;
    result.skipped += batch.length - stored.length - refused.length;
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

/** The result of a batch: the rows that were stored, and those whose files were refused. */
interface Outcome {
  readonly stored: readonly ReadRow[];
  readonly refused: readonly { readonly row: ReadRow; readonly message: string }[];
}

/** Stores the rows that are not stored yet. Throws `StaleWriteError` if another import was faster. */
async function store(
  core: Core,
  form: Row<"forms">,
  batch: readonly ReadRow[],
  identity: Identity,
  { source, seen }: { readonly source: string; readonly seen: Set<string> | null },
): Promise<Outcome> {
  const named = batch.map((row) => ({ row, ids: identity(row) }));
  const ids = [...new Set(named.flatMap((one) => one.ids))];
  const [stored, trashed] = await Promise.all([
    core.storage.get("submissions", ids),
    core.storage.get("trashed_submissions", ids),
  ]);
  const there = new Map([...trashed, ...stored]);
  const fresh = new Map<string, ReadRow>();
  for (const { row, ids } of named) {
    const isKnown = ids.some((id) => there.get(id)?.value["form_id"] === form.id || fresh.has(id) || seen?.has(id));
    const id = isKnown ? undefined : ids.find((one) => !there.has(one));
    if (id !== undefined) fresh.set(id, row);
  }
  if (seen) {
    for (const id of fresh.keys()) if (seen.size < MAX_SEEN) seen.add(id);
    return { stored: [...fresh.values()], refused: [] };
  }
  const prepared: Prepared[] = [];
  const refused: Outcome["refused"][number][] = [];
  try {
    const all = [...fresh];
    for (let at = 0; at < all.length; at += SIDE_BY_SIDE) {
      const some = all.slice(at, at + SIDE_BY_SIDE);
      const made = await Promise.allSettled(some.map(([id, row]) => prepare(core, form, id, row, source)));
      for (const [n, one] of made.entries()) {
        if (one.status === "fulfilled") prepared.push(one.value);
        else if (one.reason instanceof RowFault)
          refused.push({ row: some[n]?.[1] as ReadRow, message: one.reason.message });
      }
      const fault = made.find((one) => one.status === "rejected" && !(one.reason instanceof RowFault));
      if (fault?.status === "rejected") throw fault.reason;
    }
    if (prepared.length > 0) await commit(core, form, prepared);
  } finally {
    await closed(prepared.flatMap(({ uploads }) => uploads));
  }
  return { stored: prepared.map(({ row }) => row), refused };
}

async function commit(core: Core, form: Row<"forms">, prepared: readonly Prepared[]): Promise<void> {
  const records = prepared.map(({ record }) => record);
  const bytes = records.flatMap(({ attachments }) => attachments).reduce((sum, { size }) => sum + size, 0);
  const room = await takeRoom(core, form.value.team_id, { stored: records.length, bytes });
  try {
    const writes = prepared.flatMap((one) => one.writes);
    const tally = [...tallyOf(core, form.id, records, 1), placesChanged(form.id, core.clock.now())];
    await keeping(
      prepared.flatMap(({ uploads }) => uploads),
      () => core.commitNow([...writes, ...tally]),
    );
  } catch (error) {
    await room?.giveBack();
    throw error;
  }
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
