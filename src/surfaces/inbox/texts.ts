import type { Options } from "../../core/options/types.ts";
import { known, negotiated } from "../../texts/locales/_negotiate.ts";
import type { Spoken } from "../../texts/locales/_types.ts";
import { spokenOf, type Words } from "../../texts/locales/_words.ts";
import { english } from "./texts/_english.ts";
import type { Catalogue } from "./texts/_types.ts";

type English = typeof english;

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
const catalogues: Readonly<Record<string, () => Promise<{ default: Catalogue }>>> = {
  ar: () => import("./texts/ar/index.ts"),
  de: () => import("./texts/de/index.ts"),
  es: () => import("./texts/es/index.ts"),
  fr: () => import("./texts/fr/index.ts"),
  he: () => import("./texts/he/index.ts"),
  it: () => import("./texts/it/index.ts"),
  ja: () => import("./texts/ja/index.ts"),
  nl: () => import("./texts/nl/index.ts"),
  pl: () => import("./texts/pl/index.ts"),
  pt: () => import("./texts/pt/index.ts"),
  tr: () => import("./texts/tr/index.ts"),
  zh: () => import("./texts/zh/index.ts"),
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
  const groups = load ? (await load()).default : english;
  return { words, t: spokenOf(groups, words) as Texts };
}
