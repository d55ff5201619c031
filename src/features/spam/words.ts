import { plainText } from "./phrases.ts";

/** Finds words of a list in a text, in any case, whole, however they are disguised. Its time is linear in the text. */
export type WordFinder = (text: string) => string[];

/** More words than this tell a reader no more. */
const MAX_FOUND = 3;

/** Scripts that are written without spaces: their words are found inside of others too. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /[\p{L}\p{N}]/u;

/** A state: the text so far is the beginning of a word, and no longer one is. */
interface State {
  readonly next: Map<string, State>;
  /** The longest proper end of this text that is itself the beginning of a word. */
  fallback: State | null;
  /** The words that end here. */
  readonly ends: string[];
}

const newState = (): State => ({ next: new Map(), fallback: null, ends: [] });

/**
 * Prepares a list of words (Aho and Corasick). One look at each character finds all words: with one search for each of 500 words, a
 * post of 20,000 characters would cost 500 times as much.
 */
export function wordFinder(words: readonly string[]): WordFinder {
  if (words.length === 0) return () => [];
  const root = newState();
  for (const word of words) {
    const plain = plainText(word).trim();
    let state = root;
    for (const unit of plain.split("")) {
      const next = state.next.get(unit) ?? newState();
      state.next.set(unit, next);
      state = next;
    }
    if (state !== root && !state.ends.includes(plain)) state.ends.push(plain);
  }
  link(root);
  return (text) => find(root, plainText(text));
}

function link(root: State): void {
  const waiting: State[] = [root];
  for (const state of waiting) {
    for (const [unit, next] of state.next) {
      let fallback = state.fallback;
      while (fallback && !fallback.next.has(unit)) fallback = fallback.fallback;
      next.fallback = fallback?.next.get(unit) ?? root;
      next.ends.push(...next.fallback.ends);
      waiting.push(next);
    }
  }
}

function find(root: State, text: string): string[] {
  const found = new Set<string>();
  let state = root;
  for (let at = 0; at < text.length && found.size < MAX_FOUND; at++) {
    const unit = text[at] as string;
    while (state !== root && !state.next.has(unit)) state = state.fallback ?? root;
    state = state.next.get(unit) ?? root;
    if (state.ends.length === 0 || isJoined(text, at + 1)) continue;
    for (const word of state.ends) if (!isJoined(text, at + 1 - word.length)) found.add(word);
  }
  return [...found].slice(0, MAX_FOUND);
}

/** True if a word goes on over this place, in the scripts where that can be told. */
const isJoined = (text: string, place: number): boolean => joins(before(text, place), at(text, place));

const at = (text: string, place: number): string =>
  place < text.length ? String.fromCodePoint(text.codePointAt(place) as number) : "";

function before(text: string, place: number): string {
  if (place === 0) return "";
  const low = text.charCodeAt(place - 1);
  const isPair = low >= 0xdc00 && low < 0xe000 && place > 1;
  return text.slice(place - (isPair ? 2 : 1), place);
}

const joins = (left: string, right: string): boolean =>
  LETTER.test(left) && LETTER.test(right) && !UNSPACED.test(left) && !UNSPACED.test(right);
