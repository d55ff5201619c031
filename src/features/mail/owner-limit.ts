import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { countOfMailbox, type Sent, sentLeaves, withinTheHour } from "../../core/rates/hourly.ts";
import { put, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { allOrNone, batchByKey } from "../../lib/batch-by-key.ts";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import { deliveryId } from "../../lib/id.ts";
import { block, optional, text } from "../../lib/leaves.ts";
import { addresseeOf, type JobRecord } from "../../model/jobs.ts";
import type { MarkId } from "../../model/marks.ts";
import { type JobOutcome, movedTo } from "../../model/outcome.ts";
import { mailJob } from "../jobs/mail-job.ts";

const MAX_AN_HOUR = 60;
/** A notification that its summary has not included by then is sent alone. */
const STRAY_MS = 2 * HOUR_MS;

/** The mails that one mailbox got over one server, and the summary that the next ones go into. */
interface OwnerMails extends Sent {
  /** `at`: when it is due, by the store's clock. */
  summary?: Summary;
}

interface Summary {
  id: string;
  at: string;
}

const ownerLeaf = block<OwnerMails>({
  ...sentLeaves,
  summary: optional(block<Summary>({ id: text(), at: text() })),
});

interface Ask {
  readonly jobId: string;
  readonly job: JobRecord;
  /** The new target of the mail; null if it may be sent now. */
  summary: Summary | null;
}

const asking = perBackend((core) => batchByKey<Ask>(allOrNone((asks) => retrying(() => decide(core, asks)))));

/**
 * Returns null if a notification may be sent now, and counts it. Beyond 60 an hour to one mailbox over one server, returns the
 * wait for the summary that will include it. Anybody can post, and the owner of the address may not have agreed, so a form must
 * not flood a mailbox. Count and summary are in the store, for all processes; checks for mails to one address are batched.
 */
export async function placeForOwner(core: Core, jobId: string, job: JobRecord): Promise<JobOutcome | null> {
  const item: Ask = { jobId, job, summary: null };
  await asking(core)(markOf(core, job), item);
  return item.summary && movedTo(item.summary.id, Date.parse(item.summary.at) + STRAY_MS, "COLLECTED");
}

/** Later notifications go into another summary. */
export function closeSummary(core: Core, id: string, job: JobRecord): Promise<void> {
  const mark = markOf(core, job);
  return retrying(async () => {
    const row = await core.rows.mark(mark, ownerLeaf);
    if (row?.value.summary?.id !== id) return;
    const { summary: _, ...value } = row.value;
    await core.commitNow([put("marks", mark, value, row.version)]);
  });
}

const markOf = (core: Core, job: JobRecord): MarkId =>
  `${countOfMailbox(core, "owner", addresseeOf(job), MAX_AN_HOUR).mark}:${job.target}`;

async function decide(core: Core, asks: readonly Ask[]): Promise<void> {
  const [{ job }] = asks as [Ask];
  const id = markOf(core, job);
  const now = core.clock.now();
  const row = await core.rows.mark(id, ownerLeaf);
  const jobs = new Map(withinTheHour(row?.value.jobs ?? {}, now));
  let summary = row?.value.summary;
  // A summary that was never closed has been removed.
  if (summary && Date.parse(summary.at) < core.storeClock.now() - DAY_MS) summary = undefined;
  const writes: Write[] = [];
  let counted = false;
  for (const item of asks) {
    item.summary = null;
    if (jobs.has(item.jobId) || jobs.size < MAX_AN_HOUR) {
      jobs.set(item.jobId, iso(now));
      counted = true;
      continue;
    }
    if (!summary) {
      const at = core.storeClock.now() + HOUR_MS;
      summary = { id: deliveryId(now), at: iso(at) };
      const { target, team_id } = item.job;
      const given = { kind: "summary", target, to: addresseeOf(item.job), form_id: "", team_id } as const;
      writes.push(mailJob(core, summary.id, at, { ...given, event: "owner.summary" }));
    }
    item.summary = summary;
  }
  if (!counted && writes.length === 0) return;
  const expires_at = iso(now + (summary ? 4 * DAY_MS : HOUR_MS));
  const value: OwnerMails = { jobs: Object.fromEntries(jobs), expires_at, ...(summary && { summary }) };
  writes.push(put("marks", id, value, row?.version ?? null));
  await core.commitTogether(writes, 4_096);
}
