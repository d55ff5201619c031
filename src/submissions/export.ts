import type { Core } from "../core.ts";
import type { Position, Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { Caller } from "../keys/schema.ts";
import { iso } from "../lib/clock.ts";
import { reachSubmissions } from "./access.ts";
import { csvLine, fixedColumns, toCells } from "./csv.ts";
import { partitionOf, type Selection, selectionOf } from "./query.ts";
import { takeScan } from "./scans.ts";
import type { SubmissionExportQuery, SubmissionRecord } from "./schema.ts";
import { toSubmission } from "./view.ts";

/** Characters that a page of rows should hold: a submission may hold a million, or a dozen. */
const PAGE_WEIGHT = 256 * 1024;
const FIRST_PAGE = 25;
const MAX_PAGE = 500;
/** What a spreadsheet can hold, and a bound for what names can take of our memory. */
const MAX_COLUMNS = 16_384;

const types = {
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
} as const;

export interface Export {
  readonly stream: ReadableStream<Uint8Array>;
  readonly content_type: string;
  readonly file_name: string;
}

type Row = Stored<SubmissionRecord>;

/**
 * All submissions that match, as a stream that reads the store only as fast as it is read itself. `signal` ends it like a
 * cancel. Throws `invalid_parameter`, `scan_concurrency` and what `reachForm` throws; a store that fails later errors the stream.
 */
export async function exportSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionExportQuery,
  signal?: AbortSignal,
): Promise<Export> {
  await reachSubmissions(core, caller, formId);
  const selection = selectionOf(query);
  const release = takeScan(core, caller, selection.filtered);
  try {
    const pages = () => pagesOf(core, formId, selection, query.order);
    const text =
      query.format === "csv"
        ? csv(core, pages(), await fieldNames(pages(), signal))
        : query.format === "json"
          ? jsonArray(core, pages())
          : jsonLines(core, pages());
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

async function* pagesOf(
  core: Core,
  formId: string,
  { spam, where }: Selection,
  order: "asc" | "desc",
): AsyncGenerator<Row[]> {
  let limit = FIRST_PAGE;
  for (let after: Position | undefined; ; ) {
    const query = { ...partitionOf("form", formId, spam), where, after, order, limit };
    const rows = (await core.storage.page("submissions", query)) as unknown as Row[];
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (rows.length < limit || !last) return;
    after = { sort: last.value.created_at, id: last.id };
    const average = rows.reduce((sum, { value }) => sum + weigh(value), 0) / rows.length;
    limit = Math.min(MAX_PAGE, Math.max(1, Math.floor(PAGE_WEIGHT / average)));
  }
}

const weigh = ({ fields }: SubmissionRecord): number =>
  fields.reduce((sum, { key, value }) => sum + key.length + value.length, 200);

/** The first of the two passes of a CSV, whose header names every column before the first row. */
async function fieldNames(pages: AsyncIterable<Row[]>, signal: AbortSignal | undefined): Promise<Map<string, number>> {
  const names = new Map<string, number>();
  for await (const rows of pages) {
    // Nobody is left to be told: the stream that follows ends by the same signal.
    if (signal?.aborted) break;
    for (const { value } of rows) {
      for (const { key } of value.fields) if (!names.has(key)) names.set(key, names.size);
    }
    if (names.size + fixedColumns > MAX_COLUMNS) {
      throw new ApiError("invalid_parameter", {
        param: "format",
        message: `\`format\`: these submissions have more field names than a table can have columns; export them as ndjson.`,
      });
    }
  }
  return names;
}

async function* csv(core: Core, pages: AsyncIterable<Row[]>, names: Map<string, number>): AsyncGenerator<string> {
  yield `\uFEFF${csvLine(toCells.header(names))}`;
  for await (const rows of pages) {
    yield rows
      // What came after the first pass may have a field without a column; it belongs to the next export.
      .filter(({ value }) => value.fields.every(({ key }) => names.has(key)))
      .map(({ id, value }) => csvLine(toCells.row(toSubmission(core, id, value), names)))
      .join("");
  }
}

async function* jsonArray(core: Core, pages: AsyncIterable<Row[]>): AsyncGenerator<string> {
  let before = "[";
  for await (const rows of pages) {
    yield before + rows.map(({ id, value }) => JSON.stringify(toSubmission(core, id, value))).join(",\n");
    before = ",\n";
  }
  yield before === "[" ? "[]\n" : "]\n";
}

async function* jsonLines(core: Core, pages: AsyncIterable<Row[]>): AsyncGenerator<string> {
  for await (const rows of pages) {
    yield rows.map(({ id, value }) => `${JSON.stringify(toSubmission(core, id, value))}\n`).join("");
  }
}

/** `done` is called once the stream has ended, failed or been given up, whichever is first. */
function streamOf(
  chunks: AsyncGenerator<string>,
  done: () => void,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const end = (): void => {
    signal?.removeEventListener("abort", end);
    done();
  };
  if (signal?.aborted) done();
  else signal?.addEventListener("abort", end);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal?.throwIfAborted();
          // A chunk without bytes is not an answer to a pull.
          let next = await chunks.next();
          while (!next.done && next.value === "") next = await chunks.next();
          if (!next.done) return controller.enqueue(encoder.encode(next.value));
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel() {
        end();
        void chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
