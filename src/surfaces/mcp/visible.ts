/**
 * Characters that a reader does not see, or that change what it sees: controls but for tab and line ends, bidi controls, tags
 * (which can spell a hidden text), other formats, and the separators of lines. The joiners of scripts and emoji stay.
 */
const HIDDEN =
  /(?![\t\n\r\u200c\u200d])(?:[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}])/gu;

/** A visitor's text with hidden characters shown by their code, such as `[U+202E]`. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    return `[U+${code}]`;
  });

/** The same for every text in a value, and of the names of its members. */
export function visibleIn<T>(value: T): T {
  if (typeof value === "string") return visible(value) as T;
  if (Array.isArray(value)) return value.map(visibleIn) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), visibleIn(member)])) as T;
}
