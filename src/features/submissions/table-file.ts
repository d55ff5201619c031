import { z } from "zod";
import type { FileStream } from "../../lib/response.ts";
import { chunksOf, streamOf } from "../../lib/text-stream.ts";
import { aheadIn } from "../../lib/time-zone.ts";
import { type Cell, xlsxOf } from "../../lib/xlsx.ts";
import { csvLine, forReading, type MoreColumns, timeColumns } from "../../model/submission-csv.ts";

/**
 * A table for the spreadsheet of a person. `columns`: names of those to write, in this order; left out: all, the fields first.
 * `time_zone`: of times in a workbook; those of a CSV stay as programs read them. `name`: of the file, without its ending, and of
 * the sheet.
 */
export const TableFormat = z.strictObject({
  format: z.enum(["xlsx", "csv"]),
  columns: z.array(z.string()).max(16_384).optional(),
  time_zone: z.string(),
  separator: z.enum([",", ";"]),
  name: z.string(),
});
export type TableFormat = z.output<typeof TableFormat>;

/** Submissions as lines of cells, each made when it is written. */
export interface Table {
  readonly header: readonly string[];
  readonly more: MoreColumns;
  readonly rows: AsyncIterable<(() => string[])[]>;
}

/** A table as CSV, with the mark by which spreadsheets know its encoding. */
export async function* csvText({ header, rows }: Table, separator: "," | ";"): AsyncGenerator<string> {
  yield `\uFEFF${csvLine(header, separator)}`;
  for await (const page of rows) yield* chunksOf(page, (row) => csvLine(row(), separator));
}

/** A table as a file, read while it is sent. `done` is called once, at its end. */
export async function tableFile(
  table: Table,
  { format, columns, time_zone, separator, name }: TableFormat,
  done: () => void,
  signal: AbortSignal | undefined,
): Promise<FileStream> {
  const { header, more } = table;
  const chosen = columns?.flatMap((one) => [...header.keys()].filter((at) => header[at] === one));
  const places = chosen && chosen.length > 0 ? chosen : forReading(header);
  const picked = <T>(row: readonly T[]): T[] => places.map((at) => row[at] as T);
  if (format === "csv") {
    const rows = mapped(table.rows, (row) => () => picked(row()));
    const text = csvText({ header: picked(header), more, rows }, separator);
    return {
      stream: streamOf(text, done, signal),
      content_type: "text/csv; charset=utf-8; header=present",
      file_name: `${name}.csv`,
    };
  }
  const ahead = aheadIn(time_zone);
  const times = new Set(timeColumns(header.length, more));
  const cellOf = (text: string, at: number): Cell => {
    const time = times.has(at) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? text : { time: time + ahead(time) };
  };
  const rows = mapped(table.rows, (row) => () => picked(row().map(cellOf)));
  const sheet = { name, header: picked(header), rows, purpose: "an export for Excel" };
  return {
    stream: await xlsxOf(sheet, done),
    content_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    file_name: `${name}.xlsx`,
  };
}

async function* mapped<T, U>(pages: AsyncIterable<readonly T[]>, change: (row: T) => U): AsyncGenerator<U[]> {
  for await (const page of pages) yield page.map(change);
}
