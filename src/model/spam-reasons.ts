/**
 * What built-in checks say in words of their own, each with its check: the inbox has them in every language of its own. Other
 * reasons name what was found, such as a phrase or an address, and are the same in every language.
 */
export const reasons = {
  tokenMissing: ["token", "missing"],
  tokenUsed: ["token", "used"],
  tokenForged: ["token", "forged"],
  tokenExpired: ["token", "expired"],
  tokenTooFast: ["token", "too_fast"],
  unverified: ["captcha", "unverified"],
  forumMarkup: ["links", "markup of a forum"],
  manyLinks: ["links", "{count} links"],
  repeated: ["repeated", "{count} times in 10 minutes"],
  driven: ["session", "a browser that a program drives"],
  quick: ["session", "sent {count} ms after the page was opened"],
  discard: ["akismet", "discard"],
} as const satisfies Readonly<Record<string, readonly [check: string, words: string]>>;
export type ReasonName = keyof typeof reasons;

/** The reason as it is stored. */
export const reasonText = (name: ReasonName, count = 0): string => reasons[name][1].replace("{count}", String(count));

/** The name of what a check said, with its number; null for what it found, and for a check of the host's. */
export function readReason(check: string, text: string): { name: ReasonName; count: number } | null {
  const count = /\d{1,9}/.exec(text)?.[0] ?? "0";
  for (const [name, [by, words]] of Object.entries(reasons)) {
    if (by === check && words.replace("{count}", count) === text) {
      return { name: name as ReasonName, count: Number(count) };
    }
  }
  return null;
}
