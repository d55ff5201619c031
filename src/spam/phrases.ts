// Short on purpose: what real visitors of contact forms hardly ever write. A phrase of the first list is enough by itself,
// of the second list two different ones are needed.
const certain = [
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
  "payday loans?",
  "buy backlinks",
  "buy followers",
  "buy instagram followers",
  "replica watches",
  "double your bitcoin",
  "guaranteed crypto profits?",
  "your website is hacked",
  "i have hacked your",
  "рабочее зеркало казино",
  "казино онлайн",
];

const telling = [
  "rank (your|on) (website|site|first page|google)",
  "first page of google",
  "seo (agency|package|expert)",
  "(increase|boost) your (traffic|sales|rankings?|online presence)",
  "guest posts?",
  "high quality backlinks",
  "domain authority",
  "email lists?",
  "bulk emails?",
  "contact form (blast|marketing|submissions?)",
  "make money (online|fast|from home)",
  "earn \\$?\\d+ (a|per) (day|week|hour)",
  "passive income",
  "risk[- ]free",
  "100% (free|guaranteed)",
  "crypto(currency)? (investment|trading|signals?)",
  "forex (signals?|trading)",
  "binary options",
  "unsecured loans?",
  "no credit check",
  "click (here|the link below)",
  "limited time offer",
  "act now",
  "weight loss",
  "cbd (oil|gummies)",
  "dear (website|site|business) owner",
];

// Word borders of every script, which \b does not know: "specialist" holds no drug.
const anyOf = (phrases: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrases.join("|")})(?![\\p{L}\\p{N}])`, "gu");

const CERTAIN = anyOf(certain);
const TELLING = anyOf(telling);

/** The phrase or phrases that give a text away, null where there are too few. */
export function knownPhrases(text: string): string | null {
  // Full-width letters and characters without width are the cheap disguises.
  const plain = text
    .normalize("NFKC")
    .replace(/[\u00AD\u200B-\u200F\u2060\uFEFF]/g, "")
    .toLowerCase()
    .replace(/\s+/g, " ");
  const [sure] = plain.match(CERTAIN) ?? [];
  if (sure) return sure;
  const told = [...new Set(plain.match(TELLING) ?? [])];
  return told.length >= 2 ? told.slice(0, 3).join(", ") : null;
}
