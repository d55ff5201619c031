import type { MemberRequest } from "../visit.ts";

/** The name of a country or a language in the language of the page; its code if it has none. */
function nameOf({ words }: MemberRequest, type: "region" | "language", code: string): string {
  try {
    return new Intl.DisplayNames(words.tag, { type }).of(code) ?? code;
  } catch {
    return code;
  }
}

export const countryName = (visit: MemberRequest, code: string): string => nameOf(visit, "region", code);

export const languageName = (visit: MemberRequest, tag: string): string => nameOf(visit, "language", tag);
