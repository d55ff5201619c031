import { csvLine, sourceColumn, toCells } from "../../model/submission-csv.ts";
import type { Submission } from "../../model/submissions.ts";

export const formats = ["csv", "json", "ndjson"] as const;
export type Format = (typeof formats)[number];

/** Submissions as the text of an export. Each page of a CSV has its own header. */
export function exported(submissions: readonly Submission[], format: Format): string {
  if (format === "json") return JSON.stringify(submissions);
  if (format === "ndjson") return submissions.map((one) => `${JSON.stringify(one)}\n`).join("");
  const names = new Map<string, number>();
  for (const { fields } of submissions) for (const { key } of fields) if (!names.has(key)) names.set(key, names.size);
  const sources = submissions.flatMap(({ source }) => Object.keys(source ?? {}).map(sourceColumn));
  for (const column of sources) if (!names.has(column)) names.set(column, names.size);
  const lines = submissions.map((one) => csvLine(toCells.row(one, names)));
  return csvLine(toCells.header(names)) + lines.join("");
}
