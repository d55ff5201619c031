import { sendAgain } from "../../../features/deliveries/again.ts";
import { type JobsRecoverInput, recoverJobs } from "../../../features/deliveries/recover.ts";
import * as emailServers from "../../../features/email-servers/service.ts";
import { listReports } from "../../../features/forms/reports.ts";
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
import type { AbuseList, AbuseListQuery } from "../../../model/abuse.ts";
import type {
  EmailServer,
  EmailServerCreate,
  EmailServerDeleted,
  EmailServerPatch,
} from "../../../model/email-servers.ts";
import type { ApiKey, KeyCreate } from "../../../model/keys.ts";
import type { Recovered } from "../../../model/webhooks.ts";
import { type AuditApi, auditApi } from "./audit.ts";
import type { HostCalls, HostDone } from "./call.ts";
import { type TeamsApi, teamsApi } from "./teams.ts";

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

/** Forms that somebody should look at. */
export interface AbuseApi {
  /**
   * Returns reports about forms, newest first, in pages: `{ data, has_more, next_cursor }`. Visitors report forms where the option
   * `abuse` lets them, and the option `formChecks` finds forms that ask for what no form may ask for. Lock a form by `forms.lock`.
   *
   * @throws `invalid_parameter`
   * @example
   * for (const { form_id, reason } of (await backend.abuse.list()).data) console.log(form_id, reason);
   */
  list(query?: AbuseListQuery): Promise<AbuseList>;
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
  /** Forms that visitors or checks reported. */
  readonly abuse: AbuseApi;
  /** Who did what. */
  readonly audit: AuditApi;
  /** Stored secrets, when the option `secret` changes. */
  readonly secrets: SecretsApi;
}

const server =
  (action: string) =>
  ({ id, team_id }: EmailServer): HostDone => ({ action, team_id, ids: [id] });

/** The host's own services. */
export const administration = ({ own, ensuring }: HostCalls): Administration => ({
  teams: teamsApi({ own, ensuring }),
  keys: {
    create: own(
      (core, input: KeyCreate) => keys.createKey(core, input),
      ({ id, team_id }) => ({ action: "create_key", team_id, ids: [id] }),
    ),
    get: own(keys.getKey),
    list: own(keys.listKeys),
    revoke: own(keys.revokeKey, ({ id, team_id }) => ({ action: "revoke_key", team_id, ids: [id] })),
  },
  emailServers: {
    create: own(emailServers.createServer, server("create_email_server")),
    get: own(emailServers.getServer),
    list: own(emailServers.listServers),
    update: own(emailServers.updateServer, server("update_email_server")),
    delete: (id) =>
      own(
        async (core) => {
          const { team_id } = await emailServers.getServer(core, id);
          return { team_id, answer: await emailServers.deleteServer(core, id) };
        },
        ({ team_id }) => ({ action: "delete_email_server", team_id, ids: [id] }),
      )().then(({ answer }) => answer),
  },
  jobs: {
    list: own((core, query: JobsQuery = {}) => listJobs(core, query)),
    page: own(pageJobs),
    get: own(getJob),
    retry: own(
      async (core, id: string) => toJobView(id, await sendAgain(core, await findJob(core, id), noJob)),
      ({ form_id }, id) => ({ action: "send_again", form_id: form_id || null, ids: [id] }),
    ),
    recover: own(recoverJobs, (_, { form_id }) => ({ action: "recover", form_id })),
  },
  abuse: { list: own(listReports) },
  audit: auditApi({ own }),
  secrets: { reseal: own(reseal, () => ({ action: "reseal" })) },
});
