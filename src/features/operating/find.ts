import type { Core } from "../../core/core.ts";
import type { CollectionName } from "../../model/collections.ts";
import type { Team } from "../../model/teams.ts";
import { listTeams } from "../teams/list.ts";
import { toTeam } from "../teams/service.ts";

/** A thing that an operator looked for, and where it belongs. */
export interface Found {
  readonly kind: "team" | "form" | "deleted_form" | "submission" | "delivery" | "key";
  readonly id: string;
  readonly name: string;
  readonly team_id: string;
  readonly form_id: string | null;
  /** The time of its creation. */
  readonly at: string;
}

/** Teams of one search. */
const MOST_TEAMS = 10;
/** Lists of one search, each of which reads 2,000 teams. */
const MOST_LISTS = 5;

/** Collections that are looked into by id, and the kind of what is found there. */
const byId = [
  ["forms", "form"],
  ["deleted_forms", "deleted_form"],
  ["submissions", "submission"],
  ["trashed_submissions", "submission"],
  ["pending_submissions", "submission"],
  ["jobs", "delivery"],
  ["keys", "key"],
] as const satisfies readonly (readonly [CollectionName, Found["kind"]])[];

/**
 * Returns the record with this id, and the teams with this text in their id, their name or their owner's address. It reads one row of each kind, and
 * up to 10,000 teams: an address in submissions is a matter of their team.
 */
export async function findAnything(core: Core, sought: string): Promise<{ data: Found[]; next_cursor: string | null }> {
  const q = sought.trim();
  if (q === "") return { data: [], next_cursor: null };
  const [exact, own, { teams, next_cursor }] = await Promise.all([
    Promise.all(byId.map(([collection, kind]) => rowOf(core, collection, kind, q))),
    core.rows.get("teams", q),
    teamsWith(core, q.slice(0, 200)),
  ]);
  const found = exact.filter((one) => one !== null);
  const all = own ? [toTeam(own.id, own.value), ...teams.filter(({ id }) => id !== q)] : teams;
  const named = all.map(
    ({ id, name, created_at }): Found => ({ kind: "team", id, name, team_id: id, form_id: null, at: created_at }),
  );
  return { data: [...found, ...named], next_cursor };
}

async function teamsWith(core: Core, q: string): Promise<{ teams: Team[]; next_cursor: string | null }> {
  const teams: Team[] = [];
  let next: string | null = null;
  for (let list = 0; list < MOST_LISTS && teams.length < MOST_TEAMS; list++) {
    const limit = MOST_TEAMS - teams.length;
    const { data, next_cursor } = await listTeams(core, { q, limit, ...(next !== null && { cursor: next }) });
    teams.push(...data);
    next = next_cursor;
    if (next === null) break;
  }
  return { teams, next_cursor: next };
}

async function rowOf(core: Core, collection: (typeof byId)[number][0], kind: Found["kind"], id: string) {
  const row = await core.rows.get(collection, id);
  if (!row) return null;
  const { created_at, ...value } = row.value;
  const form_id = "form_id" in value ? value.form_id : kind === "form" || kind === "deleted_form" ? id : null;
  return {
    kind,
    id,
    name: "name" in value ? value.name : "",
    team_id: value.team_id,
    form_id,
    at: created_at,
  } satisfies Found;
}
