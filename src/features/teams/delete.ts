import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { createLru } from "../../lib/lru.ts";
import {
  type Removed,
  removedKinds,
  type TeamDeletion,
  type TeamDeletionRecord,
  teamDeletionLeaf,
  teamDeletionMark,
} from "../../model/team-deletion.ts";
import { DEFAULT_TEAM } from "./service.ts";

/** A team whose deletion has begun. */
export interface TeamDeleted {
  /** The team's id. */
  id: string;
  /** Always true. */
  deleting: true;
}

/** Collections with a run for each team. */
export const ofTeams = [
  "submissions",
  "trashed_submissions",
  "pending_submissions",
  "messages",
  "drafts",
  "keys",
  "email_servers",
  "suppressions",
  "saved_replies",
  "saved_views",
  "audit",
  "forms",
  "abuse_reports",
  "deleted_forms",
] as const;
const COUNT_BUDGET_MS = 1_000;
/** A count that the removed rows have used up, such as one that was cut off, is taken again after this. */
const COUNT_AGAIN_MS = 10_000;
const MOST_COUNTED = 1_000;

/** Rows of a team that were there when they were counted, with those that had been removed before. */
interface Counted {
  readonly total: number;
  readonly deletion: string;
  readonly at: number;
}

/** Counts of this process: a look at a deletion then costs one read, because each step says how many rows it removed. */
const countedOf = perBackend(() => createLru<Counted>(MOST_COUNTED));

/**
 * Begins to delete a team: its posts, keys and sessions are refused from now on, and the sweep removes all that it has. Repeating it
 * changes nothing. Throws `not_found`, and `invalid_parameter` for the team that is always there.
 */
export async function deleteTeam(core: Core, id: string): Promise<TeamDeleted> {
  if (id === DEFAULT_TEAM) {
    const message = `\`id\`: the team "${DEFAULT_TEAM}" is always there; delete its forms and erase their submissions.`;
    throw new ApiError("invalid_parameter", { param: "id", message });
  }
  const now = iso(core.clock.now());
  const note: TeamDeletionRecord = {
    team_id: id,
    started_at: now,
    done_at: null,
    searched_until: null,
    removed: {},
    rows: 0,
    forms: [],
    settled: false,
    // The next sweep finds it, whatever the time is.
    expires_at: iso(0),
  };
  await core.rows.update(
    "teams",
    id,
    (team) => (team.deleting ? null : { ...team, active: false, deleting: true }),
    () => new ApiError("not_found", { message: `There is no team "${id}".` }),
    // A receipt of an earlier team with this id makes way.
    () => [put("marks", teamDeletionMark(id), note)],
  );
  return { id, deleting: true };
}

/** How far the deletion of a team is, and its receipt once it is done. Throws `not_found`. */
export async function deletionOf(core: Core, id: string): Promise<TeamDeletion> {
  const row = await core.rows.mark(teamDeletionMark(id), teamDeletionLeaf);
  if (!row) throw new ApiError("not_found", { message: `No team "${id}" was deleted.` });
  const done = row.value.done_at !== null;
  return { removed: removedOf(row.value), left: done ? 0 : await leftOf(core, row.value), done };
}

/** The counts of a receipt, each kind with its number. */
export const removedOf = ({ removed }: Pick<TeamDeletionRecord, "removed">): Removed =>
  Object.fromEntries(removedKinds.map((kind) => [kind, removed[kind] ?? 0])) as unknown as Removed;

async function leftOf(core: Core, { team_id, started_at, rows }: TeamDeletionRecord): Promise<number> {
  const now = core.clock.now();
  const known = countedOf(core).get(team_id);
  if (known?.deletion === started_at) {
    const left = Math.max(0, known.total - rows);
    if (left > 0 || now - known.at < COUNT_AGAIN_MS) return left;
  }
  let left = 0;
  for (const collection of ofTeams) {
    const query = { index: "team", equals: { team_id }, budgetMs: COUNT_BUDGET_MS };
    left += (await core.storage.count(collection, query)).count;
  }
  countedOf(core).set(team_id, { total: rows + left, deletion: started_at, at: now });
  return left;
}

const counted: ReadonlySet<string> = new Set(ofTeams);

/** How many of the rows that `left` counts are removed by these writes. */
export const rowsRemoved = (writes: readonly Write[]): number =>
  writes.filter((write) => write.op === "remove" && counted.has(write.collection)).length;
