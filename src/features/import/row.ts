import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { readDate } from "../../lib/read-date.ts";
import { type ImportRow, MAX_COLUMNS } from "../../model/import.ts";
import { addJson, collectFields, type Posted } from "../intake/fields.ts";
import { RowFault } from "./fault.ts";
import { type Kept, keptNames, keptOf, weightOf } from "./kept.ts";

const MAX_TEXT = 2_048;

/** A row that has been read, ready to be stored. */
export interface ReadRow {
  readonly created_at: string;
  readonly posted: Posted;
  readonly source_id: string | null;
  readonly spam: boolean;
  readonly read: boolean;
  readonly visitor: { ip: string | null; country: string | null; user_agent: string | null; referer: string | null };
  readonly kept: Kept | null;
  /** About the bytes that it takes. */
  readonly weight: number;
  /** Its place among the rows, and its line in the file. */
  readonly index: number;
  readonly line: number | undefined;
}

const known = new Set<string>([
  ..."created_at,fields,source_id,spam,read,ip,country,user_agent,referer,line,pending".split(","),
  ...keptNames,
]);

/** Reads a row of an import, the `index`th one, at the time `now`, in epoch ms. Throws `RowFault`. */
export function readRow(row: ImportRow, index: number, now: number): ReadRow {
  if (typeof row !== "object" || row === null) throw new RowFault("The row must be an object.");
  const unknown = Object.keys(row).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new RowFault(`\`${unknown}\` is unknown here; values of the form belong in \`fields\`.`);
  if (flag(row.pending, "pending"))
    throw new RowFault("It waits for its sender's confirmation, so it is not imported.");
  const posted = postedOf(row.fields);
  const kept = keptOf(row);
  const hasValue = posted.fields.some(({ value }) => value.trim() !== "");
  // A post may have a file and nothing else.
  if (!hasValue && !kept?.files.length) throw new RowFault("`fields` has no value.");
  return {
    created_at: timeOf(row.created_at, now),
    posted,
    source_id: text(row.source_id, "source_id"),
    spam: flag(row.spam, "spam"),
    read: flag(row.read, "read"),
    visitor: {
      ip: text(row.ip, "ip", 100),
      country: countryOf(row.country),
      user_agent: text(row.user_agent, "user_agent"),
      referer: text(row.referer, "referer"),
    },
    kept,
    weight: posted.fields.reduce((sum, { key, value }) => sum + key.length + value.length + 30, 400) + weightOf(kept),
    index,
    line: row.line,
  };
}

function postedOf(fields: unknown): Posted {
  if (typeof fields !== "object" || fields === null) throw new RowFault("`fields` must be an object or an array.");
  const collected = collectFields(MAX_COLUMNS);
  try {
    if (!Array.isArray(fields)) addJson(collected.add, fields);
    else for (const [at, entry] of fields.entries()) collected.add(...entryOf(entry, at));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new RowFault(error.message.replace("The form endpoint accepts", "`fields`: an import accepts"));
  }
  return collected.done();
}

function entryOf(entry: unknown, at: number): [string, string] {
  const { key, value } = (entry ?? {}) as { key?: unknown; value?: unknown };
  if (typeof key !== "string") throw new RowFault(`\`fields.${at}.key\` must be a string.`);
  if (value === null || value === undefined) return [key, ""];
  if (typeof value === "object") throw new RowFault(`\`fields.${at}.value\` must be a string.`);
  return [key, String(value)];
}

function timeOf(given: unknown, now: number): string {
  if (given === undefined || given === null || given === "") throw new RowFault("`created_at` is required.");
  const ms = given instanceof Date ? given.getTime() : typeof given === "string" ? readDate(given) : null;
  if (ms === null || Number.isNaN(ms)) {
    throw new RowFault(`\`created_at\` must be a time such as 2026-01-31T12:00:00Z, and is ${shown(given)}.`);
  }
  if (ms < 0) throw new RowFault(`\`created_at\` is before 1970: ${shown(given)}.`);
  // Clocks differ, and a time zone may be missing.
  if (ms > now + DAY_MS) throw new RowFault(`\`created_at\` is in the future: ${shown(given)}.`);
  return iso(ms);
}

const shown = (given: unknown): string => JSON.stringify(String(given).slice(0, 60));

function text(given: unknown, name: string, most = MAX_TEXT): string | null {
  if (given === undefined || given === null || given === "") return null;
  if (typeof given !== "string") throw new RowFault(`\`${name}\` must be a string.`);
  return given.slice(0, most).replaceAll("\0", "\uFFFD").toWellFormed();
}

function flag(given: unknown, name: string): boolean {
  if (given === undefined || given === null) return false;
  if (typeof given !== "boolean") throw new RowFault(`\`${name}\` must be true or false.`);
  return given;
}

function countryOf(given: unknown): string | null {
  const code = text(given, "country")?.trim().toUpperCase() ?? null;
  if (code === null || /^[A-Z]{2}$/.test(code)) return code;
  throw new RowFault(`\`country\` must be a code of two letters, such as DE, and is ${shown(given)}.`);
}
