import en from "../visitors/en.json";
import type { Locale } from "./_types.ts";

type Entry = string | Readonly<Record<string, string | undefined>>;
type Groups = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

const namesIn = (sentence: string): ReadonlySet<string> =>
  new Set([...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));

/** Plural forms of whole numbers of everyday size; `other` covers all the rest, if any. */
function formsOf(tag: string): ReadonlySet<string> {
  const rules = new Intl.PluralRules(tag);
  return new Set(["other", ...Array.from({ length: 200 }, (_, at) => rules.select(at + 1))]);
}

/** Forms for a single number, which a sentence may write as a word. */
function singleForms(tag: string): ReadonlySet<string> {
  const rules = new Intl.PluralRules(tag);
  const seen = new Map<string, number>();
  for (let count = 0; count <= 200; count++) seen.set(rules.select(count), (seen.get(rules.select(count)) ?? 0) + 1);
  return new Set([...seen].filter(([, times]) => times === 1).map(([form]) => form));
}

/**
 * The fault of a language, null if there is none: it may not have been compiled with its types. `at` is the path of the
 * sentence, such as `validation.required`.
 */
export function localeFault(locale: unknown): string | null {
  if (typeof locale !== "object" || locale === null)
    return "must be a language, such as the default export of form-backend/locales/de";
  const { tag, dir } = locale as Partial<Locale>;
  if (typeof tag !== "string" || !isTag(tag)) return "must have a `tag`, such as de or pt-BR";
  if (dir !== "ltr" && dir !== "rtl") return "must have a `dir`, ltr or rtl";
  const { tag: _, dir: __, ...groups } = en;
  return groupsFault(tag, groups, locale as unknown as Partial<Groups>);
}

/** The fault of a language's sentences beside the English ones, null if there is none. */
export function groupsFault(tag: string, english: Groups, translated: Partial<Groups>): string | null {
  for (const [group, entries] of Object.entries(english)) {
    for (const [name, ours] of Object.entries(entries)) {
      const theirs = translated[group]?.[name];
      const fault = theirs === undefined ? "is missing" : entryFault(tag, ours, theirs);
      if (fault) return `\`${group}.${name}\` ${fault}`;
    }
  }
  return null;
}

/** The fault of one sentence beside the English one, null if there is none. */
export function entryFault(tag: string, ours: Entry, theirs: Entry): string | null {
  if (typeof ours === "string") return typeof theirs === "string" ? sentenceFault(ours, theirs) : "must be a string";
  if (typeof theirs !== "object" || theirs === null) return "must have a text for each plural form";
  const single = singleForms(tag);
  for (const form of formsOf(tag)) {
    const sentence = theirs[form];
    if (sentence === undefined) return `has no plural form \`${form}\``;
    const fault = sentenceFault(ours["other"] ?? "", sentence, single.has(form));
    if (fault) return `${fault} in its form \`${form}\``;
  }
  return null;
}

function sentenceFault(ours: string, theirs: unknown, inWords = false): string | null {
  if (typeof theirs !== "string" || theirs === "") return "must be a string";
  const [wanted, found] = [namesIn(ours), namesIn(theirs)];
  const missing = [...wanted].find((name) => !found.has(name) && !(inWords && name === "count"));
  if (missing !== undefined) return `lacks the placeholder {${missing}}`;
  const unknown = [...found].find((name) => !wanted.has(name) && name !== "count");
  return unknown === undefined ? null : `has the placeholder {${unknown}}, which nothing fills`;
}

function isTag(tag: string): boolean {
  try {
    return tag.length <= 35 && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
