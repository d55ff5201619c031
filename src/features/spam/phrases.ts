import { once } from "../../lib/once.ts";

/** A phrase, or a pattern together with the plain texts that its matches begin with. */
type Phrase = string | readonly [begins: string | readonly string[], pattern: string];

// Short on purpose: phrases that real visitors of contact forms hardly ever write. One phrase of the first list is enough; of
// the second list, two different ones are needed.
const certain: readonly Phrase[] = [
  "viagra",
  "cialis",
  "levitra",
  "porn videos",
  "porn site",
  "xxx videos",
  "adult dating",
  "sex dating",
  "escort service",
  "online casino",
  "casino bonus",
  "slot gacor",
  "sports betting tips",
  ["payday loan", "payday loans?"],
  "buy backlinks",
  "buy followers",
  "buy instagram followers",
  "replica watches",
  "double your bitcoin",
  ["guaranteed crypto profit", "guaranteed crypto profits?"],
  "your website is hacked",
  "i have hacked your",
  "рабочее зеркало казино",
  "казино онлайн",
];

const telling: readonly Phrase[] = [
  ["rank ", "rank (your|on) (website|site|first page|google)"],
  "first page of google",
  ["seo ", "seo (agency|package|expert)"],
  [["increase your ", "boost your "], "(increase|boost) your (traffic|sales|rankings?|online presence)"],
  ["guest post", "guest posts?"],
  "high quality backlinks",
  "domain authority",
  ["email list", "email lists?"],
  ["bulk email", "bulk emails?"],
  ["contact form ", "contact form (blast|marketing|submissions?)"],
  ["make money ", "make money (online|fast|from home)"],
  ["earn ", "earn \\$?\\d+ (a|per) (day|week|hour)"],
  "passive income",
  ["risk", "risk[- ]free"],
  ["100% ", "100% (free|guaranteed)"],
  ["crypto", "crypto(currency)? (investment|trading|signals?)"],
  ["forex ", "forex (signals?|trading)"],
  "binary options",
  ["unsecured loan", "unsecured loans?"],
  "no credit check",
  ["click ", "click (here|the link below)"],
  "limited time offer",
  "act now",
  "weight loss",
  ["cbd ", "cbd (oil|gummies)"],
  ["dear ", "dear (website|site|business) owner"],
];

interface Known {
  readonly begins: readonly string[];
  /** Compiled where a text has the beginning, which few have. */
  readonly pattern: () => RegExp;
  readonly enough: boolean;
}

const known = [...certain.map((phrase) => read(phrase, true)), ...telling.map((phrase) => read(phrase, false))];

function read(phrase: Phrase, enough: boolean): Known {
  const [begins, pattern] = typeof phrase === "string" ? [phrase, phrase] : phrase;
  // Word borders of every script, unlike \b: "specialist" contains no drug.
  const whole = once(() => new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, "u"));
  return { begins: [begins].flat(), pattern: whole, enough };
}

/**
 * True if any phrase may begin in a text in lower case. Nearly every post passes this one expression: a border of ASCII words
 * is cheap, and the first three letters are tested before the rest, so few places need the full test.
 */
const mayBegin = beginnings(known.flatMap(({ begins }) => begins));

function beginnings(texts: readonly string[]): RegExp {
  const ends = new Map<string, string[]>();
  for (const text of texts) {
    const start = text.slice(0, 3);
    ends.set(start, [...(ends.get(start) ?? []), anySpace(text.slice(3))]);
  }
  const either = [...ends].map(([start, rest]) => `${anySpace(start)}(?:${rest.join("|")})`);
  const ascii = either.filter((begin) => /^\w/.test(begin));
  const others = either.filter((begin) => !ascii.includes(begin));
  return new RegExp(`\\b(?:${ascii.join("|")})|${others.join("|")}`);
}

function anySpace(text: string): string {
  return text.replaceAll(" ", "\\s+");
}

/** A text as phrases and words are compared: in small letters, undisguised, one space for any white space. */
export const plainText = (text: string): string =>
  (isAscii(text) ? text : undisguised(text)).toLowerCase().replace(/\s+/g, " ");

/** The phrase or phrases that mark a text as spam, null if there are fewer than `needed` of those that are only telling. */
export function knownPhrases(text: string, needed = 2): string | null {
  const small = (isAscii(text) ? text : undisguised(text)).toLowerCase();
  // An underscore is a letter to `\b`, but not to us.
  if (!mayBegin.test(small.replaceAll("_", " "))) return null;
  const plain = small.replace(/\s+/g, " ");
  const maybe = known.filter(({ begins }) => begins.some((begin) => plain.includes(begin)));
  const matches = (enough: boolean): string[] =>
    maybe.flatMap((one) => (one.enough === enough ? (one.pattern().exec(plain)?.[0] ?? []) : []));
  const [sure] = matches(true);
  if (sure) return sure;
  const told = matches(false);
  return told.length >= needed ? told.slice(0, 3).join(", ") : null;
}

/** One character as `knownPhrases` compares it: in small letters, undisguised, a space for any white space. */
export const plainUnit = (unit: string): string =>
  (unit < "\u0080" ? unit : undisguised(unit)).toLowerCase().replace(/\s/g, " ");

/** Only ASCII has as many bytes as characters, and counting them is quicker than looking. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Full-width letters and characters without width are the cheap disguises. */
const undisguised = (text: string): string => text.normalize("NFKC").replace(/[\u00AD\u200B-\u200F\u2060\uFEFF]/g, "");
