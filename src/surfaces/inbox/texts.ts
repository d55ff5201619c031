import type { Options } from "../../core/options/types.ts";
import english from "../../texts/inbox/en.json";
import type { English } from "../../texts/inbox/english.ts";
import { filled } from "../../texts/locales/_fill.ts";
import { known, negotiated } from "../../texts/locales/_negotiate.ts";
import type { Spoken } from "../../texts/locales/_types.ts";
import { type Groups, spokenOf, type Words } from "../../texts/locales/_words.ts";

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
export type ChooseLanguage = (locale: string | undefined, accepted: string | null) => Promise<Language>;

/**
 * Loads what the people of a backend may need, in the background once it is ready: a deploy may replace `node_modules` under a
 * running process. Nothing where only English is loaded.
 */
export async function loadTexts({ languages }: Pick<Options, "languages">): Promise<void> {
  for (const [tag, load] of Object.entries(catalogues)) {
    if (languages.tags.some((loaded) => known(loaded, written) === tag)) await load().catch(() => {});
  }
}

/** Chooses among the languages of a backend that the inbox is written in. */
export function languagesOf({ languages }: Pick<Options, "languages">): ChooseLanguage {
  const tags = languages.tags.filter((tag) => known(tag, written) !== null);
  const ready = new Map<string, Promise<Language>>();
  return (locale, accepted) => {
    const tag = (locale === undefined ? null : known(locale, tags)) ?? negotiated(accepted, tags) ?? "en";
    const language = ready.get(tag) ?? languageOf(languages.of(tag));
    ready.set(tag, language);
    return language;
  };
}

async function languageOf(words: Words): Promise<Language> {
  const load = catalogues[known(words.tag, written) ?? "en"];
  const groups = load ? filled(english, (await load()).default) : english;
  return { words, t: spokenOf(groups as Groups, words) as Texts };
}
