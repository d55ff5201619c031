import { readFileSync } from "node:fs";

const file = new URL("../bench/spam/sentences.json", import.meta.url);
const { spam, ham } = JSON.parse(readFileSync(file, "utf8")).en as Record<"spam" | "ham", string[]>;

/** A text of spam that no list and no other check knows, in the words of `spamText`. */
export const CAMPAIGN =
  "Our team of experts builds modern websites, explainer videos and discounts, reply YES for a free audit";
/** A visitor's text in the words of `hamText`. */
export const QUESTION = "Could you tell me when my order arrives in Bern?";

const text = (list: readonly string[], at: number): string =>
  `${list[at % list.length]} ${list[(at * 7 + 3) % list.length]}`.replaceAll(/\{\w+\}/g, String(at));

/** Texts to be marked: two sentences of a spammer, or of a visitor. */
export const spamText = (at: number): string => text(spam, at);
export const hamText = (at: number): string => text(ham, at);
