import { domainState } from "../../../features/teams/domain-state.ts";
import type { SenderDomainOptions, SenderDomainState } from "../../../model/domain-verification.ts";
import { HOST } from "../../../model/keys.ts";
import type { HostMessageCreate, Message, MessageList } from "../../../model/messages.ts";
import type { SpamModel, SpamModelForgotten } from "../../../model/spam-model.ts";
import type { Suppression, SuppressionDeleted, SuppressionList } from "../../../model/suppressions.ts";
import type { HostCalls } from "./call.ts";

/** Answers to submissions, and the mails that come back. */
export interface MessagesApi {
  /**
   * Returns the messages under a submission, oldest first. `formId` may be a deleted form.
   *
   * @throws `form_not_found`, `submission_not_found`
   */
  list(formId: string, submissionId: string): Promise<MessageList>;
  /**
   * Answers a submission by email, from the form's sender, with the original quoted below. `to` is by default the reply address
   * of the submission. With an `idempotency_key`, the answer goes out once, however often you call this. Returns the message,
   * `queued`; its id is also that of its email in `backend.emails` and `backend.jobs`.
   *
   * @throws `form_not_found`, `idempotency_mismatch`, `invalid_parameter`, `plan_restricted`, `rate_limited`, `submission_not_found`
   * @example
   * await backend.messages.send(form.id, submission.id, { text: "Thank you, we open at nine." });
   */
  send(formId: string, submissionId: string, input: HostMessageCreate): Promise<Message>;
}

/** Addresses that a team's mail no longer goes to. */
export interface SuppressionsApi {
  /**
   * Returns a page of the suppressed addresses, newest first, of one team or of all; with `email` only this address. `limit` is
   * 1 to 100, default 25; `cursor` is the `next_cursor` of the page before.
   *
   * @throws `invalid_parameter`
   */
  list(query?: { email?: string; team_id?: string; limit?: number; cursor?: string }): Promise<SuppressionList>;
  /**
   * Suppresses an address in a team, by default `default`: no mail of its forms goes there any more. An address that is on the
   * list stays as it is. Returns it.
   *
   * @throws `invalid_parameter`
   */
  add(input: { email: string; team_id?: string }): Promise<Suppression>;
  /**
   * Takes an address off a team's list, so that it gets mail again. Returns `{ email, deleted: true }`.
   *
   * @throws `invalid_parameter`, `not_found`
   */
  remove(email: string, query?: { team_id?: string }): Promise<SuppressionDeleted>;
}

/** Spam that is learned from the marks of a team's people. */
export interface SpamModelApi {
  /**
   * Learns a team's marks as they are now, and returns `{ spam, ham, active, precision, recall, since }`. `team_id` is required as soon
   * as there are several teams.
   *
   * @throws `invalid_parameter`, `not_found`, `scan_concurrency`
   */
  get(query?: { team_id?: string }): Promise<SpamModel>;
  /**
   * Lets a team's marks up to now teach nothing any more. The submissions stay marked. Returns `{ forgotten: true }`.
   *
   * @throws `invalid_parameter`, `not_found`
   */
  forget(query?: { team_id?: string }): Promise<SpamModelForgotten>;
}

/** Domains that teams send from. */
export interface SenderDomainsApi {
  /**
   * Looks up the records of a domain that a team lists, and changes nothing; `teams.verifyDomain` keeps what it finds. Returns
   * `{ domain, verified, records }`. Answers of DNS are shared for 30 seconds.
   *
   * @throws `invalid_parameter`, `not_found` for a domain that the team does not list
   * @example
   * const { records } = await backend.senderDomains.get("acme.example", { team_id: "acme", selectors: ["s1"] });
   */
  get(domain: string, options?: SenderDomainOptions): Promise<SenderDomainState>;
}

/** The name server is the host's to choose, so that the call is no row of the table. */
export const senderDomainsApi = ({ own }: HostCalls): SenderDomainsApi => ({
  get: own((core, domain: string, options?: SenderDomainOptions) => domainState(core, HOST, domain, options)),
});

/** Messages, as rows of the table. */
export const messagesApi = ({ group }: HostCalls): MessagesApi => group("messages");
