import type { Core } from "../core.ts";
import { type Position, StaleWriteError, type Stored, type Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { JobRecord } from "../jobs/schema.ts";
import type { Caller } from "../keys/schema.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import { askedAgain, reachWebhook } from "./deliveries.ts";
import type { Recovered, RecoverInput } from "./schema.ts";

const MAX_BACK_MS = 14 * DAY_MS;
const MAX_RECOVERED = 10_000;
const BATCH = 100;
const TRIES = 20;

/**
 * Sends every delivery again that ended without success since a moment: same `webhook-id`, a new window of 72 h, whether or not
 * the webhook is enabled. Spam stays skipped until its mark is taken away, and what is no longer stored stays as it is. At most
 * 10,000 per call, the longest ago first; `has_more` says to call again. Throws `webhook_not_found`, and `invalid_parameter`
 * where `since` lies more than 14 days back.
 */
export async function recoverDeliveries(
  core: Core,
  caller: Caller,
  formId: string,
  webhookId: string,
  { since, statuses }: RecoverInput,
): Promise<Recovered> {
  await reachWebhook(core, caller, formId, webhookId);
  if (since < iso(core.clock.now() - MAX_BACK_MS)) {
    throw new ApiError("invalid_parameter", { param: "since", message: "`since` may lie at most 14 days back." });
  }
  let recovered = 0;
  // One that fails anew while we walk stands before us again.
  const seen = new Set<string>();
  for (const status of new Set(statuses)) {
    for (let after: Position | undefined; ; ) {
      const rows = (await core.storage.page("jobs", {
        index: "target_status",
        equals: { target: webhookId, status },
        where: [{ column: "occurred_at", op: "gte", value: since }],
        after,
        order: "asc",
        limit: Math.min(BATCH, Math.max(1, MAX_RECOVERED - recovered)),
      })) as unknown as Stored<JobRecord>[];
      const last = rows.at(-1);
      if (!last) break;
      if (recovered === MAX_RECOVERED) return { recovered, has_more: true };
      const fresh = rows.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      recovered += await reopenAll(core, fresh);
      after = { sort: last.value.occurred_at, id: last.id };
    }
  }
  return { recovered, has_more: false };
}

/** Reopens what of a batch can be sent, in one transaction, and answers how many that were. */
async function reopenAll(core: Core, batch: readonly Stored<JobRecord>[]): Promise<number> {
  let rows = batch;
  for (let attempt = 1; ; attempt++) {
    const content = await contents(core, rows);
    const writes = rows.flatMap(({ id, value, version }): Write[] => {
      const submission = content.get(value.submission_id);
      if (!submission || (value.code === "SKIPPED_SPAM" && submission.spam)) return [];
      return [
        { op: "put", collection: "jobs", id, value: { ...askedAgain(core, value, submission) }, expect: version },
      ];
    });
    if (writes.length === 0) return 0;
    try {
      await core.storage.commit(writes);
      core.queue.wake("webhook");
      return writes.length;
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === TRIES) throw error;
      // Somebody else had one of them sent again, or removed it; the others are still ours to send.
      const fresh = (await core.storage.get(
        "jobs",
        rows.map(({ id }) => id),
      )) as unknown as Map<string, Stored<JobRecord>>;
      rows = rows.flatMap(({ id, value }) => {
        const row = fresh.get(id);
        return row?.value.status === value.status ? [row] : [];
      });
    }
  }
}

async function contents(core: Core, rows: readonly Stored<JobRecord>[]): Promise<Map<string, SubmissionRecord>> {
  const ids = [...new Set(rows.map(({ value }) => value.submission_id))];
  const found = await Promise.all(
    (["submissions", "transient_submissions"] as const).map((collection) => core.storage.get(collection, ids)),
  );
  return new Map(
    found.flatMap((rowsById) => [...rowsById].map(([id, { value }]) => [id, value as unknown as SubmissionRecord])),
  );
}
