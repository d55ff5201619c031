import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import type { Team, TeamCreate } from "../../model/teams.ts";
import { createTeam, leaving, toTeam } from "./service.ts";

/**
 * The team with this id; made from `input` if there is none. Two calls at the same time make one. Throws `invalid_parameter`.
 */
export async function ensureTeam(
  core: Core,
  id: string,
  input: Omit<TeamCreate, "id">,
  made = (): void => {},
): Promise<Team> {
  const known = await core.rows.get("teams", id);
  if (known?.value.deleting) throw leaving(id);
  if (known) return toTeam(id, known.value);
  try {
    const team = await createTeam(core, { ...input, id });
    made();
    return team;
  } catch (error) {
    const other = error instanceof ApiError && error.param === "id" ? await core.rows.get("teams", id) : null;
    if (!other) throw error;
    return toTeam(id, other.value);
  }
}
