import { at, listAt, type Request, ServiceError, textAt } from "./call.ts";
import { pausing } from "./faults.ts";
import { type Columns, cellsOf, columnsOf, lettersOf, missingIn, placed, placeOf } from "./sheet-columns.ts";
import type { Entry, Result } from "./types.ts";

/** A request about one spreadsheet; returns the answer's JSON, and throws `ServiceError` for any but a success. */
export type Api = (path: string, request?: Request) => Promise<Readonly<Record<string, unknown>>>;

/** The sheet that is meant: by name, by the number in the spreadsheet's address, or the first. */
interface Wanted {
  readonly sheet: string | undefined;
  readonly gid: number | null;
}

/** Google recommends 2 MB. One row may be longer, and then goes alone. */
const MAX_BYTES = 1_500_000;
const MAX_TRIES = 3;

/** A row by position; null leaves a cell alone. */
type Cells = readonly (string | null)[];

interface Tab {
  readonly id: number;
  readonly title: string;
  readonly columns: number;
}

/** The sheets that were found, for ten minutes. */
export type Tabs = Map<string, { readonly tab: Tab; readonly until: number }>;
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 1_000;

export interface Sheet extends Wanted {
  /** Of the spreadsheet and the sheet in it. */
  readonly key: string;
  readonly tabs: Tabs;
  readonly now: () => number;
}

/**
 * Writes rows: each once, under its headers. The headers are read first, so that a column that somebody has moved is followed; a
 * field without a column gets a new one at the end.
 */
export async function writeRows(api: Api, entries: readonly Entry[], sheet: Sheet): Promise<Result[]> {
  const results = new Map<Entry, Result>();
  const rows = fitting(entries);
  for (const entry of entries) if (!rows.has(entry)) results.set(entry, { end: "later" });
  const { tab, headers } = await opened(api, sheet);
  const columns = await withColumns(api, sheet, tab, [...rows.values()], headers);
  const sought = [...rows.keys()].some(({ again, update }) => again || update);
  const lines = sought ? await linesOf(api, tab, columns) : new Map<string, number>();
  // By id: a submission that was made and changed before this call is there twice, and gets one row.
  const fresh = new Map<string, Cells>();
  const changed = new Map<number, Cells>();
  for (const [entry, row] of rows) {
    const { cells, left } = placed(columns, row);
    const line = lines.get(entry.id);
    if (line === undefined) fresh.set(entry.id, cells);
    else if (entry.update) changed.set(line, cells);
    results.set(entry, { end: "delivered", ...(left.length > 0 && { message: leftOut(left) }) });
  }
  if (changed.size > 0) await rewriteAll(api, tab, changed);
  if (fresh.size > 0) await append(api, tab, [...fresh.values()]);
  return entries.map((entry) => results.get(entry) as Result);
}

/** The sheet and its headers. One that was renamed since it was found is looked for again. */
async function opened(api: Api, sheet: Sheet): Promise<{ tab: Tab; headers: string[] }> {
  const known = sheet.tabs.get(sheet.key);
  if (known && known.until > sheet.now()) {
    try {
      return { tab: known.tab, headers: await headersOf(api, known.tab) };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.fault.status !== 400) throw error;
    }
  }
  const tab = await tabOf(api, sheet);
  return { tab, headers: await headersOf(api, tab) };
}

const leftOut = (names: readonly string[]): string =>
  `Left out, because the sheet has no room for more columns: ${names.join(", ")}`;

/** The rows that go in one request. */
function fitting(entries: readonly Entry[]): Map<Entry, Map<string, string>> {
  const rows = new Map<Entry, Map<string, string>>();
  let bytes = 0;
  for (const entry of entries) {
    const row = cellsOf(entry);
    bytes += Buffer.byteLength(JSON.stringify([...row.values()]));
    if (bytes > MAX_BYTES && rows.size > 0) break;
    rows.set(entry, row);
  }
  return rows;
}

async function tabOf(api: Api, { sheet, gid, key, tabs: kept, now }: Sheet): Promise<Tab> {
  const fields = "sheets.properties(sheetId,title,index,sheetType,gridProperties(columnCount))";
  const json = await api(`?fields=${encodeURIComponent(fields)}`);
  const tabs = listAt(json, "sheets").map((one): Tab & { type: string } => ({
    id: Number(at(one, "properties", "sheetId") ?? 0),
    title: textAt(one, "properties", "title"),
    columns: Number(at(one, "properties", "gridProperties", "columnCount") ?? 26),
    type: textAt(one, "properties", "sheetType"),
  }));
  const grids = tabs.filter(({ type }) => type === "" || type === "GRID");
  const named = sheet?.trim().toLowerCase();
  const found =
    named !== undefined
      ? grids.find(({ title }) => title.trim().toLowerCase() === named)
      : // The first sheet of a new spreadsheet has the number 0, which people copy from everywhere.
        (grids.find(({ id }) => id === gid) ?? (gid === null || gid === 0 ? grids[0] : undefined));
  if (kept.size >= MAX_KEPT) kept.clear();
  if (found) {
    kept.set(key, { tab: found, until: now() + KEPT_MS });
    return found;
  }
  throw pausing(400, "google_no_sheet", sheet ?? (gid === null ? "" : `gid=${gid}`));
}

/** A range of a sheet in Google's notation. */
const rangeOf = ({ title }: Tab, cells: string): string => `'${title.replaceAll("'", "''")}'!${cells}`;

/** The same as a part of the path. */
const range = (tab: Tab, cells: string): string => `/values/${encodeURIComponent(rangeOf(tab, cells))}`;

async function headersOf(api: Api, tab: Tab): Promise<string[]> {
  const json = await api(range(tab, "1:1"));
  return listAt(json, "values", 0).map(String);
}

/**
 * The columns, with new ones for what the rows have and the sheet lacks. They are read again after that: another process may have
 * written headers to the same place.
 */
async function withColumns(
  api: Api,
  sheet: Sheet,
  tab: Tab,
  rows: readonly ReadonlyMap<string, string>[],
  headers: readonly string[],
): Promise<Columns> {
  let columns = columnsOf(headers);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const missing = missingIn(columns, rows);
    if (missing.length === 0) break;
    const from = columns.headers.length;
    const wanted = from + missing.length;
    // Asked anew: somebody may have deleted a column since the sheet was found.
    const { id: sheetId, columns: room } = await tabOf(api, sheet);
    if (wanted > room) {
      const appendDimension = { sheetId, dimension: "COLUMNS", length: wanted - room };
      await api(":batchUpdate", { json: { requests: [{ appendDimension }] } });
    }
    await put(api, tab, `${lettersOf(from)}1:${lettersOf(wanted - 1)}1`, [missing]);
    columns = columnsOf(await headersOf(api, tab));
  }
  return columns;
}

/** The lines of the submissions that the sheet has, by id. */
async function linesOf(api: Api, tab: Tab, columns: Columns): Promise<Map<string, number>> {
  const letters = lettersOf(columns.at("submission_id") ?? 0);
  const json = await api(`${range(tab, `${letters}2:${letters}`)}?majorDimension=COLUMNS`);
  return new Map(listAt(json, "values", 0).map((id, line) => [String(id), line + 2]));
}

async function append(api: Api, tab: Tab, values: readonly Cells[]): Promise<void> {
  const path = `${range(tab, "A1")}:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS`;
  const json = await api(path, { method: "POST", json: { majorDimension: "ROWS", values } });
  const written = /!\$?([A-Z]+)\$?(\d+)/.exec(textAt(json, "updates", "updatedRange"));
  const shift = written ? placeOf(written[1] as string) : 0;
  // Google begins at the first column of what it takes for the table: one that is empty before it would move all values.
  if (shift > 0)
    await rewrite(
      api,
      tab,
      Number(written?.[2]),
      values.map((row) => spread(row, shift)),
    );
}

/** A row that covers what was written `shift` columns too far to the right. */
const spread = (row: Cells, shift: number): string[] =>
  [...row, ...Array.from({ length: shift }, () => "")].map((cell) => cell ?? "");

/** The cells of whole rows from a line on. */
const linesFrom = (line: number, values: readonly Cells[]): string =>
  `A${line}:${lettersOf((values[0]?.length ?? 1) - 1)}${line + values.length - 1}`;

const rewrite = (api: Api, tab: Tab, line: number, values: readonly Cells[]): Promise<unknown> =>
  put(api, tab, linesFrom(line, values), values);

/** Rewrites lines anywhere in one request: Google takes 60 a minute, and a bulk action changes a hundred. */
const rewriteAll = (api: Api, tab: Tab, lines: ReadonlyMap<number, Cells>): Promise<unknown> => {
  const data = [...lines].map(([line, cells]) => ({
    range: rangeOf(tab, linesFrom(line, [cells])),
    majorDimension: "ROWS",
    values: [cells],
  }));
  return api("/values:batchUpdate", { json: { valueInputOption: "RAW", data } });
};

const put = (api: Api, tab: Tab, cells: string, values: readonly Cells[]): Promise<unknown> =>
  api(`${range(tab, cells)}?valueInputOption=RAW`, { method: "PUT", json: { majorDimension: "ROWS", values } });
