import { printable } from "../../lib/printable.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { LetterFile } from "./letter.ts";

/** Text in place of a missing value. */
export const EMPTY = "–";

/** The fields of a submission as text that reads well by itself: a line each, longer values as an indented paragraph. */
export function fieldLines(fields: readonly SubmissionField[]): string {
  return fields.reduce((text, { key, value }) => {
    const name = printable(key).replaceAll("\n", " ");
    const clean = printable(value).trim();
    if (!clean.includes("\n")) return `${text}${name}: ${clean || EMPTY}\n`;
    const gap = text === "" || text.endsWith("\n\n") ? "" : "\n";
    return `${text}${gap}${name}:\n${clean.replace(/^(?=.)/gm, "  ")}\n\n`;
  }, "");
}

export function fileLines(files: readonly LetterFile[]): string {
  return files
    .map(({ key, name, size, url }) => `- ${name} (${size}, ${printable(key).replaceAll("\n", " ")})\n  ${url}\n`)
    .join("");
}

/** Paragraphs with one empty line between, and a footer that mail programs recognise as one. */
export function letterText(parts: readonly (string | false | null)[], footer: readonly string[]): string {
  const body = parts.filter((part) => part).map((part) => String(part).trimEnd());
  return `${body.join("\n\n")}\n\n-- \n${footer.join("\n")}\n`;
}
