import { deleteTeam, deletionOf, type TeamDeleted } from "../../../features/teams/delete.ts";
import { ensureTeam } from "../../../features/teams/ensure.ts";
import { listTeams } from "../../../features/teams/list.ts";
import { verifyDomain } from "../../../features/teams/sender-domains.ts";
import type { TeamCreateOptions } from "../../../features/teams/service.ts";
import * as teams from "../../../features/teams/service.ts";
import type { DomainVerification, VerifyDomainOptions } from "../../../model/domain-verification.ts";
import type { TeamDeletion } from "../../../model/team-deletion.ts";
import type { TeamList, TeamListQuery } from "../../../model/team-list.ts";
import type { Team, TeamCreate, TeamPatch } from "../../../model/teams.ts";
import { leavesOf } from "../audited.ts";
import type { HostCalls } from "./call.ts";

/** Owners of forms. If you have one tenant, you don't need them: the team `default` always exists. */
export interface TeamsApi {
  /**
   * Creates a team. Without an `id`, one is generated; without a `plan`, the option `defaultPlan` applies. The owner counts as
   * verified unless `email_verified` is false. With `tx`, your open transaction, the team is committed or taken back with it; forms
   * can be created in it by the same `tx`. Returns the team.
   *
   * @throws `invalid_parameter` if the id is taken or the plan is unknown
   */
  create(input: TeamCreate, options?: TeamCreateOptions): Promise<Team>;
  /**
   * Returns the team with this id, and creates it from `input` if there is none. Call it as often as you like: a team that is there
   * stays as it is.
   *
   * @throws `invalid_parameter`
   * @example
   * await backend.teams.ensure("customer_7", { name: "Bakery", plan: "pro" });
   */
  ensure(id: string, input: Omit<TeamCreate, "id">): Promise<Team>;
  /**
   * Returns one team.
   *
   * @throws `not_found`
   */
  get(id: string): Promise<Team>;
  /**
   * Changes the members in `patch`. With `active: false` the team's keys are refused and its forms accept no posts. Returns the
   * team.
   *
   * @throws `invalid_parameter`, `not_found`
   */
  update(id: string, patch: TeamPatch): Promise<Team>;
  /**
   * Deletes a team with everything it has: forms, submissions (of deleted forms too), files, images, emails and webhooks, drafts, keys,
   * mail servers, suppressed addresses, saved views and replies, and its audit. Its posts, keys and sessions are refused at once; the
   * rest goes in steps with the next sweep, over crashes. Calling it again changes nothing. Returns `{ id, deleting: true }`.
   *
   * @throws `not_found`, `invalid_parameter` for the team `default`
   * @example
   * await backend.teams.delete("customer_7");
   * backend.on("team.deleted", ({ id, removed }) => console.log(id, removed.submissions));
   */
  delete(id: string): Promise<TeamDeleted>;
  /**
   * Returns how far the deletion of a team is: `{ removed, left, done }`. Once it is done, `removed` is the receipt, kept for 400 days.
   *
   * @throws `not_found` if no team with this id was deleted
   */
  deletion(id: string): Promise<TeamDeletion>;
  /**
   * Returns everything of a team as a zip, read while you take it: `team.json`, `forms/*.json`, which `form-backend apply` reads,
   * `submissions/*.ndjson`, which `form-backend submissions import` reads, `files/…`, and its whole forms, drafts, messages, suppressed
   * addresses and audit. Encrypted values are in clear; there are no passwords and no keys. Needs the package `yazl`.
   *
   * @throws `not_found`; the stream breaks off with an error if the store or the blobs fail
   * @example
   * import { createWriteStream } from "node:fs";
   * import { pipeline } from "node:stream/promises";
   * await pipeline(await backend.teams.export("customer_7"), createWriteStream("customer_7.zip"));
   */
  export(id: string): Promise<ReadableStream<Uint8Array>>;
  /**
   * Returns a page of teams, oldest first: `{ data, has_more, next_cursor }`, with `limit` 1 to 100, default 25. `q` is a text in
   * their id, name or owner's address. One call reads at most 2,000 teams, so a page may be shorter than `limit` if few of them
   * match; follow the cursor.
   *
   * @throws `invalid_parameter`
   * @example
   * const { data, next_cursor } = await backend.teams.list({ q: "bakery", active: true });
   */
  list(query?: TeamListQuery): Promise<TeamList>;
  /**
   * Looks in DNS for the records of a domain that the team's forms are to send from: a TXT record that proves who controls it,
   * SPF, DKIM and DMARC. With all of them the domain is verified; without one it no longer is. Adds the domain to the team's
   * `sender_domains`. Name the DKIM `selectors` of your mail provider, or common ones are tried. Returns `{ verified, records }`.
   *
   * @throws `invalid_parameter` also if another team has verified the domain; `not_found`
   * @example
   * const { verified, records } = await backend.teams.verifyDomain("acme", "acme.example", { selectors: ["s1"] });
   */
  verifyDomain(id: string, domain: string, options?: VerifyDomainOptions): Promise<DomainVerification>;
}

/** Teams, which only the host manages. */
export const teamsApi = ({ own, ensuring }: Pick<HostCalls, "own" | "ensuring">): TeamsApi => ({
  create: own(teams.createTeam, ({ id }, _, options) => ({ action: "create_team", team_id: id, tx: options?.tx })),
  ensure: ensuring(
    (core, made, id: string, input: Omit<TeamCreate, "id">) => ensureTeam(core, id, input, made),
    ({ id }) => ({ action: "create_team", team_id: id }),
  ),
  get: own(teams.getTeam),
  update: own(teams.updateTeam, (_, id, patch) => ({ action: "update_team", team_id: id, ids: leavesOf(patch) })),
  list: own(listTeams),
  export: own(
    async (core, id: string) => (await import("../../../features/retention/team-export.ts")).exportTeam(core, id),
    (_, team_id) => ({ action: "export_team", team_id }),
  ),
  delete: own(deleteTeam),
  deletion: own(deletionOf),
  verifyDomain: own(
    async (core, id: string, domain: string, options?: VerifyDomainOptions) => {
      await teams.loadTeam(core, id);
      return verifyDomain(core, id, domain, options);
    },
    (_, team_id, domain) => ({ action: "verify_domain", team_id, ids: [domain] }),
  ),
});
