import { type ApiError, errors } from "../../errors.ts";
import { readReason } from "../../model/spam-reasons.ts";
import type { Verdict } from "../../model/verdict.ts";
import english from "../../texts/inbox/en.json";
import type { PublicRequest } from "./visit.ts";

const isEnglish = ({ words }: Pick<PublicRequest, "words">): boolean => /^en\b/.test(words.tag);

/** A message without the path that it begins with, for a page that shows it beside the control. */
const shortened = (message: string): string =>
  message.replace(/^`[^`]*`:? (\p{L})/u, (_, letter: string) => letter.toUpperCase());

interface Wording {
  readonly group: "wrong" | "refused";
  readonly name: string;
  readonly pattern: RegExp;
}

/** Wordings as patterns of the whole message, with the path that it begins with, if any. */
const wordings: readonly Wording[] = [
  wordingsOf("wrong", english.wrong),
  wordingsOf("refused", english.refused),
].flat();

function wordingsOf(group: Wording["group"], sentences: Readonly<Record<string, string>>): Wording[] {
  return Object.entries(sentences).map(([name, words]) => {
    const text = words
      .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
      .replace(/\{(\w+)\}/g, (_, of: string) => `(?<${of}>${of === "count" ? "\\d{1,9}" : "[^]{1,500}?"})`);
    return { group, name, pattern: new RegExp(`^(?:\`[^\`]*\`:? )?${text}\\.?$`) };
  });
}

/**
 * The message of an error in the language of the person. One that has no words there is said by its code, with the English
 * sentence after it: it may be a sentence of the host's.
 */
export function faultText(
  door: Pick<PublicRequest, "t" | "words">,
  { code, message }: ApiError,
  beside = true,
): string {
  const { t } = door;
  if (isEnglish(door)) return beside ? shortened(message) : message;
  for (const { group, name, pattern } of wordings) {
    const match = pattern.exec(message);
    if (!match) continue;
    const { count, ...texts } = match.groups ?? {};
    const say = (t[group] as Readonly<Record<string, (values: object) => string>>)[name];
    if (say) return say({ ...texts, count: Number(count) });
  }
  const sentences = t.fault as Readonly<Record<string, () => string>>;
  const said = Object.hasOwn(sentences, code) ? sentences[code]?.() : undefined;
  if (said === undefined) return message;
  return message === errors[code].message
    ? said
    : t.wrongly.other({ said, english: beside ? shortened(message) : message });
}

/** The reason of a check in the language of the person; a host's own check, and what was found, in their own words. */
export function reasonIn({ t }: Pick<PublicRequest, "t">, { check, reason }: Verdict): string | null {
  if (reason === undefined) return null;
  const known = readReason(check, reason);
  return known === null ? reason : (t.reason[known.name] as (values: object) => string)({ count: known.count });
}
