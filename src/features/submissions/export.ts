import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row as RowOf } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import type { FileStream } from "../../lib/response.ts";
import { chunksOf, streamOf } from "../../lib/text-stream.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import type { Restriction } from "../../model/restriction.ts";
import {
  type ExportedSubmission,
  fixedColumns,
  type MoreColumns,
  sourceColumn,
  toCells,
} from "../../model/submission-csv.ts";
import type { SubmissionExportQuery } from "../../model/submission-queries.ts";
import { workOf } from "../../model/work.ts";
import { assertKeyLives } from "../keys/service.ts";
import { namesFor, seenBy } from "../privacy/shown.ts";
import { assertPeople, notesOf } from "./notes.ts";
import { assertSearchable } from "./protected-fields.ts";
import { partitionOf, selectionOf } from "./query.ts";
import { returnSnoozedOf } from "./snooze.ts";
import { csvText, type Table, type TableFormat, tableFile } from "./table-file.ts";
import { toSubmission } from "./view.ts";
import { readerFor } from "./work-reader.ts";

/** The limit of a spreadsheet, and of the memory for names. */
const MAX_COLUMNS = 16_384;

const types = {
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
} as const;

type Row = RowOf<"submissions">;

export interface ExportOptions {
  /** Ends the stream like a cancel. */
  readonly signal?: AbortSignal | undefined;
  /** Changes values of a submission before it is written, and no names. */
  readonly alter?: (record: Row["value"]) => Row["value"];
  /** Ids of submissions: these are written, whatever the filter is. */
  readonly only?: readonly string[] | undefined;
  /** A table for a spreadsheet, in place of the format of the query. */
  readonly as?: TableFormat | undefined;
}

/**
 * All matching submissions of a form that the caller reaches, as a stream that reads the store only as fast as it is read
 * itself. Throws `invalid_parameter`, `scan_concurrency`; if the store fails later, or the caller's key is revoked, the stream
 * errors.
 */
export async function exportSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionExportQuery,
  { signal, alter = (record) => record, only, as }: ExportOptions = {},
): Promise<FileStream> {
  if (query.state !== undefined) await returnSnoozedOf(core, caller, formId);
  if (query.notes) assertPeople(caller);
  const selection = selectionOf(query, caller);
  await assertSearchable(core, caller, [formId], selection);
  // Null for a deleted form; its export contains only unencrypted values.
  const form = (await core.rows.cached("forms", formId))?.value ?? null;
  const release = takeScan(core, caller, selection.filtered ? "filtered" : "long");
  try {
    const { collection, where } = selection;
    const through = readerFor(readerOf(core, caller), selection);
    const run = { ...partitionOf("form", formId, selection), where, order: query.order, through };
    const walk = () =>
      whileKeyLives(core, caller, only ? chosen(core, formId, only, query.order) : core.rows.walk(collection, run));
    const pages = () => shownPages(core, form, walk(), caller, alter);
    const more: MoreColumns = { work: query.include === "work", notes: query.notes === true };
    const written = () => writtenPages(core, pages(), more);
    if (as) {
      const names = await fieldNames(form, walk(), caller, signal);
      return await tableFile(tableOf(written(), names, more), as, release, signal);
    }
    const text =
      query.format === "csv"
        ? csvText(tableOf(written(), await fieldNames(form, walk(), caller, signal), more), ",")
        : query.format === "json"
          ? jsonArray(written())
          : jsonLines(written());
    return {
      stream: streamOf(text, release, signal),
      content_type: types[query.format],
      file_name: `submissions-${formId}-${iso(core.clock.now()).slice(0, 10)}.${query.format}`,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** The submissions of these ids that the form has, in the order of an export. */
async function* chosen(
  core: Core,
  formId: string,
  ids: readonly string[],
  order: SubmissionExportQuery["order"],
): AsyncGenerator<Row[]> {
  const rows = [...(await core.rows.many("submissions", ids)).values()].filter(({ value }) => value.form_id === formId);
  rows.sort((a, b) => (a.value.created_at < b.value.created_at ? -1 : 1));
  yield order === "desc" ? rows.reverse() : rows;
}

/** The pages until the caller's key is revoked or expired, which throws `invalid_key`: a long export must not outlive its key. */
async function* whileKeyLives(core: Core, caller: Caller, pages: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  for await (const rows of pages) {
    await assertKeyLives(core, caller);
    yield rows;
  }
}

/** Submissions as an export may have them. */
async function* shownPages(
  core: Core,
  form: FormRecord | null,
  pages: AsyncIterable<Row[]>,
  caller: Restriction,
  alter: (record: Row["value"]) => Row["value"],
): AsyncGenerator<Row[]> {
  for await (const rows of pages) {
    const shown: Row[] = [];
    for (const { id, value, version } of rows) {
      shown.push({ id, version, value: alter(await seenBy(core, form, id, value, "export", caller)) });
    }
    yield shown;
  }
}

/** The first of the two passes of a CSV, because the header names every column before the first row. */
async function fieldNames(
  form: FormRecord | null,
  pages: AsyncIterable<Row[]>,
  caller: Restriction,
  signal: AbortSignal | undefined,
): Promise<Map<string, number>> {
  const names = new Map<string, number>();
  const sources = new Set<string>();
  for await (const rows of pages) {
    // Nobody is listening any more: the stream that follows ends by the same signal.
    if (signal?.aborted) break;
    for (const { value } of rows) {
      for (const key of namesFor(form, value, "export", caller)) if (!names.has(key)) names.set(key, names.size);
      for (const { key } of value.source ?? []) sources.add(sourceColumn(key));
    }
    if (names.size + sources.size + fixedColumns > MAX_COLUMNS) {
      throw new ApiError("invalid_parameter", {
        param: "format",
        message: `\`format\`: these submissions have more field names than a table can have columns; export them as ndjson.`,
      });
    }
  }
  for (const column of sources) names.set(column, names.size);
  return names;
}

/** Submissions as an export writes them, with what it has beyond them. */
async function* writtenPages(
  core: Core,
  pages: AsyncIterable<Row[]>,
  { work, notes }: MoreColumns,
): AsyncGenerator<Entry[]> {
  for await (const rows of pages) {
    const noted = notes ? await notesOf(core, rows) : null;
    // Made when it is written: a page has hundreds of them.
    yield rows.map(({ id, value }) => ({
      value,
      made: () => ({
        ...toSubmission(core, id, value),
        ...(work && { work: workOf(value) }),
        ...(noted && { notes: noted.get(id) ?? [] }),
      }),
    }));
  }
}

interface Entry {
  readonly value: Row["value"];
  readonly made: () => ExportedSubmission;
}

/** The submissions as a table. */
const tableOf = (pages: AsyncIterable<Entry[]>, names: Map<string, number>, more: MoreColumns): Table => ({
  header: toCells.header(names, more),
  more,
  rows: tableRows(pages, names, more),
});

async function* tableRows(
  pages: AsyncIterable<Entry[]>,
  names: Map<string, number>,
  more: MoreColumns,
): AsyncGenerator<(() => string[])[]> {
  for await (const rows of pages) {
    // A submission from after the first pass may have a field without a column; it belongs to the next export.
    const known = rows.filter(
      ({ value: { fields, source = [] } }) =>
        fields.every(({ key }) => names.has(key)) && source.every(({ key }) => names.has(sourceColumn(key))),
    );
    yield known.map(
      ({ made }) =>
        () =>
          toCells.row(made(), names, more),
    );
  }
}

async function* jsonArray(pages: AsyncIterable<Entry[]>): AsyncGenerator<string> {
  let before = "[";
  for await (const rows of pages) {
    yield* chunksOf(rows, ({ made }) => {
      const text = before + JSON.stringify(made());
      before = ",\n";
      return text;
    });
  }
  yield before === "[" ? "[]\n" : "]\n";
}

async function* jsonLines(pages: AsyncIterable<Entry[]>): AsyncGenerator<string> {
  for await (const rows of pages) {
    yield* chunksOf(rows, ({ made }) => `${JSON.stringify(made())}\n`);
  }
}
