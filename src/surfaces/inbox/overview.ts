import type { MemberRequest } from "./visit.ts";

/** A form as the lists of forms show it. */
export interface FormLine {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly active: boolean;
  readonly unread: number;
  readonly this_month: number;
  readonly all_time: number;
  readonly last: string | null;
  /** True where the latest attempts of a webhook failed. */
  readonly failing: boolean;
  /** Counts of days, oldest first; empty where they were not asked for. */
  readonly days: readonly number[];
}

/** Forms, newest first, and the cursor of the next page. */
export interface Overview {
  readonly forms: readonly FormLine[];
  readonly more: string | null;
}

/** A page of the forms that a visit may see. */
export async function overviewOf(
  visit: MemberRequest,
  { limit, cursor, days }: { readonly limit: number; readonly cursor?: string | undefined; readonly days: number },
): Promise<Overview> {
  const { data, next_cursor } = await visit.call("overviewForms", { body: { limit, days, ...(cursor && { cursor }) } });
  return {
    more: next_cursor,
    forms: data.map(({ unread, submissions, last_submission_at, webhooks, ...form }) => ({
      ...form,
      ...submissions,
      unread: unread ?? 0,
      last: last_submission_at,
      failing: webhooks.failing > 0,
    })),
  };
}
