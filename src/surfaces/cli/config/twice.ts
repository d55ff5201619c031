/** Comments, strings, names, and any other sign that is not a space. */
const TOKENS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(["'`])(?:\\[\s\S]|(?!\1)[^\\])*\1|[\p{ID_Start}$_][\p{ID_Continue}$]*|\S/gu;

/** A member that an object literal has twice. */
export interface Twice {
  readonly name: string;
  /** The line of the second one, from 1. */
  readonly line: number;
}

/**
 * The first member that occurs twice in one object of a file of data, in JSON, JavaScript or TypeScript. Only the source tells: when
 * the file is evaluated, the last one wins in silence.
 */
export function memberTwice(source: string): Twice | null {
  /** Names of the open objects; null for other brackets. */
  const open: (Set<string> | null)[] = [];
  let before = "";
  let name: { readonly text: string; readonly at: number } | null = null;
  for (const match of source.matchAll(TOKENS)) {
    const [token] = match;
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    const names = open.at(-1);
    if (token === ":" && name && names) {
      if (names.has(name.text)) return { name: name.text, line: source.slice(0, name.at).split("\n").length };
      names.add(name.text);
    }
    // A member's name comes first in its object, or after a comma.
    const first = before === "{" || before === ",";
    name = first && names && /^["'\p{ID_Start}$_]/u.test(token) ? { text: nameOf(token), at: match.index } : null;
    if (token === "{") open.push(new Set());
    else if (token === "(" || token === "[") open.push(null);
    else if (token === "}" || token === ")" || token === "]") open.pop();
    before = token;
  }
  return null;
}

const nameOf = (token: string): string => (/^["']/.test(token) ? token.slice(1, -1) : token);
