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
