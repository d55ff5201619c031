import { createLru } from "../../lib/lru.ts";
import english from "../../texts/inbox/en.json";
import type { English } from "../../texts/inbox/english.ts";
import { filled } from "../../texts/locales/_fill.ts";
import { known, negotiated } from "../../texts/locales/_negotiate.ts";
import type { Spoken } from "../../texts/locales/_types.ts";
import { type Groups, spokenOf, type Words } from "../../texts/locales/_words.ts";
import type { Options } from "../api/kernel.ts";
import type { OwnTexts } from "./options.ts";
import { replacing } from "./own-texts.ts";

/** The texts of the inbox in one language, as functions of their placeholders. */
export type Texts = {
  readonly [Group in keyof English]: { readonly [Name in keyof English[Group]]: Spoken<English[Group][Name]> };
};

/** A language of a person: its texts here, and how it writes times, numbers and sizes. */
export interface Language {
  readonly t: Texts;
  readonly words: Words;
}

/** Loaded at the first page in that language. */
const catalogues: Readonly<Record<string, () => Promise<{ default: object }>>> = {
  ar: () => import("../../texts/inbox/ar.json"),
  de: () => import("../../texts/inbox/de.json"),
  es: () => import("../../texts/inbox/es.json"),
  fr: () => import("../../texts/inbox/fr.json"),
  he: () => import("../../texts/inbox/he.json"),
  it: () => import("../../texts/inbox/it.json"),
  ja: () => import("../../texts/inbox/ja.json"),
  nl: () => import("../../texts/inbox/nl.json"),
  pl: () => import("../../texts/inbox/pl.json"),
  pt: () => import("../../texts/inbox/pt.json"),
  tr: () => import("../../texts/inbox/tr.json"),
  zh: () => import("../../texts/inbox/zh.json"),
};
const written = ["en", ...Object.keys(catalogues)];

/** The language of a person: their own, otherwise that of the browser, otherwise English. */
export type ChooseLanguage = (
  locale: string | undefined,
  accepted: string | null,
  /** The host's own words, by language. */
  texts?: OwnTexts | undefined,
) => Promise<Language>;

/**
 * Loads what the people of a backend may need, in the background once it is ready: a deploy may replace `node_modules` under a
 * running process. Nothing where only English is loaded.
 */
export async function loadTexts({ languages }: Pick<Options, "languages">): Promise<void> {
  for (const [tag, load] of Object.entries(catalogues)) {
    if (languages.tags.some((loaded) => known(loaded, written) === tag)) await load().catch(() => {});
  }
}

/** The languages of people with the host's own texts kept apart: those that a function returned last. */
const MOST_OWN = 50;

/** Chooses among the languages of a backend that the inbox is written in. */
export function languagesOf({ languages }: Pick<Options, "languages">): ChooseLanguage {
  const tags = languages.tags.filter((tag) => known(tag, written) !== null);
  const ready = createLru<Promise<Language>>(MOST_OWN + tags.length);
  return (locale, accepted, texts) => {
    const tag = (locale === undefined ? null : known(locale, tags)) ?? negotiated(accepted, tags) ?? "en";
    const own = texts?.[tag];
    const key = own ? JSON.stringify([tag, own]) : tag;
    const language = ready.get(key) ?? languageOf(languages.of(tag), own);
    ready.set(key, language);
    return language;
  };
}

async function languageOf(words: Words, own: OwnTexts[string] = {}): Promise<Language> {
  const load = catalogues[known(words.tag, written) ?? "en"];
  const groups = load ? filled(english, (await load()).default) : english;
  return { words, t: spokenOf(replacing(groups, own) as Groups, words) as Texts };
}
