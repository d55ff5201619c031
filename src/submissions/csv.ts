import type { Submission } from "./schema.ts";

const columns = ["id", "created_at", "spam", "read", "ip", "country", "user_agent", "referer"] as const;

/** Columns beside those of fields. */
export const fixedColumns = columns.length + 1;

/** A submission as the cells of a line; `names` says which column each field name has. */
export const toCells = {
  header: (names: ReadonlyMap<string, number>): string[] => [...columns, ...names.keys(), "attachments"],
  row(submission: Submission, names: ReadonlyMap<string, number>): string[] {
    const values = new Array<string>(names.size).fill("");
    const seen = new Set<number>();
    for (const { key, value } of submission.fields) {
      const at = names.get(key) as number;
      values[at] = seen.has(at) ? `${values[at]}, ${value}` : value;
      seen.add(at);
    }
    const urls = submission.attachments.map(({ url }) => url).join(" ");
    return [...columns.map((column) => String(submission[column] ?? "")), ...values, urls];
  },
};

/** One record of RFC 4180. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;

function cell(text: string): string {
  // A visitor's text that begins so would run as a formula in the owner's spreadsheet, in some also with the wide signs of Asia.
  const safe = /^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
