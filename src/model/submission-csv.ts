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

/** Columns besides those of fields that a person reads, and those that programs need. */
export const readingColumns: readonly string[] = ["created_at", "attachments"];
export const technicalColumns: readonly string[] = columns.filter((name) => name !== "created_at");

/** The places of columns with times, in a line with this number of cells. */
export const timeColumns = (cells: number, { work, notes }: MoreColumns): readonly number[] => [
  columns.indexOf("created_at"),
  ...(work ? [cells - 1 - Number(notes)] : []),
];

/** The columns for a person, who reads the fields first: then come those that programs need. */
export const forReading = (header: readonly string[]): number[] => {
  const first = columns.indexOf("created_at");
  const rest = [...header.keys()].filter((at) => at !== first);
  return [first, ...rest.filter((at) => at >= columns.length), ...rest.filter((at) => at < columns.length)];
};

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

/** One record of RFC 4180, with the separator that the reader's spreadsheet expects. */
export const csvLine = (cells: readonly string[], separator: "," | ";" = ","): string =>
  `${cells.map((text) => cell(text, separator)).join(separator)}\r\n`;

// Text that begins so runs as a formula in a spreadsheet, in some also with the wide signs of Asia.
const BEGINS_FORMULA = /^[=+\-@\t\r＝＋－＠]/;
/**
 * A spreadsheet that separates by `;` or tab (Excel does in half of Europe) also starts cells after those, and after a line
 * break: there, our quotes are in the middle of its cell and mean nothing. A line of a list begins with `-` and is not changed.
 */
const BEGINS_INSIDE = /([;\t]["' ]*)(?=[=+\-@＝＋－＠])|([\r\n]["' ]*)(?=[=+@＝＋＠])/g;

function cell(text: string, separator: string): string {
  const inside = text.replace(BEGINS_INSIDE, "$&'");
  const safe = BEGINS_FORMULA.test(text) ? `'${inside}` : inside;
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
