import { cut } from "../formats/text.ts";
import type { Entry } from "./types.ts";

/** A cell takes no more characters. */
const MAX_CELL = 50_000;
/** Columns that fields may make: a visitor who makes up names must not fill the sheet. */
const MAX_COLUMNS = 1_000;

/** The columns of a sheet by their headers. */
export interface Columns {
  /** The headers as they are, by position. */
  readonly headers: readonly string[];
  /** The position of a header, letter case and surrounding spaces ignored; undefined where there is none. */
  at(name: string): number | undefined;
}

/** A header without what makes no difference. */
export const normal = (name: string): string => name.normalize("NFC").trim().toLowerCase();

export function columnsOf(headers: readonly string[]): Columns {
  const places = new Map<string, number>();
  for (const [place, header] of headers.entries()) {
    const name = normal(header);
    if (name !== "" && !places.has(name)) places.set(name, place);
  }
  return { headers, at: (name) => places.get(normal(name)) };
}

/** The values of a row by their headers. The first two are ours, whatever fields a visitor sends. */
export function cellsOf({ id, created_at, values }: Entry, most = MAX_CELL): Map<string, string> {
  const cells = new Map([
    ["submission_id", id],
    ["created_at", created_at],
  ]);
  const own = new Set(cells.keys());
  const named = new Map<string, string>();
  for (const [field, value] of Object.entries(values)) {
    const name = normal(field);
    if (name === "" || own.has(name)) continue;
    const text = typeof value === "string" ? value : value.join(", ");
    // Two fields whose names are one header share its cell.
    const first = named.get(name);
    if (first !== undefined) cells.set(first, `${cells.get(first)}, ${text}`);
    else {
      named.set(name, field);
      cells.set(field, text);
    }
  }
  return new Map([...cells].map(([name, text]) => [headerOf(name), cellOf(text, most)]));
}

/** A header of one line. */
const headerOf = (name: string): string => cut(name.toWellFormed().replace(/\s+/g, " ").trim(), 1_000);

const cellOf = (text: string, most: number): string => cut(text.toWellFormed().replaceAll("\0", ""), most);

/** The headers that the rows need and the sheet lacks, in order, as far as it may have more. */
export function missingIn(columns: Columns, rows: readonly ReadonlyMap<string, string>[]): string[] {
  const missing = new Map<string, string>();
  for (const row of rows)
    for (const name of row.keys())
      if (columns.at(name) === undefined && !missing.has(normal(name))) missing.set(normal(name), name);
  const [ours, others] = [["submission_id", "created_at"], [...missing.values()]];
  const first = others.filter((name) => ours.includes(name));
  const room = Math.max(0, MAX_COLUMNS - columns.headers.length - first.length);
  return [...first, ...others.filter((name) => !ours.includes(name)).slice(0, room)];
}

/** A row by position: null where a column is another's, which leaves its cell alone. `left` are the names without a column. */
export function placed(
  columns: Columns,
  row: ReadonlyMap<string, string>,
): { readonly cells: (string | null)[]; readonly left: readonly string[] } {
  const cells: (string | null)[] = Array.from({ length: columns.headers.length }, () => null);
  const left: string[] = [];
  for (const [name, text] of row) {
    const place = columns.at(name);
    if (place === undefined) left.push(name);
    else cells[place] = text;
  }
  return { cells, left };
}

/** The letters of a column, from 0: `A`, `Z`, `AA`. */
export function lettersOf(place: number): string {
  let letters = "";
  for (let rest = place + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

/** The position of a column by its letters. */
export const placeOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
