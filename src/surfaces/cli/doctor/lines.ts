import type { Finding, Level } from "../../../lib/sender-dns/finding.ts";
import { type Io, type Style, styled } from "../io.ts";
import { safeLine } from "../text.ts";

const MARKS: Record<Level, readonly [sign: string, style: Style]> = {
  ok: ["✓", "green"],
  warning: ["!", "yellow"],
  failed: ["✗", "red"],
  skipped: ["-", "dim"],
};
const INDENT = 4;

/** A finding as lines: its sign and check, what was found, and below it what to do. */
export function findingLines(
  io: Pick<Io, "env" | "tty" | "columns">,
  { check, level, message, todo }: Finding,
): string[] {
  const [sign, style] = MARKS[level];
  const width = io.tty.out ? Math.max(io.columns, 40) : Number.POSITIVE_INFINITY;
  const name = safeLine(check);
  const [first = "", ...rest] = wrapped(`${name}: ${safeLine(message)}`, width - 2);
  const bold = first.startsWith(name) ? styled(io, "bold", name) + first.slice(name.length) : first;
  const todos = todo === undefined ? [] : wrapped(safeLine(todo), width - INDENT - 2);
  return [
    `${styled(io, style, sign)} ${bold}`,
    ...rest.map((line) => `  ${line}`),
    ...todos.map((line, i) => `${" ".repeat(INDENT - 2)}${i === 0 ? "→" : " "} ${line}`),
  ];
}

/** Lines of at most `width` characters, broken between words; a longer word stays whole, so it can be copied. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && [...line].length + 1 + [...word].length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
