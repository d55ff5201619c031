import type { Note } from "./activities.ts";
import { SOURCE_FIELD } from "./source.ts";
import type { Submission } from "./submissions.ts";

const columns = ["id", "created_at", "spam", "read", "ip", "country", "user_agent", "referer"] as const;

/** The column of a member of the source; no field of a post has such a name. */
export const sourceColumn = (name: string): string => `${SOURCE_FIELD}.${name}`;

/** Columns besides those of fields. */
export const fixedColumns = columns.length + 1;

/** What an export has beyond the submission itself. */
export interface MoreColumns {
  readonly work: boolean;
  readonly notes: boolean;
}
const none: MoreColumns = { work: false, notes: false };

/** A submission in an export. */
export interface ExportedSubmission extends Submission {
  readonly notes?: readonly Note[];
}

/** A submission as the cells of a line; `names` says which column each field and each member of the source has. */
export const toCells = {
  header: (names: ReadonlyMap<string, number>, { work, notes } = none): string[] => [
    ...columns,
    ...names.keys(),
    "attachments",
    ...(work ? ["state", "assignee", "labels", "snoozed_until"] : []),
    ...(notes ? ["notes"] : []),
  ],
  row(submission: ExportedSubmission, names: ReadonlyMap<string, number>, more = none): string[] {
    const values = new Array<string>(names.size).fill("");
    const seen = new Set<number>();
    for (const { key, value } of submission.fields) {
      const at = names.get(key) as number;
      values[at] = seen.has(at) ? `${values[at]}, ${value}` : value;
      seen.add(at);
    }
    for (const [name, value] of Object.entries(submission.source ?? {})) {
      values[names.get(sourceColumn(name)) as number] = value;
    }
    const urls = submission.attachments.map(({ url }) => url).join(" ");
    const { work, notes = [] } = submission;
    return [
      ...columns.map((column) => String(submission[column] ?? "")),
      ...values,
      urls,
      ...(more.work
        ? [work?.state ?? "", work?.assignee?.name ?? "", work?.labels.join(", ") ?? "", work?.snoozed_until ?? ""]
        : []),
      ...(more.notes ? [notes.map(({ author, text }) => `${author.name}: ${text}`).join("\n")] : []),
    ];
  },
};

/** One record of RFC 4180. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;

// Text that begins so runs as a formula in a spreadsheet, in some also with the wide signs of Asia.
const BEGINS_FORMULA = /^[=+\-@\t\r＝＋－＠]/;
/**
 * A spreadsheet that separates by `;` or tab (Excel does in half of Europe) also starts cells after those, and after a line
 * break: there, our quotes are in the middle of its cell and mean nothing. A line of a list begins with `-` and is not changed.
 */
const BEGINS_INSIDE = /([;\t]["' ]*)(?=[=+\-@＝＋－＠])|([\r\n]["' ]*)(?=[=+@＝＋＠])/g;

function cell(text: string): string {
  const inside = text.replace(BEGINS_INSIDE, "$&'");
  const safe = BEGINS_FORMULA.test(text) ? `'${inside}` : inside;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
