import en from "../visitors/en.json";
import type { Locale } from "./_types.ts";

type Entry = string | Readonly<Record<string, string>>;
type Groups = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

/** The English sentence for a language with other plural forms. */
const inEveryForm = (entry: Entry): Entry => {
  if (typeof entry === "string") return entry;
  const other = entry["other"] as string;
  return { zero: other, two: other, few: other, many: other, ...entry };
};

/** A language with the English sentence in place of each that nobody has translated yet. */
export function filled(english: object, translated: object): object {
  const theirs = translated as Partial<Groups>;
  const groups = Object.entries(english as Groups).map(([group, entries]) => [
    group,
    Object.fromEntries(
      Object.entries(entries).map(([name, ours]) => [name, theirs[group]?.[name] ?? inEveryForm(ours)]),
    ),
  ]);
  return Object.fromEntries(groups);
}

/** A language of the file that translators write. A test proves its plural forms and placeholders, which no compiler sees. */
export function localeOf(texts: { readonly tag: string; readonly dir: string }): Locale {
  const { tag: _, dir: __, ...english } = en;
  return { tag: texts.tag, dir: texts.dir, ...filled(english, texts) } as Locale;
}
