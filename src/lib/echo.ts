/** A run of this length is a copy; shorter ones are words that any text may have in common with another. */
const RUN = 12;
const MARK = "[…]";

/** An escape of JSON, a URL or HTML. */
const ESCAPE = /\\u[0-9a-f]{4}|\\[^u]|(?:%[0-9a-f]{2})+|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi;
const JSON_ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/**
 * A text without what it repeats of others: each run of 12 characters or more that one of them contains becomes `mark`. Letter
 * case, white space and the escapes of JSON, URLs and HTML make no difference. Takes time linear in the length of all.
 */
export function withoutEcho(text: string, sources: Iterable<string>, mark = MARK): string {
  const { plain, ends } = pieces(text);
  if (plain.length < RUN) return text;
  const places = new Map<number, number[]>();
  eachRun(plain, (hash, at) => {
    const known = places.get(hash);
    if (known) known.push(at);
    else places.set(hash, [at]);
  });
  const isEcho = new Uint8Array(plain.length);
  for (const source of sources) {
    const other = flat(source.replace(ESCAPE, decoded)).replace(/\s+/g, " ");
    eachRun(other, (hash, from) => {
      const at = places.get(hash);
      if (!at || !other.startsWith(plain.slice(at[0], (at[0] as number) + RUN), from)) return;
      for (const start of at) isEcho.fill(1, start, start + RUN);
      places.delete(hash);
    });
  }
  let result = "";
  for (let at = 0; at < plain.length; at++) {
    if (!isEcho[at]) result += text.slice(at === 0 ? 0 : ends[at - 1], ends[at]);
    else if (!isEcho[at - 1]) result += mark;
  }
  return result;
}

/**
 * A text without values: longer ones and their parts as `withoutEcho` finds them, shorter ones whole, whatever the case of their
 * letters. Takes time linear in the length of all, which an expression made of the values would not.
 */
export function withoutValues(text: string, values: readonly string[], mark: string): string {
  // First, for a short one may be a part of a long one.
  const long = values.filter(({ length }) => length >= RUN);
  const rest = long.length === 0 ? text : withoutEcho(text, long, mark);
  const short = new Set(values.filter(({ length }) => length < RUN).map(small));
  const lengths = [...new Set([...short].map(({ length }) => length))].sort((a, b) => b - a);
  const lower = small(rest);
  let result = "";
  let from = 0;
  for (let at = 0; at < rest.length; ) {
    const found = lengths.find((length) => short.has(lower.slice(at, at + length))) ?? 0;
    if (found > 0) result += rest.slice(from, at) + mark;
    at += found || 1;
    if (found > 0) from = at;
  }
  return result + rest.slice(from);
}

/** In small letters, of the same length: a capital I with a dot would become two. */
const small = (text: string): string => text.replace(/\p{Lu}/gu, (letter) => sameLength(letter, letter.toLowerCase()));
const sameLength = (letter: string, lower: string): string => (lower.length === letter.length ? lower : letter);

/** Text in which the ways to write a letter are one. Decomposed, and with one small sigma, because that is the same for a text and for its parts. */
const flat = (text: string): string => text.toLowerCase().replaceAll("ς", "σ").normalize("NFKD");

/** The text decoded, flat and with single spaces, and for each of its characters the end of its piece in the original. */
function pieces(text: string): { plain: string; ends: number[] } {
  const ends: number[] = [];
  let plain = "";
  const add = (piece: string, end: number): void => {
    for (const char of flat(piece)) {
      const isBlank = /\s/.test(char);
      if (isBlank && plain.endsWith(" ")) ends[ends.length - 1] = end;
      else {
        plain += isBlank ? " " : char;
        for (let unit = 0; unit < char.length; unit++) ends.push(end);
      }
    }
  };
  let at = 0;
  const addPlain = (until: number): void => {
    for (const char of text.slice(at, until)) {
      at += char.length;
      add(char, at);
    }
  };
  for (const { 0: written, index } of text.matchAll(ESCAPE)) {
    addPlain(index);
    at += written.length;
    add(decoded(written), at);
  }
  addPlain(text.length);
  return { plain, ends };
}

function decoded(piece: string): string {
  if (piece.length < 2) return piece;
  if (piece.startsWith("\\")) {
    if (piece.length > 2) return String.fromCharCode(Number.parseInt(piece.slice(2), 16));
    return JSON_ESCAPES[piece.charAt(1)] ?? piece.charAt(1);
  }
  if (piece.startsWith("%")) {
    try {
      return decodeURIComponent(piece);
    } catch {
      return piece;
    }
  }
  if (!piece.startsWith("&")) return piece;
  const code = /^&#(x?)([0-9a-f]+);$/i.exec(piece);
  if (!code) return ENTITIES[piece.slice(1, -1).toLowerCase()] ?? piece;
  const point = Number.parseInt(code[2] as string, code[1] ? 16 : 10);
  return point <= 0x10ffff ? String.fromCodePoint(point) : piece;
}

/** Calls with a hash of each run and its place: the sum of the characters, each weighed by its place, moved on by one. */
function eachRun(text: string, call: (hash: number, at: number) => void): void {
  const BASE = 0x01000193;
  let first = 1;
  for (let i = 1; i < RUN; i++) first = Math.imul(first, BASE);
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    if (at >= RUN) hash = (hash - Math.imul(text.charCodeAt(at - RUN), first)) | 0;
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
    if (at >= RUN - 1) call(hash, at - RUN + 1);
  }
}
