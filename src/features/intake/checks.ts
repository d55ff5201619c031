import { canParseUrl } from "../../lib/can-parse-url.ts";
import { isEmail } from "../../lib/email.ts";
import { textFinder } from "../../lib/text-finder.ts";
import type { Check, CheckType } from "../../model/rules.ts";
import type { Words } from "../../texts/locales/_words.ts";

/** A value that is not empty, with properties that many checks share, computed once. */
export interface CheckedValue {
  readonly text: string;
  readonly trimmed: string;
  /** Without case. */
  folded(): string;
  /** Characters as people count them. */
  length(): number;
}

/** Judges the values of any number of posts; each check's `value` is parsed once. */
export type Judge = (value: CheckedValue) => boolean;

interface CheckRow {
  readonly judge: (wanted: string) => Judge;
  /** The message to the visitor if a value fails. */
  readonly says: (said: Words["validation"], field: string, wanted: string) => string;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
const PHONE = /^\+?[\p{Nd}()./\s-]{5,40}( ?(x|ext\.?) ?\p{Nd}{1,6})?$/u;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const MAX_URL = 2_048;
const MAX_SHOWN = 200;

/** Every check that looks at one value alone; `required` and `pattern` are judged where the whole field is known. */
export const valueChecks: Readonly<Record<Exclude<CheckType, "required" | "pattern">, CheckRow>> = {
  email: { judge: () => trimmed(isEmail), says: (said, field) => said.email({ field }) },
  url: { judge: () => trimmed(isWebUrl), says: (said, field) => said.url({ field }) },
  number: { judge: () => trimmed((text) => numberOf(text) !== null), says: (said, field) => said.number({ field }) },
  contains: {
    judge: (wanted) => holding(wanted),
    says: (said, field, wanted) => said.contains({ field, wanted: shown(wanted) }),
  },
  not_contains: {
    judge: (wanted) => not(holding(wanted)),
    says: (said, field, wanted) => said.not_contains({ field, wanted: shown(wanted) }),
  },
  // The sentence does not reveal the expected text: forms use this check for quiz questions.
  equals: {
    judge(wanted) {
      const expected = wanted.trim();
      return (value) => value.trimmed === expected;
    },
    says: (said, field) => said.equals({ field }),
  },
  one_of: {
    judge(wanted) {
      const list = new Set(listOf(wanted));
      return (value) => list.has(value.trimmed);
    },
    says: (said, field, wanted) =>
      wanted.length > MAX_SHOWN
        ? said.one_of_listed({ field })
        : said.one_of({ field, list: listOf(wanted).join(said.comma()) }),
  },
  min_length: {
    judge: (wanted) => (value) => value.length() >= Number(wanted),
    says: (said, field, wanted) => said.min_length({ field, count: Number(wanted) }),
  },
  max_length: {
    judge: (wanted) => (value) => value.length() <= Number(wanted),
    says: (said, field, wanted) => said.max_length({ field, count: Number(wanted) }),
  },
  min: {
    judge: (wanted) => trimmed((text) => (numberOf(text) ?? Number.NaN) >= Number(wanted)),
    says: (said, field, wanted) => said.min({ field, wanted }),
  },
  max: {
    judge: (wanted) => trimmed((text) => (numberOf(text) ?? Number.NaN) <= Number(wanted)),
    says: (said, field, wanted) => said.max({ field, wanted }),
  },
  date: { judge: () => trimmed(isDate), says: (said, field) => said.date({ field }) },
  phone: { judge: () => trimmed(isPhone), says: (said, field) => said.phone({ field }) },
};

/** The value as checks look at it. */
export function checkedValue(text: string): CheckedValue {
  let folded: string | undefined;
  let length: number | undefined;
  return {
    text,
    trimmed: text.trim(),
    folded: () => (folded ??= text.toLowerCase()),
    length: () => (length ??= lengthOf(text)),
  };
}

/** Looks at the text without the spaces around it. */
function trimmed(passes: (text: string) => boolean): Judge {
  return (value) => passes(value.trimmed);
}

function not(judge: Judge): Judge {
  return (value) => !judge(value);
}

/** Ignores case, as searching submissions does. */
function holding(wanted: string): Judge {
  const find = textFinder(wanted.toLowerCase());
  return (value) => find(value.folded());
}

/** The visitor's message of a failed check: the form's own sentence, or that of the language. */
export function sentence({ validation }: Words, field: string, { type, value, message }: Check): string {
  if (message !== "") return message;
  if (type === "required") return validation.required({ field });
  if (type === "pattern") return validation.pattern({ field });
  return valueChecks[type].says(validation, field, value);
}

function isWebUrl(text: string): boolean {
  if (text.length > MAX_URL || !/^https?:\/\/[^\s/]/i.test(text) || /\s/.test(text)) return false;
  return canParseUrl(text);
}

function numberOf(text: string): number | null {
  if (text.length > 100 || !NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

const shown = (wanted: string): string =>
  wanted.length > MAX_SHOWN ? `${wanted.slice(0, MAX_SHOWN).toWellFormed()}…` : wanted;

const listOf = (wanted: string): string[] => wanted.split(",").map((entry) => entry.trim());

/** Characters as people count them: a pair of surrogates is one, and so is the line break that browsers send as CRLF. */
function lengthOf(value: string): number {
  let length = 0;
  for (let i = 0; i < value.length; i++, length++) {
    const code = value.charCodeAt(i);
    if (code === 0x0d && value.charCodeAt(i + 1) === 0x0a) i++;
    else if (code >= 0xd800 && code < 0xdc00) i++;
  }
  return length;
}

/** Values of `<input type="date">` and `datetime-local`, and ISO 8601 timestamps; days that the month does not have are invalid. */
function isDate(text: string): boolean {
  const [, year, month, day] = (text.length <= 40 && DATE.exec(text)) || [];
  if (!year) return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

/** Digits of any script with the usual punctuation: at least 5, and no more than E.164 allows plus an extension. */
function isPhone(text: string): boolean {
  if (text.length > 50 || !PHONE.test(text)) return false;
  const digits = text.replace(/ ?(x|ext).*$/i, "").replace(/\P{Nd}/gu, "").length;
  return digits >= 5 && digits <= 15;
}
