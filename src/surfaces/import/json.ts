import type { ImportRow, UnreadableRow } from "../../model/import.ts";
import { chunksOf, type ImportFile, linesOf } from "./file.ts";
import { keptOf } from "./own-kept.ts";
import { sourceFields } from "./own-source.ts";

const MAX_LINE = 16 * 1024 * 1024;
const MAX_WHOLE = 256 * 1024 * 1024;

/** Options of `jsonRows`. */
export interface JsonOptions {
  /** The folder of an unpacked export of a team: the files come along. */
  readonly folder?: string | undefined;
}

/**
 * Reads an export of this library in JSON or NDJSON as rows for `backend.submissions.import`, a line at a time. Of an export of a team
 * the work, notes, messages and the trash come along, and with `folder` the files; links to the files of another export expire. A
 * line that is no submission is reported as a row that can't be read.
 *
 * @throws `Error` for a line of more than 16 MB
 */
export async function* jsonRows(
  file: ImportFile,
  { folder }: JsonOptions = {},
): AsyncGenerator<ImportRow | UnreadableRow, void> {
  let line = 0;
  for await (const text of linesOf(file, MAX_LINE)) {
    line++;
    // Our JSON is an array with a submission on each line.
    const one = text.slice(0, endOf(text)).replace(/^[\uFEFF[\s]+/, "");
    if (one === "") continue;
    yield ownRow(one, line, folder);
  }
}

const AFTER_ROW = /[\],\s]/;

/**
 * The index at which the row ends. Read backwards, because an expression with `$` takes quadratic time for a long run of spaces within
 * a value.
 */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && AFTER_ROW.test(text.charAt(end - 1))) end--;
  return end;
}

type OwnRow = ImportRow & { readonly id: string; readonly source?: object };

function ownRow(text: string, line: number, folder: string | undefined): ImportRow | UnreadableRow {
  const parsed = parsedJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return { unreadable: "The line is no JSON object with a submission.", line };
  }
  const { id, created_at, fields: sent, source, spam, read, ip, country, user_agent, referer } = parsed as OwnRow;
  const fields = Array.isArray(sent) && source ? [...sent, ...sourceFields(source)] : sent;
  const row = { created_at, fields, source_id: id, spam, read, ip, country, user_agent, referer, line };
  return { ...row, ...keptOf(parsed, folder) };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads Formspree's JSON export, `{ submissions: […] }`, as rows for `backend.submissions.import`. The file is read as a whole.
 *
 * @throws `Error` if it is no such file, or larger than 256 MB: export it as CSV then
 */
export async function* formspreeJsonRows(file: ImportFile): AsyncGenerator<ImportRow, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(file)) {
    text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MAX_WHOLE)
      throw fault("the file is larger than 256 MB; export it as CSV, which is read line by line");
  }
  const whole = parsedJson(text + decoder.decode()) as { submissions?: unknown } | unknown[] | undefined;
  const list = Array.isArray(whole) ? whole : whole?.submissions;
  if (!Array.isArray(list)) throw fault("the file is no JSON export of Formspree: it has no list `submissions`");
  for (const item of list) yield formspreeRow(item);
}

/** A submission as Formspree's files and API have it: its own members beside the fields. `_status` is about its mails. */
export function formspreeRow(item: Readonly<Record<string, unknown>>, spam = false): ImportRow {
  const { id, _id, _date, _status, ...rest } = Object(item) as Record<string, unknown>;
  const { date, ...others } = rest;
  // Beside `_date`, `date` is a field of the form.
  const fields = _date === undefined ? others : rest;
  return { created_at: String(_date ?? date ?? ""), fields, source_id: textOf(_id ?? id), spam };
}

/** An id as text; null if there is none. */
export const textOf = (id: unknown): string | null =>
  typeof id === "string" || typeof id === "number" ? String(id) : null;

const fault = (what: string): Error => new Error(`[form-backend] json: ${what}.`);
