import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { toList } from "../../core/paging.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import { StaleWriteError, type Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { isEmail, sameAddressKey } from "../../lib/email.ts";
import type { Caller } from "../../model/keys.ts";
import type {
  Suppression,
  SuppressionDeleted,
  SuppressionList,
  SuppressionListQuery,
  SuppressionRecord,
} from "../../model/suppressions.ts";
import { listedTeams } from "../forms/access.ts";
import { teamOf } from "../forms/create.ts";
import { allTeams, assertUsable, loadTeam } from "../teams/service.ts";

/** The name of an address in a team's list. Case and the spelling of the domain don't count. */
export const suppressionId = (team_id: string, address: string): string =>
  createHash("sha256")
    .update(JSON.stringify([team_id, sameAddressKey(address)]))
    .digest("hex")
    .slice(0, 40);

/** A page of the suppressed addresses, newest first. Throws `invalid_parameter`. */
export async function listSuppressions(
  core: Core,
  caller: Caller,
  { email, team_id, limit, cursor }: SuppressionListQuery,
): Promise<SuppressionList> {
  const teams = (await listedTeams(core, caller, team_id)) ?? (await allTeams(core)).map(({ id }) => id);
  if (email !== undefined) {
    // At most one row a team, so the page has them all: cut to `limit` before the look-up, it would miss some teams.
    const found = await core.rows.many(
      "suppressions",
      teams.map((id) => suppressionId(id, email)),
    );
    return { data: [...found.values()].map(toSuppression), has_more: false, next_cursor: null };
  }
  const about = JSON.stringify(["suppressions", teams]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, about);
  const { rows, next } = await core.rows.page("suppressions", {
    partitions: teams.map((id) => ({ index: "team", equals: { team_id: id } })),
    order: "desc",
    limit,
    ...(after && { after }),
  });
  return toList(rows.map(toSuppression), next, (place) => core.cursors.issue(place, about));
}

/** Adds an address by hand; one that is on the list stays as it is. Throws `invalid_parameter`. */
export async function addSuppression(
  core: Core,
  caller: Caller,
  source: string,
  { email, team_id }: { readonly email: string; readonly team_id?: string | undefined },
): Promise<Suppression> {
  const team = await teamFor(core, caller, team_id);
  return toSuppression(await suppress(core, team, email, "manual", source));
}

/** Takes an address off the list, so that it gets mail again. Throws `not_found`. */
export async function removeSuppression(
  core: Core,
  caller: Caller,
  email: string,
  team_id: string | undefined,
): Promise<SuppressionDeleted> {
  const team = await teamFor(core, caller, team_id);
  const row = isEmail(email) ? await core.rows.get("suppressions", suppressionId(team, email)) : null;
  if (!row) throw new ApiError("not_found", { message: "This address is not suppressed." });
  await core.commitNow([remove("suppressions", row.id), remove("marks", softMark(row.id))]);
  return { email: row.value.email, deleted: true };
}

/** The count of soft bounces in a row to an address. */
export const softMark = (suppressionId: string) => `soft-bounce:${suppressionId}` as const;

/** Puts an address on a team's list. The first reason stays. */
export async function suppress(
  core: Core,
  team_id: string,
  email: string,
  reason: Suppression["reason"],
  source: string,
): Promise<Row<"suppressions">> {
  const id = suppressionId(team_id, email);
  const value: SuppressionRecord = { team_id, email, reason, source, created_at: iso(core.clock.now()) };
  try {
    await core.commitNow([put("suppressions", id, value, null)]);
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    const known = await core.rows.get("suppressions", id);
    if (known) return known;
    throw error;
  }
  return { id, value, version: 1 };
}

/** The writes that take an address off the lists of teams, as if it had never been there. */
export const suppressionRemovals = (teams: Iterable<string>, email: string): Write[] =>
  Array.from(teams, (team_id) => suppressionId(team_id, email)).flatMap((id) => [
    remove("suppressions", id),
    remove("marks", softMark(id)),
  ]);

async function teamFor(core: Core, caller: Caller, wanted: string | undefined): Promise<string> {
  const id = teamOf(caller, wanted);
  const team = await loadTeam(core, id);
  if (!team)
    throw new ApiError("invalid_parameter", { param: "team_id", message: `\`team_id\`: there is no team "${id}".` });
  if (caller.team_ids) assertUsable(team.value);
  return id;
}

const toSuppression = ({
  value: { email, reason, source, created_at },
}: Pick<Row<"suppressions">, "value">): Suppression => ({
  email,
  reason,
  source,
  created_at,
});
