import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import { JobKind } from "../../model/jobs.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { type Recovered, RecoverInput } from "../../model/webhooks.ts";
import { webhookOf } from "../forms/webhooks.ts";
import { admitted } from "../jobs/quota.ts";
import { askedAgain, staysUnsent } from "./again.ts";

/** The deliveries of every kind to send again. Strict, like a list's query. */
const JobsRecover = RecoverInput.extend({
  /** Only jobs of this kind. */
  kind: JobKind.optional(),
  /** Only jobs of this form. */
  form_id: z.string().optional(),
});
export type JobsRecoverInput = z.input<typeof JobsRecover>;

const MAX_BACK_MS = 14 * DAY_MS;
const MAX_RECOVERED = 10_000;
const BATCH = 100;
const TRIES = 20;
const COUNT_MS = 2_000;

/**
 * Sends every unsuccessful delivery of a webhook since a time again: same `webhook-id`, a new window of 72 h, even if the
 * webhook is disabled. Spam stays skipped until it is marked as not spam, and submissions that are no longer stored are left
 * out. At most 10,000 per call, the oldest first; `has_more` tells the caller to repeat it. Throws `webhook_not_found`, and
 * `invalid_parameter` if `since` is more than 14 days ago.
 */
export function recoverDeliveries(
  core: Core,
  form: Row<"forms">,
  webhookId: string,
  { since, statuses }: RecoverInput,
): Promise<Recovered> {
  webhookOf(form.value, webhookId);
  assertRecent(core, since);
  const ended = [...new Set(statuses)].map((status) =>
    core.rows.walk("jobs", {
      index: "target_status",
      equals: { target: webhookId, status },
      where: [{ column: "occurred_at", op: "gte", value: since }],
      limit: BATCH,
    }),
  );
  return recoverAll(core, ended, () => true);
}

/**
 * The number of a webhook's deliveries with one of these statuses since a time: approximately the ones that `recoverDeliveries`
 * would send again.
 */
export async function recoverable(
  core: Core,
  form: Row<"forms">,
  webhookId: string,
  { since, statuses }: RecoverInput,
): Promise<{ count: number; exact: boolean }> {
  webhookOf(form.value, webhookId);
  assertRecent(core, since);
  const found = await Promise.all(
    [...new Set(statuses)].map((status) =>
      core.storage.count("jobs", {
        index: "target_status",
        equals: { target: webhookId, status },
        where: [{ column: "occurred_at", op: "gte", value: since }],
        budgetMs: COUNT_MS,
      }),
    ),
  );
  return { count: found.reduce((sum, { count }) => sum + count, 0), exact: found.every(({ exact }) => exact) };
}

/**
 * The same for mails and webhooks of every form. Leaves out submissions from more than 14 days before `since`. Throws
 * `invalid_parameter`.
 */
export async function recoverJobs(core: Core, input: JobsRecoverInput): Promise<Recovered> {
  const { kind, form_id, since, statuses } = parseInput(JobsRecover, input);
  assertRecent(core, since);
  const run = form_id === undefined ? { index: "all" } : { index: "form", equals: { form_id } };
  const submitted = iso(Date.parse(since) - MAX_BACK_MS);
  const ended = core.rows.walk("jobs", {
    ...run,
    where: [
      { column: "created_at", op: "gte", value: submitted },
      { column: "status", op: "in", value: statuses },
    ],
    limit: BATCH,
  });
  return recoverAll(
    core,
    [ended],
    // The notifications in a summary got its result, each its own.
    ({ value }) =>
      value.occurred_at >= since && value.kind !== "summary" && (kind === undefined || value.kind === kind),
  );
}

function assertRecent(core: Core, since: string): void {
  if (since >= iso(core.clock.now() - MAX_BACK_MS)) return;
  throw new ApiError("invalid_parameter", { param: "since", message: "`since` may be at most 14 days ago." });
}

async function recoverAll(
  core: Core,
  walks: readonly AsyncGenerator<Row<"jobs">[]>[],
  wanted: (row: Row<"jobs">) => boolean,
): Promise<Recovered> {
  let recovered = 0;
  // A delivery that fails again during the walk appears again.
  const seen = new Set<string>();
  for (const ended of walks) {
    for await (const rows of ended) {
      const fresh = rows.filter((row) => !seen.has(row.id) && wanted(row));
      for (const { id } of fresh) seen.add(id);
      for (let at = 0; at < fresh.length; ) {
        const some = fresh.slice(at, at + MAX_RECOVERED - recovered);
        if (some.length === 0) return { recovered, has_more: true };
        recovered += await reopenAll(core, some);
        at += some.length;
      }
    }
  }
  return { recovered, has_more: false };
}

/** Reopens the deliveries of a batch that can be sent, in one transaction. Returns their number. */
async function reopenAll(core: Core, batch: readonly Row<"jobs">[]): Promise<number> {
  let rows: readonly Row<"jobs">[] | null = null;
  return retrying(async () => {
    // After a failure: one of them was sent again or removed by somebody else; the others can still be sent.
    rows = rows === null ? batch : await unchanged(core, rows);
    const content = await contents(core, rows);
    await leaveBeyond(core, content);
    const writes = rows.flatMap(({ id, value, version }): Write[] => {
      const submission = content.get(value.submission_id) ?? null;
      if (value.submission_id !== "") {
        if (!submission || staysUnsent(value, submission)) return [];
        if (value.code === "SKIPPED_SPAM" && submission.spam) return [];
      }
      return [put("jobs", id, askedAgain(core, value, submission), version)];
    });
    if (writes.length === 0) return 0;
    await core.commitNow(writes);
    for (const lane of new Set(rows.map(({ value }) => value.lane))) core.queue.wake(lane);
    return writes.length;
  }, TRIES);
}

/** The rows as they are now, where their status is still the same. */
async function unchanged(core: Core, rows: readonly Row<"jobs">[]): Promise<Row<"jobs">[]> {
  const fresh = await core.rows.many(
    "jobs",
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id, value }) => {
    const row = fresh.get(id);
    return row?.value.status === value.status ? [row] : [];
  });
}

/** Leaves out deliveries beyond the plan's month. */
async function leaveBeyond(core: Core, content: Map<string, SubmissionRecord>): Promise<void> {
  let full = false;
  for (const [id, { uncounted, spam }] of content) {
    if (!uncounted || spam) continue;
    full ||= !(await admitted(core, id));
    if (full) content.delete(id);
  }
}

async function contents(core: Core, rows: readonly Row<"jobs">[]): Promise<Map<string, SubmissionRecord>> {
  const ids = [...new Set(rows.map(({ value }) => value.submission_id))];
  const found = await Promise.all(
    (["submissions", "transient_submissions", "pending_submissions"] as const).map((collection) =>
      core.rows.many(collection, ids),
    ),
  );
  return new Map(found.flatMap((rowsById) => [...rowsById].map(([id, { value }]) => [id, value])));
}
