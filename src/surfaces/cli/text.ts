// Control characters, C1 included, and those that turn the direction of text.
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Text of a stranger as one line that can't steer a terminal. */
export const safeLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, " ").replace(UNSAFE, "\uFFFD");

/** Text of strangers with its lines and tabs, and with nothing that steers a terminal. */
export const safeText = (text: string): string =>
  text.replaceAll("\r", "").replace(UNSAFE, (char) => (char === "\n" || char === "\t" ? char : "\uFFFD"));

/** A value as one line of JSON that can't steer a terminal. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value).replace(UNSAFE, escaped)}\n`;

const cut = (text: string, width: number): string => {
  const chars = [...text];
  return chars.length <= width ? text : `${chars.slice(0, Math.max(width - 1, 0)).join("")}…`;
};

/** A heading and how to get its text from a row. */
export type Column<T> = readonly [heading: string, value: (row: T) => string | number | null | undefined];

/**
 * Lines of a table. With `columns`, no line is wider: the last column, which has the longest text, is cut. Empty columns show a
 * dash.
 */
export function tableLines<T>(rows: readonly T[], shape: readonly Column<T>[], columns: number | null): string[] {
  const cells = rows.map((row) => shape.map(([, value]) => safeLine(String(value(row) ?? "")) || "-"));
  const all = [shape.map(([heading]) => heading), ...cells];
  const widths = shape.map((_, i) => Math.max(...all.map((line) => [...(line[i] ?? "")].length)));
  return all.map((line) => {
    const text = line
      .map((cell, i) => (i === line.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - [...cell].length)))
      .join("  ");
    return columns === null ? text : cut(text, columns);
  });
}

/** Members of an object as lines `name  value`; objects are flattened with dots. */
export function memberLines(value: object): string[] {
  const flat: [string, string][] = [];
  const add = (path: string, member: unknown): void => {
    const isBlock = typeof member === "object" && member !== null && !Array.isArray(member);
    if (isBlock && Object.keys(member).length > 0) {
      for (const [name, inner] of Object.entries(member)) add(path === "" ? name : `${path}.${name}`, inner);
    } else {
      flat.push([path, typeof member === "string" ? member : JSON.stringify(member)]);
    }
  };
  add("", value);
  const width = Math.max(0, ...flat.map(([name]) => [...safeLine(name)].length));
  return flat.map(([name, text]) => `${safeLine(name).padEnd(width)}  ${safeLine(text)}`.trimEnd());
}
