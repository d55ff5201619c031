import { once } from "../../lib/once.ts";
import type { Locale, Sentences } from "./_types.ts";

/** A language at work: its sentences, and how it writes times, numbers and sizes. */
export interface Words extends Sentences {
  readonly tag: string;
  readonly dir: "ltr" | "rtl";
  /** A timestamp to the minute, in UTC: `21 November 2026 at 04:16 UTC`. */
  time(timestamp: string): string;
  /** Its day: `21 November 2026`. */
  day(timestamp: string): string;
  /** A number of bytes, in the unit that people read. */
  size(bytes: number, round?: (amount: number) => number): string;
}

type Entry = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
type Values = Readonly<Record<string, string | number>>;

/** English dates are written as most of the world does. */
const dateTag = (tag: string): string => (tag === "en" ? "en-GB" : tag);

/** The sentences of a catalogue. */
export type Groups = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

const numbersOf = (tag: string): (() => Intl.NumberFormat) =>
  once(() => new Intl.NumberFormat(tag, { useGrouping: "min2", maximumFractionDigits: 1 } as object));

/** The sentences of a catalogue as functions of their placeholders. */
export function spokenOf(groups: Groups, { tag, dir }: { readonly tag: string; readonly dir: "ltr" | "rtl" }): object {
  const plural = once(() => new Intl.PluralRules(tag));
  const numbers = numbersOf(tag);
  const said = (entry: Entry, values: Values): string => {
    const sentence =
      typeof entry === "string" ? entry : (entry[plural().select(Number(values["count"]))] ?? entry.other);
    return (sentence ?? "").replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : typeof value === "number" ? numbers().format(value) : isolated(value, dir);
    });
  };
  const bound = Object.entries(groups).map(([group, entries]) => [
    group,
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [name, (values: Values = {}) => said(entry, values)]),
    ),
  ]);
  return Object.fromEntries(bound);
}

/** Puts a language to work. */
export function wordsOf(locale: Locale): Words {
  const { tag, dir, ...groups } = locale;
  const numbers = numbersOf(tag);
  const date = { year: "numeric", month: "long", day: "numeric", timeZone: "UTC" } as const;
  const days = once(() => new Intl.DateTimeFormat(dateTag(tag), date));
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;
  const times = once(() => new Intl.DateTimeFormat(dateTag(tag), { ...date, ...clock }));

  const sentences = spokenOf(groups as Groups, { tag, dir }) as Sentences;

  return {
    ...sentences,
    tag,
    dir,
    time: (timestamp) => times().format(new Date(timestamp)),
    day: (timestamp) => days().format(new Date(timestamp)),
    size(bytes, round = rounded) {
      if (bytes < 1024) return sentences.files.bytes({ count: bytes });
      const mega = bytes >= 1024 * 1024;
      const amount = numbers().format(round(bytes / (mega ? 1024 * 1024 : 1024)));
      return mega ? sentences.files.megabytes({ amount }) : sentences.files.kilobytes({ amount });
    },
  };
}

/** To one decimal below ten. */
const rounded = (amount: number): number => (amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount));

const RTL = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const LTR_OR_NUMBER = /[\p{N}\p{L}]/u;

/**
 * A value between marks that let it run in its own direction, where that may be another one than the sentence's: a name in Latin
 * letters would otherwise pull the brackets and full stops of an Arabic sentence to its own side (UAX 9, FSI and PDI).
 */
export function isolated(value: string, dir: "ltr" | "rtl"): string {
  const foreign = dir === "ltr" ? RTL.test(value) : LTR_OR_NUMBER.test(value.replace(new RegExp(RTL, "gu"), ""));
  // Marks in the value could end the isolation early.
  return foreign ? `\u2068${value.replace(/[\u2066-\u2069]/g, "")}\u2069` : value;
}
