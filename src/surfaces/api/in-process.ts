import type { Core } from "../../core/core.ts";
import { renderTokenOf } from "../../features/intake/endpoint-tokens.ts";
import { type SubmitInput, type SubmitOptions, submit } from "../../features/intake/submit.ts";
import { hostAllowed } from "../../features/teams/hosts.ts";
import { usageOf } from "../../features/teams/usage-list.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import type { UsageList, UsageQuery } from "../../model/usage.ts";
import type { ProgramWay } from "./audited.ts";
import { checkHealth, type Health } from "./health.ts";
import { type Administration, administration } from "./in-process/administration.ts";
import { hostCalls } from "./in-process/call.ts";
import {
  type MessagesApi,
  messagesApi,
  type SenderDomainsApi,
  type SpamModelApi,
  type SuppressionsApi,
  senderDomainsApi,
} from "./in-process/conversations.ts";
import { type FormsApi, formsApi } from "./in-process/forms.ts";
import {
  type DataSubjectsApi,
  type SavedRepliesApi,
  type SubmissionsApi,
  submissionsApi,
} from "./in-process/submissions.ts";
import { type DeliveriesApi, type EmailsApi, type WebhooksApi, webhooksApi } from "./in-process/webhooks.ts";

/**
 * The operations of the management API as functions, for a host's own dashboard and scripts, and operations only for the host.
 * Every call opens the drivers first. It throws `ApiError` with the same code, `param` and message as HTTP. Each call may throw
 * `unavailable` if the store can't be reached or the backend is closing.
 */
export interface InProcessApi extends Administration {
  /** Forms and their settings. */
  readonly forms: FormsApi;
  /** A visitor's input. */
  readonly submissions: SubmissionsApi;
  /** The webhooks of a form. */
  readonly webhooks: WebhooksApi;
  /** The replies that teams keep. */
  readonly savedReplies: SavedRepliesApi;
  /** The log of a webhook. */
  readonly deliveries: DeliveriesApi;
  /** The emails of a form. */
  readonly emails: EmailsApi;
  /** Answers to submissions, and the mails that come back. */
  readonly messages: MessagesApi;
  /** Addresses that get no mail. */
  readonly suppressions: SuppressionsApi;
  /** Spam that is learned from the marks of a team's people. */
  readonly spamModel: SpamModelApi;
  /** Domains that teams send from. */
  readonly senderDomains: SenderDomainsApi;
  /** Everything that is stored of one person: export and erasure. */
  readonly dataSubjects: DataSubjectsApi;
  /**
   * Accepts a submission as the public endpoint does: same fields, same checks except origin and rate, same durability. With
   * `tx` it is part of your transaction, and is committed or rolled back with it. Returns the submission.
   *
   * @throws `captcha_failed`, `empty_submission`, `file_type_not_allowed`, `form_closed`, `form_full`, `form_inactive`, `form_not_found`,
   * `idempotency_in_progress`, `idempotency_mismatch`, `invalid_parameter`, `limit_reached`, `payload_too_large`, `plan_restricted`,
   * `too_many_files`, `validation_failed`; `TypeError` for a `tx` that the store can't join
   */
  submit(formId: string, input: SubmitInput, options?: SubmitOptions): Promise<HostSubmission>;
  /**
   * Returns a token for the hidden field `_token` of a page with the form: good for one post, from 2 s to 24 h after it was
   * created.
   *
   * @throws `form_not_found`
   */
  renderToken(formId: string): Promise<string>;
  /**
   * Returns what teams used in a month of UTC, oldest team first, in pages: `{ data, has_more, next_cursor }`. Each entry has `team_id`,
   * `accepted`, `spam`, `over_quota`, `emails`, `webhooks` and `file_bytes` of the month, counted in the commits that they speak of,
   * and the submissions that are `stored` now.
   *
   * @throws `invalid_parameter`, `not_found` for an unknown `team_id`
   * @example
   * const { data } = await backend.usage({ month: "2026-11", limit: 100 });
   */
  usage(query: UsageQuery): Promise<UsageList>;
  /**
   * Returns true for a host name at which the backend answers: its own, and the `base_url` of a team. Let your proxy ask it before
   * it requests a certificate, so that nobody can make it request others.
   *
   * @example
   * if (!(await backend.hostAllowed(name))) throw new Error(`no certificate for ${name}`);
   */
  hostAllowed(host: string): Promise<boolean>;
  /** Returns whether the service works, like `GET /v1/health`. Never throws. */
  health(): Promise<Health>;
}

/** The API in process, over the table of routes. */
export function inProcessApi(core: Core, ready: () => Promise<void>, via?: ProgramWay): InProcessApi {
  const calls = hostCalls(core, ready, via);
  return {
    ...administration(calls),
    forms: formsApi(core, calls),
    submissions: submissionsApi(calls),
    webhooks: webhooksApi(calls),
    savedReplies: calls.group("savedReplies"),
    deliveries: calls.group("deliveries"),
    emails: calls.group("emails"),
    messages: messagesApi(calls),
    suppressions: calls.group("suppressions"),
    spamModel: calls.group("spamModel"),
    senderDomains: senderDomainsApi(calls),
    dataSubjects: calls.group("dataSubjects"),
    submit: calls.own(submit),
    renderToken: calls.own(async (own, formId: string) => (await renderTokenOf(own, formId)).token),
    usage: calls.own(usageOf),
    hostAllowed: calls.own(hostAllowed),
    health: () => checkHealth(core, ready, "health()"),
  };
}
