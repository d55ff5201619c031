import { pipeline, Readable } from "node:stream";
import { parse } from "csv-parse";
import { type DateFormat, readDate } from "../../lib/read-date.ts";
import { type ImportRow, MAX_COLUMNS, type UnreadableRow } from "../../model/import.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { chunksOf, type ImportFile } from "./file.ts";
import { ownCsv } from "./own-csv.ts";
import { type ColumnNames, type CsvColumn, type CsvPreset, csvPresets, folded } from "./presets.ts";

/** The way to read a CSV file. */
export interface CsvOptions {
  /** The service that exported the file. Default: `created_at` and `source_id` are looked for under the names that services use. */
  preset?: CsvPreset | undefined;
  /** Names of columns that are no fields; they win over those of the preset. */
  columns?: Partial<Record<CsvColumn, string>> | undefined;
  /** Fields to store under another name; null leaves a column out. */
  rename?: Readonly<Record<string, string | null>> | undefined;
  /** Default `iso`, which takes month names too. A function reads any other text, and returns null for what is no time. */
  date_format?: DateFormat | ((text: string) => Date | null) | undefined;
  /** IANA time zone of times that name none. Default `UTC`. */
  time_zone?: string | undefined;
  /** Text between several values in one cell, such as `|`. Default: a cell is one value. */
  separator?: string | undefined;
  /** The sign between cells. Default: comma, semicolon or tab, whichever the header has most of. */
  delimiter?: string | undefined;
}

/** A record longer than this has a quote that nobody closed. */
const MAX_RECORD = 4 * 1024 * 1024;

/** A record from the parser; `info` is missing if the record has no end. */
interface Parsed {
  readonly record: readonly string[];
  readonly info?: { readonly lines: number };
}
const torn: Parsed = { record: [] };

type ToRow = (cells: readonly string[], line: number) => ImportRow | UnreadableRow;

/**
 * Reads a CSV file as rows for `backend.submissions.import`, with as little memory as a line needs. The first line names the
 * columns. Empty cells are left out. A line with more cells than the header is reported as a row that can't be read.
 *
 * @throws `Error` for a header without a time, with more than 1,000 columns, or a quote that is never closed
 * @example
 * for await (const row of csvRows(createReadStream("old.csv"), { columns: { created_at: "Sent on" }, date_format: "dmy" })) …
 */
export async function* csvRows(
  file: ImportFile,
  options: CsvPreset | CsvOptions = {},
): AsyncGenerator<ImportRow | UnreadableRow, void> {
  const asked = typeof options === "string" ? { preset: options } : options;
  if (asked.preset !== undefined && asked.preset !== "form-backend" && !Object.hasOwn(csvPresets, asked.preset)) {
    const names = ["form-backend", ...Object.keys(csvPresets)].join(", ");
    throw fault(`there is no preset "${asked.preset}"; there are ${names}, and for other files the option \`columns\``);
  }
  let isTorn = false;
  const { head, chunks } = await peeked(chunksOf(file), () => isTorn);
  const parser = parse({
    bom: true,
    delimiter: asked.delimiter ?? delimiterOf(head),
    info: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    // As the last record, behind those before it: an error would take away what nobody has read yet.
    on_skip: () => {
      if (!isTorn) parser.push(torn);
      isTorn = true;
      return undefined;
    },
  });
  // An error of the file ends the parser, whose loop below throws it.
  pipeline(Readable.from(chunks), parser, () => {});
  let toRow: ToRow | null = null;
  let line = 1;
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    if (!info) throw fault(`a quote is opened in the record that begins in line ${line}, and never closed`);
    const from = line;
    line = info.lines + 1;
    if (toRow === null) toRow = readerFor(record, asked);
    else yield toRow(record, from);
  }
  if (toRow === null) throw fault("the file is empty");
}

function readerFor(header: readonly string[], options: CsvOptions): ToRow {
  if (header.length > MAX_COLUMNS) {
    throw fault(`the header has ${header.length} columns, and an import takes at most ${MAX_COLUMNS}`);
  }
  const own = options.preset === undefined || options.preset === "form-backend" ? ownCsv(header) : null;
  const isMapped = Object.values(options.columns ?? {}).some((name) => name !== undefined);
  const reader = own && !isMapped ? own : mapped(header, options);
  return (cells, line) =>
    cells.length > header.length
      ? { unreadable: `The line has ${cells.length} cells, and the header has ${header.length}.`, line }
      : reader(cells, line);
}

function mapped(header: readonly string[], options: CsvOptions): ToRow {
  const { preset, rename = {}, date_format = "iso", time_zone = "UTC", separator } = options;
  if (preset === "form-backend") throw fault("the header is not that of an export of this library");
  const places = placesOf(header, csvPresets[preset ?? "web3forms"], options.columns ?? {});
  const taken = new Set(places.values());
  const names = header.map((name, at) => {
    if (taken.has(at)) return null;
    const given = name.trim() === "" ? `column ${at + 1}` : name.trim();
    const renamed = Object.hasOwn(rename, given) ? rename[given] : given;
    return renamed ?? null;
  });
  const at = (cells: readonly string[], column: CsvColumn): string | undefined => {
    const place = places.get(column);
    return place === undefined ? undefined : cells[place]?.trim();
  };
  return (cells, line) => {
    const fields: SubmissionField[] = [];
    for (const [index, key] of names.entries()) {
      const cell = cells[index] ?? "";
      if (key === null || cell === "") continue;
      for (const value of separator ? cell.split(separator) : [cell]) fields.push({ key, value });
    }
    return {
      created_at: timeOf(at(cells, "created_at") ?? "", date_format, time_zone),
      fields,
      source_id: at(cells, "source_id"),
      spam: isTrue(at(cells, "spam")),
      read: isTrue(at(cells, "read")),
      ip: at(cells, "ip"),
      country: at(cells, "country"),
      user_agent: at(cells, "user_agent"),
      referer: at(cells, "referer"),
      line,
    };
  };
}

/** The place of each column that is no field. A name that comes twice means its first column. */
function placesOf(
  header: readonly string[],
  known: ColumnNames,
  asked: Partial<Record<CsvColumn, string>>,
): Map<CsvColumn, number> {
  const places = new Map<CsvColumn, number>();
  for (const [column, name] of Object.entries(asked) as [CsvColumn, string | undefined][]) {
    if (name === undefined) continue;
    const place = header.findIndex((one) => one.trim() === name.trim());
    if (place < 0) throw fault(`\`columns.${column}\`: the header has no column "${name}"; it has ${listed(header)}`);
    places.set(column, place);
  }
  const plain = header.map(folded);
  for (const [column, names] of Object.entries(known) as [CsvColumn, readonly string[]][]) {
    if (places.has(column)) continue;
    const taken = new Set(places.values());
    const place = names.map((name) => plain.indexOf(name)).find((found) => found >= 0 && !taken.has(found));
    if (place !== undefined) places.set(column, place);
  }
  if (places.has("created_at")) return places;
  throw fault(
    `the header has no column with the time; name it with \`columns: { created_at: "…" }\`. It has ${listed(header)}`,
  );
}

const listed = (header: readonly string[]): string =>
  header
    .slice(0, 20)
    .map((name) => JSON.stringify(name.slice(0, 40)))
    .join(", ") + (header.length > 20 ? ", …" : "");

const isTrue = (text: string | undefined): boolean => /^(true|yes|1|spam|read|x)$/i.test(text ?? "");

/** Text that is no time stays as it is, and the import reports it with its row. */
function timeOf(text: string, format: NonNullable<CsvOptions["date_format"]>, time_zone: string): string | Date {
  if (typeof format === "function") return format(text) ?? text;
  const ms = readDate(text, format, time_zone);
  return ms === null ? text : new Date(ms);
}

/** The chunks until `isOver`, and the beginning of the first one. */
async function peeked(chunks: AsyncIterable<Uint8Array | string>, isOver: () => boolean) {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head = first.done
    ? ""
    : typeof first.value === "string"
      ? first.value
      : Buffer.from(first.value).toString("latin1");
  async function* all(): AsyncGenerator<Uint8Array | string> {
    if (!first.done) yield first.value;
    for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) {
      yield chunk;
      if (isOver()) return;
    }
  }
  return { head: head.slice(0, 65_536), chunks: all() };
}

function delimiterOf(head: string): string {
  const unquoted = head.replace(/"[^"]*"/g, "");
  const line = /^[^\r\n]*/.exec(unquoted)?.[0] ?? "";
  const counts = [",", ";", "\t"].map((sign) => ({ sign, count: line.split(sign).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).sign;
}

const fault = (what: string): Error => new Error(`[form-backend] csv: ${what}.`);
