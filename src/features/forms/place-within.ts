import type { Core } from "../../core/core.ts";
import type { Within } from "../../core/host-transaction.ts";
import { put } from "../../core/rows.ts";
import type { Stored, Transaction, Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import type { TeamRecord } from "../../model/teams.ts";
import { DEFAULT_TEAM, defaultTeam, teamsWrittenIn } from "../teams/service.ts";

/** A transaction of the host's, and the way to write in it. */
type Joined = { readonly tx: Transaction } & Pick<Within, "commit">;

/** A team as a transaction of the host's sees it. All other commits may wait for its end, so the default team is made in it, too. */
export async function teamWithin(
  core: Core,
  { tx }: Joined,
  id: string,
  also: Write[],
): Promise<Stored<TeamRecord> | null> {
  const written = teamsWrittenIn(core, tx);
  const row = await core.rows.get("teams", id);
  const known = written.get(id);
  // A handle may have several transactions, one after another: what the store shows itself is no longer of this one alone.
  if (known && row && row.version >= known.version) written.delete(id);
  else if (known) return { id, value: known.value, version: known.version };
  if (row || id !== DEFAULT_TEAM) return row;
  const value = defaultTeam(core);
  written.set(id, { value, version: 1, forms: 0 });
  also.push(put("teams", id, value, null));
  return { id, value, version: 1 };
}

/**
 * Commits the rows of a new form in a transaction of the host's, after `first`. If its plan limits the team's forms, the team is
 * `counted`. Throws `plan_restricted`, and `StaleWriteError`.
 */
export async function commitWithin(
  core: Core,
  within: Joined,
  first: readonly Write[],
  writes: readonly Write[],
  counted: Stored<TeamRecord> | null,
  limit: number | null,
): Promise<void> {
  if (first.length > 0) await within.commit(first);
  const giveBack = counted && (await takePlace(core, within, counted, limit));
  await within.commit(writes).catch((error: unknown) => {
    giveBack?.();
    throw error;
  });
}

/**
 * Takes a place for a form that nobody can count before the transaction's end; returns what gives it back. The team's row goes first,
 * under its version, so that what is known of a transaction that was taken back limits nobody.
 */
async function takePlace(
  core: Core,
  { tx, commit }: Joined,
  { id, value, version }: Stored<TeamRecord>,
  limit: number | null,
): Promise<() => void> {
  const written = teamsWrittenIn(core, tx);
  await commit([put("teams", id, value, version)]).catch((error: unknown) => {
    if (written.get(id)?.version === version) written.delete(id);
    throw error;
  });
  const forms = written.get(id)?.forms ?? 0;
  written.set(id, { value, version: version + 1, forms: forms + 1 });
  const giveBack = (): void => {
    const known = written.get(id);
    if (known) written.set(id, { ...known, forms: known.forms - 1 });
  };
  await assertRoom(core, id, limit, forms).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  return giveBack;
}

/** Throws `plan_restricted` where a team has as many forms as its plan allows, `more` among them that can't be counted yet. */
export async function assertRoom(core: Core, team_id: string, limit: number | null, more = 0): Promise<void> {
  if (limit === null) return;
  const { count } = await core.storage.count("forms", { index: "team", equals: { team_id }, budgetMs: 5_000 });
  if (count + more >= limit) throw new ApiError("plan_restricted", { message: `Forms in the team's plan: ${limit}.` });
}
