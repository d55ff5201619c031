import type { SubmissionField } from "../../../model/submission-field.ts";

/** The places of a model: any number of different words shares them. */
export const PLACES = 1 << 16;
/** Tokens of one text that count; the rest of a long text tells no more. */
const MAX_TOKENS = 200;
const MAX_TEXT = 20_000;
const MAX_WORD = 40;

const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const PIECES = new RegExp(
  String.raw`https?:\/\/([^\s/?#<>"')]{1,100})|[\w.+-]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63}){1,3})|[${UNSPACED}]+|[\p{L}\p{M}'’-]+`,
  "gu",
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

/**
 * The different tokens of a text: words and pairs of words, hosts of links, domains of addresses; pairs of characters where words have
 * no spaces between them. Bounded, whatever the text.
 */
export function tokensOf(fields: readonly SubmissionField[]): string[] {
  const tokens = new Set<string>();
  let left = MAX_TEXT;
  for (const { value } of fields) {
    if (left <= 0 || tokens.size >= MAX_TOKENS) break;
    addTokens(tokens, value.slice(0, left));
    left -= value.length;
  }
  return [...tokens].slice(0, MAX_TOKENS);
}

function addTokens(tokens: Set<string>, text: string): void {
  let before = "";
  for (const [whole, host, domain] of text.normalize("NFKC").toLowerCase().matchAll(PIECES)) {
    if (tokens.size >= MAX_TOKENS) return;
    if (host !== undefined) {
      tokens.add("link:");
      tokens.add(`link:${host}`);
      tokens.add(`link:.${host.slice(host.lastIndexOf(".") + 1)}`);
    } else if (domain !== undefined) tokens.add(`mail:${domain}`);
    else if (IS_UNSPACED.test(whole)) {
      for (let at = 0; at < whole.length - 1 && tokens.size < MAX_TOKENS; at++) tokens.add(whole.slice(at, at + 2));
    } else if (whole.length > 1 && whole.length <= MAX_WORD) {
      tokens.add(whole);
      if (before !== "") tokens.add(`${before} ${whole}`);
      before = whole;
    }
  }
}

/** The place of a token (FNV-1a). */
export function placeOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

/** The places of a text's tokens. */
export const placesOf = (fields: readonly SubmissionField[]): Uint16Array =>
  Uint16Array.from(new Set(tokensOf(fields).map(placeOf)));

/** The words among the tokens, the host of a link among them. */
export const wordOf = (token: string): string | null => {
  const word = token.replace(/^(?:link|mail):/, "");
  return word === "" || word.startsWith(".") || word.includes(" ") ? null : word;
};
