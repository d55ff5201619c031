/** A phrase, or a pattern behind the plain text that a match of it always holds. */
type Phrase = string | readonly [holds: string, pattern: string];

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
  [" your ", "(increase|boost) your (traffic|sales|rankings?|online presence)"],
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

/** Finds the phrases of a list in a text. Plain search comes first, because it is ten times cheaper and nearly always enough. */
function finder(phrases: readonly Phrase[]): (text: string) => string[] {
  const known = phrases.map((phrase) => {
    const [holds, pattern] = typeof phrase === "string" ? [phrase, phrase] : phrase;
    // Word borders of every script, which \b does not know: "specialist" holds no drug.
    return { holds, pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, "u") };
  });
  return (text) => known.flatMap(({ holds, pattern }) => (text.includes(holds) ? (pattern.exec(text)?.[0] ?? []) : []));
}

const certainIn = finder(certain);
const tellingIn = finder(telling);

/** The phrase or phrases that give a text away, null where there are too few. */
export function knownPhrases(text: string): string | null {
  // Full-width letters and characters without width are the cheap disguises.
  const plain = text
    .normalize("NFKC")
    .replace(/[\u00AD\u200B-\u200F\u2060\uFEFF]/g, "")
    .toLowerCase()
    .replace(/[^\S ]/g, " ")
    .replace(/ {2,}/g, " ");
  const [sure] = certainIn(plain);
  if (sure) return sure;
  const told = tellingIn(plain);
  return told.length >= 2 ? told.slice(0, 3).join(", ") : null;
}
