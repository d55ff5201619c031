import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { iso, systemClock } from "../../lib/clock.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { LaneState } from "./lane-state.ts";

const ROW_BYTES = 1_000;

/** Claims as many jobs as the lane has room for. Throws errors of the store. */
export async function claimDue(core: Core, { name, row, queue }: LaneState, careful: boolean) {
  const asked = queue.claimable(careful);
  if (asked.limit === 0) return [];
  const askedAt = core.clock.now();
  const { now: judgedAt, jobs } = await core.storage.claim({
    ...asked,
    lane: name,
    leaseMs: row.leaseMs,
    // Only an injected clock overrules the database's own.
    now: core.clock === systemClock ? undefined : core.clock.now(),
  });
  core.storeClock.note(judgedAt, askedAt);
  // A job that this version can't read stays leased: it comes back when the lease has run out, for a worker that can.
  const rows = core.rows.readable("jobs", jobs);
  queue.claimed(
    asked,
    rows.map(({ value }) => value.target),
  );
  return rows;
}

/**
 * Returns a claimed job without running it, so that the claim is not counted. One whose call to a service may be under way stays
 * away for as long as a call may take: the next run asks the service first, and could not see what arrives after that. Throws
 * errors of the store.
 */
export async function giveBack(core: Core, row: Stored<JobRecord>, leastMs = 0): Promise<void> {
  const afterMs = Math.max(leastMs, row.value.unsure ? core.options.webhooks.timeoutMs : 0);
  const value = { ...row.value, leased: false, due_at: iso(core.storeClock.now() + afterMs) };
  delete value.last_chance;
  await core.commitTogether([put("jobs", row.id, value, row.version)], ROW_BYTES);
}

/** The same for several. Never rejects: a job that can't be returned is due again when its lease expires. */
export async function giveAllBack(core: Core, rows: readonly Stored<JobRecord>[]): Promise<void> {
  await Promise.allSettled(rows.map((row) => giveBack(core, row)));
}

/** Notes that the last run of a claimed job begins; returns the row as it is then. Throws errors of the store. */
export async function beginLastChance(core: Core, row: Stored<JobRecord>): Promise<Stored<JobRecord>> {
  const value = { ...row.value, last_chance: row.value.lost };
  await core.commitTogether([put("jobs", row.id, value, row.version)], ROW_BYTES);
  return { ...row, value, version: row.version + 1 };
}
