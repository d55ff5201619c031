import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
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
  return { removed: removedOf(row.value), left: done ? 0 : await leftOf(core, id), done };
}

/** The counts of a receipt, each kind with its number. */
export const removedOf = ({ removed }: Pick<TeamDeletionRecord, "removed">): Removed =>
  Object.fromEntries(removedKinds.map((kind) => [kind, removed[kind] ?? 0])) as unknown as Removed;

async function leftOf(core: Core, team_id: string): Promise<number> {
  let left = 0;
  for (const collection of ofTeams) {
    const query = { index: "team", equals: { team_id }, budgetMs: COUNT_BUDGET_MS };
    left += (await core.storage.count(collection, query)).count;
  }
  return left;
}
