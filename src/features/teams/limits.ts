import type { Core } from "../../core/core.ts";
import { cachedTeam, knownTeam } from "./service.ts";

/** False where a team is known to have no limit of its own. */
export const mayLimitPosts = (core: Core, team_id: string): boolean =>
  knownTeam(core, team_id)?.value.limits.posts_per_second !== null;

/** Counts a post for its team, where that has a limit of its own. Throws `rate_limited`. */
export async function limitTeamPost(core: Core, team_id: string): Promise<void> {
  const points = (await cachedTeam(core, team_id))?.value.limits.posts_per_second ?? null;
  if (points !== null) await core.limits.takePost(team_id, points);
}
