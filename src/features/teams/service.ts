import type { Core } from "../../core/core.ts";
import { joinTransaction } from "../../core/host-transaction.ts";
import type { Plan } from "../../core/options/plans.ts";
import { perBackend } from "../../core/per-backend.ts";
import { ignoreStale, put, remove } from "../../core/rows.ts";
import { StaleWriteError, type Stored, type Transaction, type Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import { parseInput } from "../../lib/input.ts";
import { mergeLeaves } from "../../lib/merge.ts";
import { teamDeletionLeaf, teamDeletionMark } from "../../model/team-deletion.ts";
import { NO_BRAND } from "../../model/team-face.ts";
import {
  NO_LIMITS,
  type SenderDomainRecord,
  stockMark,
  type Team,
  TeamCreate,
  TeamPatch,
  type TeamRecord,
} from "../../model/teams.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";
import { changedHost, forgetHosts, isHostRow } from "./hosts.ts";
import { assertFrom, changedDomains, released } from "./sender-domains.ts";

/** The team of a host with one tenant; it exists from the first use. */
export const DEFAULT_TEAM = "default";

/** A team without what only the store needs. */
export const toTeam = (
  id: string,
  { name, active, owner, plan, base_url, brand, sender_domains, limits, locked, defaults, created_at }: TeamRecord,
): Team => ({
  id,
  name,
  active,
  owner: { email: owner.email, email_verified: owner.email_verified },
  plan,
  base_url,
  brand,
  sender_domains: sender_domains.map(({ domain, verified }) => ({ domain, verified })),
  limits,
  locked,
  defaults,
  created_at,
});
/** The error of a team that nobody knows. */
export const noTeam = (id: string): ApiError => new ApiError("not_found", { message: `There is no team "${id}".` });

/** Options of `teams.create`. */
export interface TeamCreateOptions {
  /** Your open transaction in the store's database, as `submit` takes it: the team is made, or taken back, with it. */
  tx?: Transaction;
}

/**
 * Creates a team. Throws `invalid_parameter` when its id is taken or its plan unknown, and a `TypeError` for a `tx` that the store
 * can't join.
 */
export async function createTeam(core: Core, input: TeamCreate, { tx }: TeamCreateOptions = {}): Promise<Team> {
  const within = tx === undefined ? null : joinTransaction(core, tx, "teams.create");
  const {
    id = prefixedId("team"),
    name,
    plan = core.options.defaultPlan,
    owner,
    base_url = null,
    brand,
    sender_domains = [],
    limits,
    defaults = {},
  } = parseInput(TeamCreate, input);
  checkPlan(core, plan);
  await assertFree(core, id);
  assertFrom(core, brand?.from, []);
  const hosts = await changedHost(core, id, null, base_url);
  const value: TeamRecord = {
    name,
    active: true,
    owner: { email: owner?.email ?? null, email_verified: owner?.email_verified ?? true },
    plan,
    base_url,
    brand: mergeLeaves(NO_BRAND, brand ?? {}),
    sender_domains: await changedDomains(core, null, [], sender_domains),
    limits: mergeLeaves(NO_LIMITS, limits ?? {}),
    deleting: false,
    locked: null,
    defaults,
    created_at: iso(core.clock.now()),
  };
  try {
    const writes = [put("teams", id, value, null), ...hosts, ...tellHost(core, "team.created", toTeam(id, value))];
    if (tx === undefined || !within) await core.commitNow(writes);
    else {
      await within.commit(writes);
      teamsWrittenIn(core, tx).set(id, { value, version: 1, forms: 0 });
    }
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    if (isHostRow(error.id)) throw wrongParameter("base_url", "is the address of another team");
    throw new ApiError("invalid_parameter", { param: "id", message: `\`id\`: a team "${id}" exists already.` });
  }
  forgetHosts(core, base_url);
  wakeHost(core);
  return toTeam(id, value);
}

/** A team that was deleted keeps its id until the sweep is sure that nothing of it comes in any more. */
async function assertFree(core: Core, id: string): Promise<void> {
  const deletion = await core.rows.mark(teamDeletionMark(id), teamDeletionLeaf);
  if (deletion && !deletion.value.settled) throw leaving(id);
}
/** The error of an id whose team is being deleted. */
export const leaving = (id: string): ApiError =>
  new ApiError("invalid_parameter", {
    param: "id",
    message: `\`id\`: the team "${id}" was deleted. Its id is free about two hours after its deletion is done.`,
  });

/** A team that was written in a transaction of the host's. */
interface WrittenTeam {
  readonly value: TeamRecord;
  readonly version: number;
  /** The number of its forms that were made there, if its plan limits them. */
  readonly forms: number;
}

const writtenIn = perBackend(() => new WeakMap<object, Map<string, WrittenTeam>>());

/** Teams that were written in a transaction of the host's, which others see only after its end. */
export function teamsWrittenIn(core: Core, tx: Transaction): Map<string, WrittenTeam> {
  const known = writtenIn(core).get(tx);
  if (known) return known;
  const written = new Map<string, WrittenTeam>();
  writtenIn(core).set(tx, written);
  return written;
}

/** One team. Throws `not_found`. */
export async function getTeam(core: Core, id: string): Promise<Team> {
  const row = await loadTeam(core, id);
  if (!row) throw noTeam(id);
  return toTeam(id, row.value);
}

/** Every team at once, oldest first. */
export async function allTeams(core: Core): Promise<Team[]> {
  await loadTeam(core, DEFAULT_TEAM);
  return (await core.rows.all("teams", { index: "all" })).map(({ id, value }) => toTeam(id, value));
}

/** Changes a team. Throws `not_found`, `invalid_parameter`, and `team_inactive` for one that is being deleted. */
export async function updateTeam(core: Core, id: string, input: TeamPatch): Promise<Team> {
  const patch = parseInput(TeamPatch, input);
  const { sender_domains: wanted, defaults, locked, ...rest } = patch;
  if (patch.plan !== undefined) checkPlan(core, patch.plan);
  await loadTeam(core, id);
  let freed: Write[] = [];
  let before: string | null = null;
  const changed = async (team: TeamRecord): Promise<readonly SenderDomainRecord[]> => {
    if (wanted === undefined) return team.sender_domains;
    const domains = await changedDomains(core, id, team.sender_domains, wanted);
    freed.push(...released(team.sender_domains, domains));
    return domains;
  };
  const value = await core.rows.update(
    "teams",
    id,
    async (team) => {
      if (team.deleting) throw new ApiError("team_inactive", { message: "The team is being deleted." });
      before = team.base_url;
      freed = await changedHost(core, id, before, patch.base_url === undefined ? before : patch.base_url);
      const domains = await changed(team);
      if (patch.brand?.from !== team.brand.from) assertFrom(core, patch.brand?.from, domains);
      return {
        ...mergeLeaves(team, rest),
        ...(defaults !== undefined && { defaults }),
        ...(locked !== undefined && { locked }),
        sender_domains: domains,
      };
    },
    () => noTeam(id),
    // The note lacks everything that came while there was no limit.
    (team) => [
      ...freed,
      ...(patch.limits ? [remove("marks", stockMark(id))] : []),
      ...tellHost(core, "team.updated", toTeam(id, team)),
    ],
  );
  forgetHosts(core, before, value.base_url);
  wakeHost(core);
  return toTeam(id, value);
}

/** The row of a team, fresh from the store; the default team is made on first sight. */
export async function loadTeam(core: Core, id: string): Promise<Stored<TeamRecord> | null> {
  const row = await core.rows.get("teams", id);
  if (row || id !== DEFAULT_TEAM) return row;
  const value = defaultTeam(core);
  // Several processes may see that it is missing at the same time: the second one keeps the first one's row.
  await core.commitNow([put("teams", id, value, null)]).catch(ignoreStale);
  return core.rows.get("teams", id);
}

/** The team `default` before anybody changed it. */
export const defaultTeam = (core: Core): TeamRecord => ({
  name: "Default",
  active: true,
  owner: { email: null, email_verified: true },
  plan: "unlimited",
  base_url: null,
  brand: NO_BRAND,
  sender_domains: [],
  limits: NO_LIMITS,
  deleting: false,
  locked: null,
  defaults: {},
  created_at: iso(core.clock.now()),
});

/** The row of a team, at most 2 s old: for reads on every request. */
export const cachedTeam = (core: Core, id: string): Promise<Stored<TeamRecord> | null> =>
  core.rows.cached("teams", id, () => loadTeam(core, id));

/** The same row if it is here; null says nothing. A post asks for its team at every step, and should not wait at each. */
export const knownTeam = (core: Core, id: string): Stored<TeamRecord> | null => core.rows.known("teams", id);

/** The plan of a team. A plan that the host no longer defines counts as `free`, never as more than was paid for. */
export function planOf(core: Core, team: TeamRecord): Plan {
  return (core.options.plans.get(team.plan) ?? core.options.plans.get("free")) as Plan;
}

/** Throws `team_inactive` or `owner_unverified`, in that order. */
export function assertUsable(team: TeamRecord): void {
  if (!team.active) throw new ApiError("team_inactive");
  if (!team.owner.email_verified) throw new ApiError("owner_unverified");
}

function checkPlan(core: Core, plan: string): void {
  if (core.options.plans.has(plan)) return;
  const known = [...core.options.plans.keys()].join(", ");
  throw new ApiError("invalid_parameter", { param: "plan", message: `\`plan\` must be one of ${known}.` });
}
