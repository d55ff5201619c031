import { type ApiError, errors } from "../errors.ts";
import type { Verdict } from "../model/verdict.ts";
import { readReason } from "../spam/reasons.ts";
import english from "./texts/_faults.ts";
import type { Texts } from "./texts.ts";
import type { Door } from "./visit.ts";

const isEnglish = ({ words }: Pick<Door, "words">): boolean => /^en\b/.test(words.tag);

/** A message without the path that it begins with, for a page that shows it beside the control. */
const shortened = (message: string): string =>
  message.replace(/^`[^`]*`:? (\p{L})/u, (_, letter: string) => letter.toUpperCase());

/** The wordings of wrong values, each as a pattern of the whole message. */
const wordings = Object.entries(english.wrong).map(([name, words]) => ({
  name: name as keyof Texts["wrong"],
  pattern: new RegExp(
    `^\`[^\`]*\` ${words.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace("{count}", "(?<count>\\d{1,9})")}\\.$`,
  ),
}));

/**
 * The message of an error in the language of the person. One that has no words there is said by its code, with the English
 * sentence after it: it may be a sentence of the host's.
 */
export function faultText(door: Pick<Door, "t" | "words">, { code, message }: ApiError, beside = true): string {
  const { t } = door;
  if (isEnglish(door)) return beside ? shortened(message) : message;
  for (const { name, pattern } of wordings) {
    const match = pattern.exec(message);
    if (match) return (t.wrong[name] as (values: object) => string)({ count: Number(match.groups?.["count"]) });
  }
  const sentences = t.fault as Readonly<Record<string, () => string>>;
  const said = Object.hasOwn(sentences, code) ? sentences[code]?.() : undefined;
  if (said === undefined) return message;
  return message === errors[code].message
    ? said
    : t.wrongly.other({ said, english: beside ? shortened(message) : message });
}

/** The reason of a check in the language of the person; a host's own check, and what was found, in their own words. */
export function reasonIn({ t }: Pick<Door, "t">, { check, reason }: Verdict): string | null {
  if (reason === undefined) return null;
  const known = readReason(check, reason);
  return known === null ? reason : (t.reason[known.name] as (values: object) => string)({ count: known.count });
}
