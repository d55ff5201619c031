import type { parseReply as parseInProcess } from "./parse-reply.ts";

/** The end of a text that quotes the mail before, above which a line or two name its author and its time. */
const isQuoted = (line: string): boolean => /^\s*>/.test(line);
const isBlank = (line: string): boolean => line.trim() === "";
/** Lines above a quote that may name its author. */
const LONGEST_NAME = 300;

/**
 * Without the package for it: its patterns may run for long, Workers can't end code from outside, and one object serves everybody.
 * Each line is read once here: a quote at the end goes if it is marked by `>`, with the line above that introduces it, and so does
 * what follows the mark of a signature.
 */
export const parseReply: typeof parseInProcess = async (text) => {
  const lines = text.split("\n");
  const signature = lines.indexOf("-- ");
  if (signature > 0) lines.length = signature;
  let end = lines.length;
  let hasQuote = false;
  for (; end > 0 && (isQuoted(lines[end - 1] ?? "") || isBlank(lines[end - 1] ?? "")); end--)
    hasQuote ||= isQuoted(lines[end - 1] ?? "");
  if (!hasQuote) return lines.join("\n").trim();
  const introduction = lines[end - 1] ?? "";
  if (introduction.trimEnd().endsWith(":") && introduction.length <= LONGEST_NAME) {
    end--;
    // A long one is broken, and its time stands on the line before.
    const before = lines[end - 1] ?? "";
    if (!/\d/.test(introduction) && /\d/.test(before) && before.length <= LONGEST_NAME) end--;
  }
  return lines.slice(0, end).join("\n").trim();
};
