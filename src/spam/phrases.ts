/** A phrase, or a pattern behind the plain texts of which every match begins with one. */
type Phrase = string | readonly [begins: string | readonly string[], pattern: string];

// Short on purpose: what real visitors of contact forms hardly ever write. A phrase of the first list is enough by itself,
// of the second list two different ones are needed.
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
  readonly pattern: RegExp;
  readonly enough: boolean;
}

const known = [...certain.map((phrase) => read(phrase, true)), ...telling.map((phrase) => read(phrase, false))];

function read(phrase: Phrase, enough: boolean): Known {
  const [begins, pattern] = typeof phrase === "string" ? [phrase, phrase] : phrase;
  // Word borders of every script, which \b does not know: "specialist" holds no drug.
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, "u");
  return { begins: [begins].flat(), pattern: whole, enough };
}

interface Beginning {
  readonly text: string;
  readonly phrase: Known;
}

/** By their first two characters. Every post is read for all phrases, so the text is walked once and not once for each. */
const byStart = new Map<number, Beginning[]>();
const startAt = (text: string, i: number): number => text.charCodeAt(i) * 0x10000 + text.charCodeAt(i + 1);
for (const phrase of known) {
  for (const text of phrase.begins) {
    const start = startAt(text, 0);
    byStart.set(start, [...(byStart.get(start) ?? []), { text, phrase }]);
  }
}

/** The phrases that may begin in a text, by the letters at the beginnings of its words. */
function candidates(text: string): Set<Known> {
  const found = new Set<Known>();
  let inside = false;
  for (let i = 0; i + 1 < text.length; i++) {
    const code = text.charCodeAt(i);
    const begins = inside || code === 32 ? undefined : byStart.get(startAt(text, i));
    if (begins) for (const { text: begin, phrase } of begins) if (text.startsWith(begin, i)) found.add(phrase);
    // Beyond ASCII a character may be a letter or a quotation mark: the pattern tells.
    inside = (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  }
  return found;
}

/** The phrase or phrases that give a text away, null where there are too few. */
export function knownPhrases(text: string): string | null {
  const plain = (/[^\0-\x7f]/.test(text) ? undisguised(text) : text)
    .toLowerCase()
    .replace(/[^\S ]/g, " ")
    .replace(/ {2,}/g, " ");
  const maybe = candidates(plain);
  if (maybe.size === 0) return null;
  const matches = (enough: boolean): string[] =>
    known.flatMap((one) => (one.enough === enough && maybe.has(one) ? (one.pattern.exec(plain)?.[0] ?? []) : []));
  const [sure] = matches(true);
  if (sure) return sure;
  const told = matches(false);
  return told.length >= 2 ? told.slice(0, 3).join(", ") : null;
}

/** Full-width letters and characters without width are the cheap disguises. */
const undisguised = (text: string): string => text.normalize("NFKC").replace(/[\u00AD\u200B-\u200F\u2060\uFEFF]/g, "");
