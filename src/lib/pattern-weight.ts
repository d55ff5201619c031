/** The estimated cost of compiling a pattern, computed from its text in linear time. */
export interface PatternWeight {
  /** Instructions, about. */
  readonly size: number;
  /** Units of about 5 µs. */
  readonly weight: number;
}

/** Extra units of a Unicode class, a bracket class, and 200 letters of a range that ignores case. */
const UNICODE_CLASS = 40;
const BRACKET_CLASS = 4;
const FOLDED_LETTERS = 200;
/** The last letter that has another case. */
const LAST_FOLDED = 0x1e943;

/** The pieces of RE2 syntax that matter: quoted text, escapes, bracket classes, counted repeats, the heads of groups, single characters. */
const PIECE =
  /\\Q([\s\S]*?)(?:\\E|$)|\\(?:[pP](?:\{[^}]*\}|.)|x\{[^}]*\}|[\s\S])|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|\(\?[a-zA-Z-]*:|[\s\S]/gu;
const RANGE = /(\\x\{[\da-f]+\}|\\[\s\S]|[^\\])-(\\x\{[\da-f]+\}|\\[\s\S]|[^\\])/giu;

/**
 * Weighs a pattern before it is compiled. Where the engine reads the text differently the estimate is wrong, but a pattern that parses at
 * all is read the same way: this knows every construct that multiplies.
 */
export function patternWeight(source: string): PatternWeight {
  // A flag may appear anywhere and applies from there on.
  const folds = /\(\?[a-zA-Z]*i/.test(source);
  const groups: number[] = [];
  let weight = 0;
  let size = 0;
  /** The cost of the part that a following repeat would multiply. */
  let last = 0;
  for (const [piece, quoted, count, comma, most] of source.matchAll(PIECE)) {
    if (count !== undefined) {
      const times = Math.max(Number(count) + (comma && most === "" ? 1 : 0), Number(most));
      // `a{0,9}` asks before each of them whether to go on.
      const added = last * Math.max(0, times - 1) + (comma ? times : 0);
      size += added;
      last += added;
    } else if (piece === "(" || /^\(\?.*:$/.test(piece)) {
      groups.push(size);
      size += piece === "(" ? 2 : 0;
      last = 0;
    } else if (piece === ")") {
      last = size - (groups.pop() ?? size);
    } else if (piece === "*" || piece === "+" || piece === "?" || piece === "|") {
      size += 1;
      last += 1;
    } else {
      last = quoted === undefined ? 1 : quoted.length;
      size += last;
      weight += classWeight(piece, folds);
    }
  }
  return { size, weight: weight + size };
}

function classWeight(piece: string, folds: boolean): number {
  if (/^\\p/i.test(piece)) return UNICODE_CLASS;
  if (!/^\[.*\]$/s.test(piece)) return 0;
  let weight = BRACKET_CLASS + UNICODE_CLASS * (piece.match(/\\p/gi)?.length ?? 0);
  if (folds) {
    for (const [, from = "", to = ""] of piece.matchAll(RANGE))
      weight += Math.max(0, codePoint(to) - codePoint(from)) / FOLDED_LETTERS;
  }
  return weight;
}

function codePoint(end: string): number {
  const hex = /^\\x\{([\da-f]+)\}$/i.exec(end)?.[1];
  // Other escapes are letters of one byte.
  return hex
    ? Math.min(Number.parseInt(hex, 16), LAST_FOLDED)
    : end.startsWith("\\")
      ? 0
      : Math.min(end.codePointAt(0) ?? 0, LAST_FOLDED);
}
