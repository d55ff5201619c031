import type { English as Written } from "../visitors/english.ts";

type English = Omit<Written, "tag" | "dir">;

/** The names of the placeholders of a sentence: `"field"` of `The {field} must be a number.` */
type NamesIn<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The intersection of the members of a union. */
type Every<Union> = (Union extends unknown ? (one: Union) => void : never) extends (every: infer All) => void
  ? All
  : never;

/** A text with each of these placeholders, in any order. */
type Holding<Name extends string> = [Name] extends [never]
  ? string
  : Every<Name extends string ? `${string}{${Name}}${string}` : never>;

interface EnglishPlural {
  readonly one: string;
  readonly other: string;
}

/**
 * A sentence for each plural form of the language (CLDR). `other` replaces missing ones. A form for a single number may leave
 * out the number.
 */
type Plural<Name extends string> = {
  readonly [Form in "few" | "many"]?: Holding<Name>;
} & {
  readonly [Form in "zero" | "one" | "two"]?: Holding<Exclude<Name, "count">>;
} & { readonly other: Holding<Name> };

/** A sentence in another language: with the same placeholders, and with the plural forms of that language. */
export type Translated<Entry> = Entry extends EnglishPlural ? Plural<NamesIn<Entry["other"]>> : Holding<NamesIn<Entry>>;

/**
 * A language: every sentence that visitors and owners read. A sentence or a placeholder that is missing is a compile error, and
 * refused at start.
 *
 * @example
 * export const sv: Locale = { tag: "sv", dir: "ltr", defaults: { headline: "Tack!", … }, … };
 */
export type Locale = {
  /** A BCP 47 tag, such as `de` or `pt-BR`. */
  readonly tag: string;
  /** The direction in which it is written. */
  readonly dir: "ltr" | "rtl";
} & {
  readonly [Group in keyof English]: {
    readonly [Name in keyof English[Group]]: Translated<English[Group][Name]>;
  };
};

type Values<Name extends string> = { readonly [N in Name]: N extends "count" ? number : string };

/** A sentence as a function of its placeholders. */
export type Spoken<Entry> = Entry extends EnglishPlural
  ? (values: Values<NamesIn<Entry["other"]> | "count">) => string
  : [NamesIn<Entry>] extends [never]
    ? () => string
    : (values: Values<NamesIn<Entry>>) => string;

/** Every sentence of a language as a function of its placeholders. */
export type Sentences = {
  readonly [Group in keyof English]: { readonly [Name in keyof English[Group]]: Spoken<English[Group][Name]> };
};
