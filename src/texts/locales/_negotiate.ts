/** Of a header that somebody may have made as long as the server takes; browsers send about 60 characters. */
const MAX_LENGTH = 1_000;
const MAX_RANGES = 50;
const RANGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8}){0,7}|\*)(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/**
 * The loaded language that `Accept-Language` prefers, null if none matches (RFC 9110 12.5.4, lookup of RFC 4647). Invalid
 * ranges are ignored.
 */
export function negotiated(header: string | null, tags: readonly string[]): string | null {
  const ranges = (header ?? "")
    .slice(0, MAX_LENGTH)
    .split(",", MAX_RANGES)
    .map((range) => RANGE.exec(range.replace(/[ \t]+/g, "")))
    .filter((match) => match !== null)
    .map(([, range = "", q = "1"]) => ({ range, q: Number(q) }))
    .filter(({ q }) => q > 0)
    // Stable: of equal ones the first counts.
    .sort((a, b) => b.q - a.q);
  for (const { range } of ranges) {
    // A visitor who accepts any language gets the default.
    if (range === "*") return null;
    const found = known(range, tags);
    if (found !== null) return found;
  }
  return null;
}

/** The language of a tag that is there: itself, one with less of a region (`pt-BR` → `pt`), or one of another region (`pt` → `pt-BR`). */
export function known(tag: string, tags: readonly string[]): string | null {
  const wanted = canonical(tag);
  if (wanted === null) return null;
  const have = tags.map((one) => one.toLowerCase());
  const parts = wanted.split("-");
  for (let length = parts.length; length > 0; length--) {
    const at = have.indexOf(parts.slice(0, length).join("-"));
    if (at >= 0) return tags[at] as string;
  }
  const at = have.findIndex((one) => one.startsWith(`${parts[0]}-`));
  return at >= 0 ? (tags[at] as string) : null;
}

/** In lower case and with current codes (`iw` is `he`); null for an invalid tag. */
function canonical(tag: string): string | null {
  if (tag.length > 64) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0]?.toLowerCase() ?? null;
  } catch {
    return null;
  }
}
