import type { ImportRow } from "../../model/import.ts";
import { sourceColumn } from "../../model/submission-csv.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { sourceFields } from "./own-source.ts";

/** The columns of our own CSV around those of the fields. */
const before = ["id", "created_at", "spam", "read", "ip", "country", "user_agent", "referer"] as const;
const AFTER = "attachments";

const BEGINS_FORMULA = /^'(?=[=+\-@\t\r＝＋－＠])/;
const BEGINS_INSIDE = /([;\t]["' ]*)'(?=[=+\-@＝＋－＠])|([\r\n]["' ]*)'(?=[=+@＝＋＠])/g;

/** A cell without the apostrophes that our export puts before formulas. */
const unguarded = (text: string): string => text.replace(BEGINS_FORMULA, "").replace(BEGINS_INSIDE, "$1$2");

/** Null if the header is not that of our own CSV. Links to attachments expire, so they don't come along. */
export function ownCsv(header: readonly string[]): ((cells: readonly string[], line: number) => ImportRow) | null {
  if (before.some((name, at) => header[at] !== name) || header.at(-1) !== AFTER) return null;
  const names = header.slice(before.length, -1).map(unguarded);
  const ofSource = sourceColumn("");
  return (cells, line) => {
    const [id, created_at = "", spam, read, ip, country, user_agent, referer] = cells.map(unguarded);
    // Also the empty ones: forms send them, and without them the next export would lack their columns.
    const fields: SubmissionField[] = [];
    const source: Record<string, string> = {};
    for (const [at, key] of names.entries()) {
      const value = unguarded(cells[before.length + at] ?? "");
      if (key.startsWith(ofSource)) source[key.slice(ofSource.length)] = value;
      else fields.push({ key, value });
    }
    return {
      created_at,
      fields: [...fields, ...sourceFields(source)],
      source_id: id,
      spam: spam === "true",
      read: read === "true",
      ip,
      country,
      user_agent,
      referer,
      line,
    };
  };
}
