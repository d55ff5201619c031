/**
 * A field's name as protections compare it: in lower case, without `[]` or `[0]` at its end, spaces around it and invisible
 * characters, and with wide letters as usual ones. A visitor could otherwise send a protected value under a name that only looks
 * the same.
 */
export const plainName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{C}/gu, "")
    .trim()
    .replace(/(\s*\[\s*\d*\s*\])+$/, "")
    .toLowerCase();
