import { createLru } from "../../lib/lru.ts";
import { known, negotiated } from "./_negotiate.ts";
import type { Locale } from "./_types.ts";
import { type Words, wordsOf } from "./_words.ts";
import en from "./en.ts";

/** Headers whose language is known. */
const MAX_BROWSERS = 500;
/** Longer headers are judged again and again; browsers send about 60 characters. */
const MAX_KEPT = 200;

/** English, which is always there. */
export const english: Words = wordsOf(en);

/** The languages of a backend. */
export interface Languages {
  readonly tags: readonly string[];
  /** The language of owners, unless their form has its own. */
  readonly owner: Words;
  /** A loaded language, otherwise English: the language of a form may no longer be loaded. */
  of(tag: string): Words;
  /** The language of one visitor: the form's, that of the field `_language`, that of the browser, English. */
  choose(wishes: {
    readonly form?: string | undefined;
    readonly field?: string | undefined;
    readonly header: string | null;
  }): Words;
  /** The language of a form's owner. */
  ofOwner(form?: string): Words;
}

/** The value of a form's `language` if visitors get their own. */
export const AUTO = "auto";

/** English and `locales`; one with the tag `en` takes the place of ours. `owner` is among them. */
export function createLanguages(locales: readonly Locale[], owner: string): Languages {
  const all = new Map<string, Words>([["en", english]]);
  for (const locale of locales) all.set(locale.tag, wordsOf(locale));
  const tags = [...all.keys()];
  const of = (tag: string): Words => all.get(tag) ?? (all.get("en") as Words);
  // Browsers send a few dozen different headers.
  const browsers = createLru<Words>(MAX_BROWSERS);
  const ofBrowser = (header: string): Words => {
    const chosen = browsers.get(header) ?? of(negotiated(header, tags) ?? "en");
    if (header.length <= MAX_KEPT) browsers.set(header, chosen);
    return chosen;
  };
  const own = (tag: string | undefined): string | null => (tag === undefined || tag === AUTO ? null : known(tag, tags));
  return {
    tags,
    owner: of(owner),
    of,
    choose({ form, field, header }) {
      const asked = own(form) ?? own(field);
      return asked === null && header ? ofBrowser(header) : of(asked ?? "en");
    },
    ofOwner: (form) => of(own(form) ?? owner),
  };
}

/** A text of a form in a language, if the form still has its original English text. */
export const translated = (text: string, words: Words, of: (words: Words) => string): string =>
  text === of(english) ? of(words) : text;
