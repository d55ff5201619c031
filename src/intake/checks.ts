import type { Check, CheckType } from "../forms/rules.ts";
import { isEmail } from "../lib/email.ts";

/** What a check needs to know of a value: it is never empty. */
type Passes = (value: string, wanted: string) => boolean;

interface CheckRow {
  readonly passes: Passes;
  /** The sentence behind "The <field> ". */
  readonly says: (wanted: string) => string;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
const PHONE = /^\+?[\p{Nd}()./\s-]{5,40}( ?(x|ext\.?) ?\p{Nd}{1,6})?$/u;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const MAX_URL = 2_048;
const MAX_SHOWN = 200;

/** Every check that looks at one value alone; `required` and `pattern` are judged where the whole field is known. */
export const valueChecks: Readonly<Record<Exclude<CheckType, "required" | "pattern">, CheckRow>> = {
  email: { passes: (value) => isEmail(value.trim()), says: () => "must be a valid email address." },
  url: { passes: isWebUrl, says: () => "must be a valid URL." },
  number: { passes: (value) => numberOf(value) !== null, says: () => "must be a number." },
  contains: {
    passes: (value, wanted) => holds(value, wanted),
    says: (wanted) => `must contain ${quoted(wanted)}.`,
  },
  not_contains: {
    passes: (value, wanted) => !holds(value, wanted),
    says: (wanted) => `must not contain ${quoted(wanted)}.`,
  },
  // The sentence does not tell what was wanted: forms use this check for questions.
  equals: {
    passes: (value, wanted) => value.trim() === wanted.trim(),
    says: () => "does not have the expected value.",
  },
  one_of: {
    passes: (value, wanted) => listOf(wanted).includes(value.trim()),
    says: (wanted) =>
      wanted.length > MAX_SHOWN ? "must be one of the listed values." : `must be one of ${listOf(wanted).join(", ")}.`,
  },
  min_length: {
    passes: (value, wanted) => lengthOf(value) >= Number(wanted),
    says: (wanted) => `must be at least ${characters(wanted)}.`,
  },
  max_length: {
    passes: (value, wanted) => lengthOf(value) <= Number(wanted),
    says: (wanted) => `must be at most ${characters(wanted)}.`,
  },
  min: {
    passes: (value, wanted) => (numberOf(value) ?? Number.NaN) >= Number(wanted),
    says: (wanted) => `must be at least ${wanted}.`,
  },
  max: {
    passes: (value, wanted) => (numberOf(value) ?? Number.NaN) <= Number(wanted),
    says: (wanted) => `must be at most ${wanted}.`,
  },
  date: { passes: isDate, says: () => "must be a valid date, such as 2026-12-31." },
  phone: { passes: isPhone, says: () => "must be a valid phone number." },
};

/** What the visitor reads about a check that failed: the form's own sentence, or the default one. */
export function sentence(field: string, { type, value, message }: Check): string {
  if (message !== "") return message;
  if (type === "required") return `The ${field} field is required.`;
  if (type === "pattern") return `The ${field} format is invalid.`;
  return `The ${field} ${valueChecks[type].says(value)}`;
}

function isWebUrl(value: string): boolean {
  const text = value.trim();
  if (text.length > MAX_URL || !/^https?:\/\/[^\s/]/i.test(text) || /\s/.test(text)) return false;
  return URL.canParse(text);
}

function numberOf(value: string): number | null {
  const text = value.trim();
  if (text.length > 100 || !NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Ignores case, as searching submissions does. */
const holds = (value: string, wanted: string): boolean => value.toLowerCase().includes(wanted.toLowerCase());

const quoted = (wanted: string): string =>
  `“${wanted.length > MAX_SHOWN ? `${wanted.slice(0, MAX_SHOWN).toWellFormed()}…` : wanted}”`;

const characters = (count: string): string => `${count} character${Number(count) === 1 ? "" : "s"}`;

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

/** What `<input type="date">` and `datetime-local` send, and ISO 8601 timestamps; a day that the month does not have is none. */
function isDate(value: string): boolean {
  const text = value.trim();
  const [, year, month, day] = (text.length <= 40 && DATE.exec(text)) || [];
  if (!year) return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

/** Digits of any script with the usual punctuation: at least 5, and no more than E.164 allows plus an extension. */
function isPhone(value: string): boolean {
  const text = value.trim();
  if (text.length > 50 || !PHONE.test(text)) return false;
  const digits = text.replace(/ ?(x|ext).*$/i, "").replace(/\P{Nd}/gu, "").length;
  return digits >= 5 && digits <= 15;
}
