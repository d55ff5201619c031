import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { toList } from "../../core/paging.ts";
import type { Row } from "../../core/rows.ts";
import { DAY_MS, dayOf, iso, monthOf } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import { Cursor } from "../../lib/wire.ts";
import { type Caller, readerOf } from "../../model/keys.ts";
import { listedTeams } from "../forms/access.ts";
import {
  apartCounter,
  closedCounter,
  countedCounter,
  DAYS_SHOWN,
  formCounter,
  readerCounter,
  seenCounter,
} from "../forms/counters.ts";
import { pageOfForms } from "../forms/service.ts";
import { recount } from "./recount.ts";
import { returnSnoozed } from "./snooze.ts";

/** The forms in an overview. */
export const FormOverviewQuery = z.strictObject({
  /** Only the forms of this team. */
  team_id: z.string().max(64).optional(),
  /** Forms per page, at most 100. */
  limit: z.int().min(1).max(100).default(25),
  cursor: Cursor,
  /** Days to count, today included. */
  days: z.int().min(0).max(DAYS_SHOWN).default(30),
});
export type FormOverviewQuery = z.input<typeof FormOverviewQuery>;

/** One form at a glance. */
export interface FormOverview {
  /** The form's id. */
  id: string;
  /** The form's name. */
  name: string;
  /** The team it belongs to. */
  team_id: string;
  /** The time of its creation. */
  created_at: string;
  /** False while the form takes no posts. */
  active: boolean;
  /** Unread submissions in the inbox, for a person of the inbox those that this person has yet to read; null for a form of an earlier version that is not counted yet. */
  unread: number | null;
  /** Submissions in the inbox that are neither done nor snoozed; null for a form of an earlier version that is not counted yet. */
  open: number | null;
  /** Every post, spam included, and those of the current month in UTC. */
  submissions: {
    /** Those of the current month in UTC. */
    this_month: number;
    /** All of them. */
    all_time: number;
  };
  /** The time of the latest post; null before the first one. */
  last_submission_at: string | null;
  /** Posts of each day in UTC that were not taken for spam, oldest first; the last one is today. */
  days: number[];
  /** Counts of its webhooks. */
  webhooks: {
    /** All of them. */
    total: number;
    /** Those that are switched off. */
    paused: number;
    /** Enabled webhooks whose latest attempts failed. */
    failing: number;
  };
}

/** A page of forms at a glance. */
export interface FormOverviewList {
  /** The forms of this page. */
  data: FormOverview[];
  /** True where another page follows. */
  has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}

/** Time that a page spends on forms which were never counted. */
const COUNT_BUDGET_MS = 1_000;

/** The forms that the caller reaches, newest first, each at a glance: from counters, so that no submission is read. Throws `invalid_parameter`. */
export async function formsOverview(
  core: Core,
  caller: Caller,
  query: FormOverviewQuery = {},
): Promise<FormOverviewList> {
  const { team_id, limit, cursor, days } = parseInput(FormOverviewQuery, query);
  const teams = await listedTeams(core, caller, team_id);
  await returnSnoozed(core, teams);
  const scope = JSON.stringify(["overview", caller.id, team_id ?? null]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const { rows, next } = await pageOfForms(core, caller, teams, after, limit);
  return toList(await toOverviews(core, rows, days, readerOf(caller)), next, (position) =>
    core.cursors.issue(position, scope),
  );
}

/**
 * Overviews of a page of forms, with the counts of the last `days` days, in two reads altogether. `reader` is the person whose unread
 * submissions are counted.
 */
export async function toOverviews(
  core: Core,
  rows: readonly Row<"forms">[],
  days: number,
  reader?: string,
): Promise<FormOverview[]> {
  const now = core.clock.now();
  const month = monthOf(iso(now));
  const dates = Array.from({ length: days }, (_, i) => dayOf(iso(now - (days - 1 - i) * DAY_MS)));
  const ids = rows.flatMap(({ id }) => [
    seenCounter(id),
    closedCounter(id),
    countedCounter(id),
    ...(reader === undefined ? [] : [apartCounter(id), readerCounter(id, reader)]),
    ...["all", month, ...dates].map((of) => formCounter(id, of)),
  ]);
  const webhookIds = rows.flatMap(({ value }) => value.webhooks.map(({ id }) => id));
  const read = () => core.rows.many("counters", ids);
  const [first, states] = await Promise.all([read(), core.rows.many("webhook_states", webhookIds)]);
  const counters = (await countNew(core, rows, first)) ? await read() : first;
  return rows.map(({ id, value }) => {
    const tally = (of: string) => counters.get(formCounter(id, of))?.value;
    const all = tally("all");
    const others =
      reader === undefined
        ? 0
        : Math.max(0, (tally("apart")?.n ?? 0) - (counters.get(readerCounter(id, reader))?.value.n ?? 0));
    const on = value.webhooks.filter(({ enabled }) => enabled);
    return {
      id,
      name: value.name,
      team_id: value.team_id,
      created_at: value.created_at,
      active: value.active,
      unread: tally("counted:open") ? Math.max(0, (all?.n ?? 0) - (tally("seen")?.n ?? 0)) + others : null,
      open: tally("counted:open") ? Math.max(0, (all?.n ?? 0) - (tally("closed")?.n ?? 0)) : null,
      submissions: { this_month: tally(month)?.n ?? 0, all_time: all?.n ?? 0 },
      last_submission_at: all?.at ?? null,
      days: dates.map((date) => tally(date)?.n ?? 0),
      webhooks: {
        total: value.webhooks.length,
        paused: value.webhooks.length - on.length,
        failing: on.filter((webhook) => states.get(webhook.id)?.value.failing).length,
      },
    };
  });
}

/** Counts the forms that never were, for as long as a page may take; true where it counted one. */
async function countNew(
  core: Core,
  rows: readonly Row<"forms">[],
  counters: ReadonlyMap<string, unknown>,
): Promise<boolean> {
  const began = performance.now();
  let counted = false;
  for (const { id } of rows) {
    if (counters.has(countedCounter(id))) continue;
    const left = COUNT_BUDGET_MS - (performance.now() - began);
    if (left <= 0) break;
    if (await recount(core, id, left)) counted = true;
  }
  return counted;
}
