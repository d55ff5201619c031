import type { Suppression, SuppressionDeleted, SuppressionList } from "../../../model/suppressions.ts";

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
