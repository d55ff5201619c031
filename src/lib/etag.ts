/** A version as an entity tag (RFC 9110, 8.8.3). It is a strong one, for `If-Match` compares no others. */
export const etagOf = (version: number): string => `"${version}"`;

const TAG = /^\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/;

/**
 * True if `If-Match` allows a change of this version (RFC 9110, 13.1.1): there is no header, it is `*`, or its list contains
 * the version. A weak tag never matches. Nor does a header that is not a list of tags, because an unreadable condition must not
 * count as met.
 */
export function matches(ifMatch: string | null, version: number): boolean {
  if (ifMatch === null || ifMatch.trim() === "*") return true;
  let found = false;
  for (let rest = ifMatch.replace(/^[\s,]+/, ""); rest !== ""; rest = rest.replace(/^[\s,]+/, "")) {
    const tag = TAG.exec(rest);
    if (!tag) return false;
    const [whole, weak, opaque] = tag;
    if (weak === undefined && opaque === String(version)) found = true;
    rest = rest.slice(whole.length);
  }
  return found;
}
