import type { Core } from "../../core/core.ts";
import { put, retrying } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { block, list, nullable, text, time } from "../../lib/leaves.ts";
import { oneLine } from "../../lib/one-line.ts";
import type { MarkId } from "../../model/marks.ts";
import type { Person } from "../../model/work.ts";

/** Acts of people at a submission, beginning with the one that matters most to others. */
export const doings = ["answers", "notes", "looks"] as const;
export type Doing = (typeof doings)[number];

/** Somebody counts as being there for so long after they have said so; their page says it every 15 seconds. */
const LASTS_MS = 60_000;
/** An entry that would say the same is written again when less than this is left of it. */
const RENEW_MS = 35_000;
/** Entries of a team, and of a person in it, who may have several windows. */
export const MOST = 60;
export const MOST_OF_PERSON = 3;
const MOST_CHARACTERS = 60;
/** Tries against other writers. What can't be written now is said again soon. */
const TRIES = 12;

/** A person at a submission. */
interface Entry {
  id: string;
  name: string;
  form_id: string;
  submission_id: string;
  doing: string;
  until: string;
}

interface Presence {
  there: Entry[];
  expires_at: string | null;
}

const leaf = block<Presence>({
  there: list(
    block<Entry>({
      id: text(""),
      name: text(""),
      form_id: text(""),
      submission_id: text(""),
      doing: text("looks"),
      until: time(),
    }),
  ),
  expires_at: nullable(time()),
});

const markOf = (team_id: string): MarkId => `presence:${team_id}`;

/** The place of a person, and what they do there. */
export interface Place {
  readonly form_id: string;
  readonly submission_id: string;
  readonly doing: Doing;
  /** True if they have just opened its page, and so look at no other. */
  readonly arrives: boolean;
}

/** Somebody else at a submission. */
export interface Other {
  readonly submission_id: string;
  readonly name: string;
  readonly doing: Doing;
}

/**
 * Says where a person of a team is, where `place` is given, and answers who else is at the submissions of a form. It is one row for
 * each team, which all processes share and which is gone a minute after the last one.
 */
export async function present(
  core: Core,
  team_id: string,
  form_id: string,
  me: Person,
  place: Place | null,
): Promise<Other[]> {
  const mark = markOf(team_id);
  const read = async () => {
    const row = await core.rows.mark(mark, leaf);
    const at = iso(core.clock.now());
    return { row, there: (row?.value.there ?? []).filter(({ until }) => until > at) };
  };
  let there: readonly Entry[] = [];
  try {
    await retrying(async () => {
      const found = await read();
      there = found.there;
      const now = core.clock.now();
      const wanted = place && withPlace(there, me, place, now);
      if (!wanted) return;
      const value: Presence = { there: wanted, expires_at: iso(now + LASTS_MS) };
      await core.commitNow([put("marks", mark, value, found.row?.version ?? null)]);
    }, TRIES);
  } catch (error) {
    // A full disk takes no row, and is no reason to hide what can be read.
    if (!(error instanceof ApiError) || error.code !== "unavailable") throw error;
  }
  return there
    .filter((entry) => entry.form_id === form_id && entry.id !== me.id)
    .map(({ submission_id, name, doing }) => ({ submission_id, name, doing: doingOf(doing) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A later version may know more. */
const doingOf = (doing: string): Doing => doings.find((known) => known === doing) ?? "looks";

/** The entries with this one, the latest first; null if they say it already. */
function withPlace(there: readonly Entry[], me: Person, place: Place, now: number): Entry[] | null {
  const { form_id, submission_id, doing, arrives } = place;
  const isHere = (entry: Entry): boolean => entry.form_id === form_id && entry.submission_id === submission_id;
  const mine = there.filter(({ id }) => id === me.id);
  const elsewhere = mine.filter((entry) => !isHere(entry) && !(arrives && doingOf(entry.doing) === "looks"));
  const known = mine.find(isHere);
  const isFresh = known?.doing === doing && Date.parse(known.until) - now > RENEW_MS;
  if (isFresh && elsewhere.length === mine.length - 1) return null;
  const entry: Entry = {
    id: me.id,
    name: nameOf(me),
    form_id,
    submission_id,
    doing,
    until: iso(now + LASTS_MS),
  };
  return [entry, ...elsewhere.slice(0, MOST_OF_PERSON - 1), ...there.filter(({ id }) => id !== me.id)].slice(0, MOST);
}

/** A name may be of any length, and have marks that turn the text around it. */
const nameOf = ({ id, name }: Person): string =>
  Array.from(oneLine(name) || oneLine(id) || "?")
    .slice(0, MOST_CHARACTERS)
    .join("");
