import { sendAgain } from "../../../features/deliveries/again.ts";
import { type JobsRecoverInput, recoverJobs } from "../../../features/deliveries/recover.ts";
import * as emailServers from "../../../features/email-servers/service.ts";
import { type Resealed, type ResealOptions, reseal } from "../../../features/forms/reseal.ts";
import {
  findJob,
  getJob,
  type JobList,
  type JobsPageQuery,
  type JobsQuery,
  type JobView,
  listJobs,
  noJob,
  pageJobs,
  toJobView,
} from "../../../features/jobs/list.ts";
import * as keys from "../../../features/keys/service.ts";
import { deleteTeam, deletionOf, type TeamDeleted } from "../../../features/teams/delete.ts";
import { listTeams } from "../../../features/teams/list.ts";
import { verifyDomain } from "../../../features/teams/sender-domains.ts";
import type { TeamCreateOptions } from "../../../features/teams/service.ts";
import * as teams from "../../../features/teams/service.ts";
import type {
  EmailServer,
  EmailServerCreate,
  EmailServerDeleted,
  EmailServerPatch,
} from "../../../model/email-servers.ts";
import type { ApiKey, KeyCreate } from "../../../model/keys.ts";
import type { TeamDeletion } from "../../../model/team-deletion.ts";
import type {
  DomainVerification,
  Team,
  TeamCreate,
  TeamList,
  TeamListQuery,
  TeamPatch,
  VerifyDomainOptions,
} from "../../../model/teams.ts";
import type { Recovered } from "../../../model/webhooks.ts";
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

/** API keys. Over HTTP a key can't make others. */
export interface KeysApi {
  /**
   * Creates an API key for a team: `team_id`, or `default`. `scopes` is a list of scopes, or `"all"`; `form_ids`
   * restricts it to these forms; `expires_at` is an ISO 8601 time with any offset. Returns the key's record and the `key`
   * itself. You see it only now, because only its hash is stored.
   *
   * @throws `invalid_parameter`, `limit_reached` if the team has as many keys as its `limits.keys` allow
   */
  create(input: KeyCreate): Promise<ApiKey & { key: string }>;
  /**
   * Returns one key's record, without the key.
   *
   * @throws `not_found`
   */
  get(id: string): Promise<ApiKey>;
  /**
   * Returns the keys of a team, or of all, oldest first.
   *
   * @throws `invalid_parameter`
   */
  list(query?: { team_id?: string }): Promise<ApiKey[]>;
  /**
   * Revokes a key, immediately in this process and within 5 s in others. You may call it twice. Returns its record.
   *
   * @throws `not_found`
   */
  revoke(id: string): Promise<ApiKey>;
}

/**
 * SMTP servers that teams send with. On a private network only where `webhooks.allowCidrs` allows it; while `baseUrl` is plain
 * http, as in development, also on this machine.
 */
export interface EmailServersApi {
  /**
   * Adds a server to a team, after connecting and logging in to it. `secure` (TLS from the first byte) defaults to true on
   * port 465. Returns the server without its password.
   *
   * @throws `invalid_parameter` that names the setting at fault
   */
  create(input: EmailServerCreate): Promise<EmailServer>;
  /**
   * Returns one server.
   *
   * @throws `not_found`
   */
  get(id: string): Promise<EmailServer>;
  /** Returns the servers of a team, or of all. */
  list(query?: { team_id?: string }): Promise<EmailServer[]>;
  /**
   * Changes the members in `patch`, after a new test if the connection changes; `password: ""` removes the password.
   *
   * @throws `invalid_parameter`, `not_found`
   */
  update(id: string, patch: EmailServerPatch): Promise<EmailServer>;
  /**
   * Removes a server. The forms that sent with it go back to the default sender. Returns `{ id, deleted: true }`.
   *
   * @throws `not_found`
   */
  delete(id: string): Promise<EmailServerDeleted>;
}

/** Mails and webhooks that are sent, waiting or given up. */
export interface JobsApi {
  /**
   * Returns emails and webhooks with their state, newest first, at most 1,000. Each member of `query` narrows the list.
   * Without `form_id`, `submission_id` or `since`, a filter that few match reads every job of the store: give `since` in a monitor.
   *
   * @throws `invalid_parameter`
   */
  list(query?: JobsQuery): Promise<JobView[]>;
  /**
   * Returns a page of the emails and webhooks of one form, newest first: `{ data, has_more, next_cursor }`, with `limit` 1 to
   * 100, default 25. One call reads at most 2,000 rows, so a page may be shorter than `limit` if few of them match; follow the
   * cursor.
   *
   * @throws `invalid_parameter`
   * @example
   * await backend.jobs.page({ form_id: form.id, kind: "webhook", status: "failed", limit: 50 });
   */
  page(query: JobsPageQuery): Promise<JobList>;
  /**
   * Returns one email or webhook with its state and its latest 12 `attempts`: the time of each, how long it took and its result.
   * Ids are those of `list` and of events; a webhook's is its `webhook-id`.
   *
   * @throws `not_found`
   */
  get(id: string): Promise<JobView>;
  /**
   * Sends one email or webhook again, whatever its state is, for another 72 h. Automatic replies to spam, or to an address
   * without a solved captcha, are not sent. Returns it.
   *
   * @throws `not_found`, `plan_restricted`, `submission_not_stored`
   */
  retry(id: string): Promise<JobView>;
  /**
   * Sends everything again that has one of `statuses` (default both) since a time at most 14 days ago: of every form or of one,
   * of every kind or of one. Spam is not sent. Returns the number; one call sends at most 10,000, and `has_more` tells you to
   * call it again.
   *
   * @throws `invalid_parameter`
   * @example
   * await backend.jobs.recover({ kind: "owner_email", since: "2026-11-21T08:00:00Z", statuses: ["failed"] });
   */
  recover(input: JobsRecoverInput): Promise<Recovered>;
}

/** Secrets stored under the option `secret`. */
export interface SecretsApi {
  /**
   * Encrypts all stored secrets under the first secret of the option `secret`, so that you can remove the others: secrets and
   * URLs of webhooks, captcha secrets, passwords of mail servers. You can run it during normal traffic and repeat it. Returns
   * the number of changed records, and of those that none of the secrets can decrypt.
   */
  reseal(options?: ResealOptions): Promise<Resealed>;
}

/** Calls for the host alone, which no row of the table has. */
export interface Administration {
  /** Teams, to which forms and keys belong. */
  readonly teams: TeamsApi;
  /** Keys of the management API. */
  readonly keys: KeysApi;
  /** The teams' own SMTP servers. */
  readonly emailServers: EmailServersApi;
  /** Mails and webhooks that wait, run or have failed. */
  readonly jobs: JobsApi;
  /** Stored secrets, when the option `secret` changes. */
  readonly secrets: SecretsApi;
}

/** The host's own services. */
export const administration = ({ own }: HostCalls): Administration => ({
  teams: {
    create: own(teams.createTeam),
    ensure: own(teams.ensureTeam),
    get: own(teams.getTeam),
    update: own(teams.updateTeam),
    list: own(listTeams),
    delete: own(deleteTeam),
    deletion: own(deletionOf),
    verifyDomain: own(async (core, id: string, domain: string, options?: VerifyDomainOptions) => {
      await teams.loadTeam(core, id);
      return verifyDomain(core, id, domain, options);
    }),
  },
  keys: {
    create: own((core, input: KeyCreate) => keys.createKey(core, input)),
    get: own(keys.getKey),
    list: own(keys.listKeys),
    revoke: own(keys.revokeKey),
  },
  emailServers: {
    create: own(emailServers.createServer),
    get: own(emailServers.getServer),
    list: own(emailServers.listServers),
    update: own(emailServers.updateServer),
    delete: own(emailServers.deleteServer),
  },
  jobs: {
    list: own((core, query: JobsQuery = {}) => listJobs(core, query)),
    page: own(pageJobs),
    get: own(getJob),
    retry: own(async (core, id: string) => toJobView(id, await sendAgain(core, await findJob(core, id), noJob))),
    recover: own(recoverJobs),
  },
  secrets: { reseal: own(reseal) },
});
