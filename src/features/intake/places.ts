import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { type Row, retrying } from "../../core/rows.ts";
import { StaleWriteError, type Stored, type Write } from "../../drivers/storage/types.ts";
import { type Batched, batchByKey } from "../../lib/batch-by-key.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { countPlaces, type PlacesRecord, placesLeaf, placesMark, placesOf } from "../forms/places.ts";
import { formFull } from "./availability.ts";

/** Posts to one form that share a commit. */
const MAX_TOGETHER = 64;
const MAX_RACES = 50;

/** The writes of a post that takes a place, and their size in the group commit. */
export interface Placed {
  readonly form: Row<"forms">;
  readonly writes: readonly Write[];
  readonly bytes: number;
}

const turnsOf = perBackend((core) => batchByKey<Placed>((turns) => serve(core, turns)));
const countsOf = perBackend(() => new Map<string, Promise<number>>());

/** True if the form has a limit of submissions. */
export const hasLimit = ({ settings }: FormRecord): boolean => settings.availability.limit !== null;

/**
 * Commits a post to a form with a limit, if there is a place for it. The number of taken places is written in the same commit,
 * under its version: two processes can't take one place, and a process that dies takes none along. Posts that come while the
 * form's last commit runs share the next one. Throws `form_full`, and the errors of the commit.
 */
export const commitInPlace = (core: Core, placed: Placed): Promise<void> => turnsOf(core)(placed.form.id, placed);

/** The writes that take one place, for a commit of the host's. Throws `form_full`. */
export async function placeWrites(core: Core, form: Row<"forms">): Promise<Write[]> {
  const { taken, before, limit } = await stateOf(core, form, 1);
  if (taken >= limit) throw formFull(form.value);
  return [placesMark(form.id, { taken: taken + 1, now: core.clock.now(), before })];
}

/** Throws `form_full` if no place is left, so that a visitor is not asked to correct a post that can't be taken. */
export async function assertPlace(core: Core, form: Row<"forms">): Promise<void> {
  if (!hasLimit(form.value)) return;
  const { taken, limit } = await stateOf(core, form, 1);
  if (taken >= limit) throw formFull(form.value);
}

/** The places that are left, counted anew; null without a limit. */
export async function placesLeft(core: Core, { id, value }: Row<"forms">): Promise<number | null> {
  const { limit } = value.settings.availability;
  return limit === null ? null : Math.max(0, limit - (await countOnce(core, id)));
}

interface State {
  readonly taken: number;
  /** The note as it was read. */
  readonly before: Stored<PlacesRecord> | null;
  readonly limit: number;
}

/**
 * The places that are taken. The note of them may say too many, because deletions and spam free places without telling it, so
 * the rows are counted before a post is refused. It never says too few: whatever adds a row without a place removes the note's
 * number. The note is read first: a post that comes in between changes its version, and the commit fails.
 */
async function stateOf(core: Core, { id, value }: Row<"forms">, asked: number): Promise<State> {
  const limit = value.settings.availability.limit ?? Number.POSITIVE_INFINITY;
  const before = await core.rows.mark(placesOf(id), placesLeaf);
  const noted = before?.value.taken ?? null;
  const isSure = before !== null && core.clock.now() >= Date.parse(before.value.sure_from);
  if (noted !== null && isSure && noted + asked <= limit) return { taken: noted, before, limit };
  return { taken: await countPlaces(core, id), before, limit };
}

/** Visitors who ask at the same time share one count. */
function countOnce(core: Core, form_id: string): Promise<number> {
  const running = countsOf(core);
  const known = running.get(form_id);
  if (known) return known;
  const counted = countPlaces(core, form_id).finally(() => running.delete(form_id));
  running.set(form_id, counted);
  return counted;
}

async function serve(core: Core, turns: readonly Batched<Placed>[]): Promise<void> {
  for (let at = 0; at < turns.length; at += MAX_TOGETHER) await serveSome(core, turns.slice(at, at + MAX_TOGETHER));
}

async function serveSome(core: Core, turns: readonly Batched<Placed>[]): Promise<void> {
  const [{ item }] = turns as [Batched<Placed>];
  let granted: readonly Batched<Placed>[] = [];
  try {
    await retrying(async () => {
      const { taken, before, limit } = await stateOf(core, item.form, turns.length);
      granted = turns.slice(0, Math.max(0, limit - taken));
      if (granted.length > 0) {
        const note = placesMark(item.form.id, { taken: taken + granted.length, now: core.clock.now(), before });
        await commitAll(core, granted, note);
      }
    }, MAX_RACES);
  } catch (error) {
    if (error instanceof Contested && granted.length > 1) {
      // The conflict is one post's own: the others must not fail with it.
      for (const turn of turns) await serveSome(core, [turn]);
      return;
    }
    const cause = error instanceof Contested ? error.cause : error;
    for (const { reject } of turns) reject(cause);
    return;
  }
  for (const { resolve } of granted) resolve();
  for (const { item, reject } of turns.slice(granted.length)) reject(formFull(item.form.value));
}

/** A conflict at another row than the note of the places. */
class Contested extends Error {}

async function commitAll(core: Core, turns: readonly Batched<Placed>[], note: Write): Promise<void> {
  const [{ item }] = turns as [Batched<Placed>];
  const writes = turns.flatMap(({ item }) => item.writes);
  const bytes = turns.reduce((sum, { item }) => sum + item.bytes, 0);
  try {
    await core.commitTogether([...writes, note], bytes, item.form.value.team_id);
  } catch (error) {
    const isOwn = error instanceof StaleWriteError && error.id !== placesOf(item.form.id);
    throw isOwn ? new Contested("another row", { cause: error }) : error;
  }
}
