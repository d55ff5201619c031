import { ApiError } from "../../errors.ts";
import { isolated } from "../../texts/locales/_words.ts";
import { isOpenedByPerson } from "./origin.ts";
import type { Answers, MemberRequest } from "./visit.ts";

type Other = Answers["presence"][number];
type Doing = Other["doing"];

/** The people at one submission: what they do, in a sentence, and the first letter of one of them. */
export interface There {
  readonly says: string;
  readonly letter: string;
}

const shownFirst: readonly Doing[] = ["answers", "notes", "looks"];
export const asDoing = (text: string | null): Doing | undefined => shownFirst.find((known) => known === text);

/** Names that a sentence has; the others are a number. */
const MOST_NAMES = 3;

/**
 * The others at the submissions of a form, by submission. With `place`, colleagues learn that the person is there too; not from a page
 * that the browser or another site has loaded.
 */
export async function thereIn(
  visit: MemberRequest,
  form_id: string,
  place: { readonly id: string; readonly doing: Doing; readonly arrives: boolean } | null,
): Promise<Record<string, There>> {
  if (!visit.shows("presence")) return {};
  const said = place && isOpenedByPerson(visit.exchange.request) ? place : null;
  try {
    const others = await visit.call("presence", { params: { form_id }, body: { at: said } });
    const ids = new Set(others.map(({ submission_id }) => submission_id));
    const at = (id: string): Other[] => others.filter(({ submission_id }) => submission_id === id);
    return Object.fromEntries(Array.from(ids, (id) => [id, thereOf(visit, at(id))]));
  } catch (error) {
    // The form was deleted, or closed to the person, while its page was open.
    if (error instanceof ApiError && error.status < 500) return {};
    throw error;
  }
}

function thereOf(visit: MemberRequest, others: readonly Other[]): There {
  const doers = shownFirst.map((doing) => others.filter((one) => one.doing === doing));
  const sentences = doers.filter((some) => some.length > 0).map((some) => sentence(visit, some));
  return { says: sentences.join(" · "), letter: letterOf(doers.flat()[0]?.name ?? "") };
}

/** Stands for the names while the sentence is made: each of them keeps its own direction, which a value of the sentence does not. */
const NAMES = "\u0001";

/** The sentence for people who do the same. */
function sentence({ t, words }: MemberRequest, some: readonly Other[]): string {
  const names = some.map(({ name }) => name);
  const doing = some[0]?.doing ?? "looks";
  const shown = names.slice(0, names.length > MOST_NAMES + 1 ? MOST_NAMES : names.length);
  const rest = names.length - shown.length;
  const parts = [
    ...shown.map((name) => isolated(name, words.dir)),
    ...(rest > 0 ? [t.there.others({ count: rest })] : []),
  ];
  const list = new Intl.ListFormat(words.tag, { type: "conjunction" }).format(parts);
  return t.there[doing]({ names: NAMES, count: names.length }).replace(NAMES, () => list);
}

const letterOf = (name: string): string => {
  const [first] = new Intl.Segmenter().segment(name);
  return (first?.segment ?? "").toUpperCase().slice(0, 8);
};
