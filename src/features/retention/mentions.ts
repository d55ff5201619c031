import { domainToASCII, domainToUnicode } from "node:url";

/**
 * True if a text contains an address as a whole, in upper or lower case, URL-encoded or not, with its domain in either
 * spelling: `ann@example.com` is not in `joann@example.com`, `jo-ann@example.com` or `ann@example.com.au`. Quotes and dashes
 * around an address don't belong to it, as in `'ann@example.com'`.
 */
export function mentionOf(email: string): (text: string | null | undefined) => boolean {
  const plain = email.normalize("NFKC");
  const at = plain.lastIndexOf("@") + 1;
  const domain = plain.slice(at);
  const spellings = [domain, domainToASCII(domain), domainToUnicode(domain)].filter((name) => name !== "");
  const addresses = [...new Set(spellings)].map((name) => plain.slice(0, at) + name);
  const any = [...addresses, ...addresses.map(encodeURIComponent)].map(escapeRegExp).join("|");
  // The text before it is checked separately: a look-behind at each character of a hostile text would take quadratic time.
  const found = new RegExp(`(?:${any})(?!-*[\\p{L}\\p{N}]|\\.[\\p{L}\\p{N}])`, "giu");
  const holds = (text: string): boolean => {
    for (const { index } of text.matchAll(found)) {
      if (!/[\p{L}\p{N}][._%+'-]*$/u.test(text.slice(Math.max(0, index - MAX_LOCAL), index))) return true;
    }
    return false;
  };
  return (text) => {
    if (!text) return false;
    const normal = text.normalize("NFKC");
    return holds(normal) || (/%[0-9a-f]{2}/i.test(normal) && holds(decoded(normal)));
  };
}

/** Endings of an address's domain that are hardly the extension of a file. */
const DOMAINS: ReadonlySet<string> = new Set(["com", "net", "org", "info", "biz", "edu", "gov", "int", "mil", "name"]);
/** Extensions of two letters that are no country's. */
const SHORT: ReadonlySet<string> = new Set(["gz", "xz", "js", "ts", "db"]);
const MAX_EXTENSIONS = 3;

/**
 * The same for the name of a file, also without its extensions: `ann@example.com.pdf` is hers. One that could end a domain, as
 * in `ann@example.com.au`, is none.
 */
export function nameMentionOf(email: string): (name: string | null | undefined) => boolean {
  const isIn = mentionOf(email);
  return (name) => {
    if (!name) return false;
    let rest = name.normalize("NFKC");
    for (let left = MAX_EXTENSIONS; ; left--) {
      if (isIn(rest)) return true;
      const [whole = "", extension = ""] = /\.([a-z0-9]{1,16})[.\s]{0,16}$/i.exec(rest) ?? [];
      if (left === 0 || !isExtension(extension.toLowerCase())) return false;
      rest = rest.slice(0, -whole.length);
    }
  };
}

const isExtension = (text: string): boolean =>
  SHORT.has(text) || /\d/.test(text) || (text.length > 2 && !DOMAINS.has(text));

/**
 * True if a text may contain an address in a spelling that `mentionOf` does not take for it: with spaces around `@` or dots,
 * `(at)`, HTML's escapes or invisible characters. A person decides about those.
 */
export function similarTo(email: string): (text: string | null | undefined) => boolean {
  const isIn = mentionOf(email);
  return (text) => !!text && plainly(text).some(isIn);
}

/** The same for the name of a file, also as a part of a longer word: `cv-ann@example.com.pdf`, `ann@example.com.au`. */
export function similarNameTo(email: string): (name: string) => boolean {
  const part = new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(email.normalize("NFKC"))}(?![\\p{L}\\p{N}])`, "iu");
  return (name) => plainly(name).some((text) => part.test(text));
}

/** The text with the usual disguises of `@` and `.` undone, and once more without spaces around dots, which may end a sentence. */
function plainly(text: string): string[] {
  const plain = decoded(text)
    .normalize("NFKC")
    .replace(/\p{Cf}+/gu, "")
    .replace(/\s+/g, " ")
    .replace(/&(?:#0{0,8}64|#x0{0,8}40|commat);/gi, "@")
    .replace(/&(?:#0{0,8}46|#x0{0,8}2e|period);/gi, ".")
    .replace(/ ?[([{<] ?at ?[)\]}>] ?| at | ?@ ?/gi, "@")
    .replace(/ ?[([{<] ?(?:dot|\.) ?[)\]}>] ?| dot /gi, ".");
  return [plain, plain.replace(/ ?\. ?/g, ".")];
}

/** The longest text before an `@`. */
const MAX_LOCAL = 64;

/** URL-decodes text; invalid codes stay. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

// The characters that the flag `u` lets be escaped and no others: with it, `\-` is a fault in the expression.
const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
