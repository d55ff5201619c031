import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { put } from "../../core/rows.ts";
import { StaleWriteError, type Stored, type Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { JobOutcome } from "../../model/outcome.ts";
import type { Ended } from "../jobs/kinds.ts";
import { releaseContent } from "../submissions/content.ts";
import { type UsageKind, usageWrite } from "../teams/usage.ts";
import { runAgain } from "./again.ts";
import { announce } from "./announce.ts";
import { endedBy } from "./ended.ts";
import { kinds } from "./kinds.ts";

const MAX_FAULTS = 20;
/** A result that is not stored is sent again, so it is worth many tries; every round has a winner. */
const MAX_RACES = 500;
const MAX_RELEASES = 4;
/** Approximate size of a job's row. */
const ROW_BYTES = 1_000;

/** An outcome that is not stored yet. */
interface Result {
  row: Stored<JobRecord>;
  readonly outcome: JobOutcome;
  faults: number;
  races: number;
  /** Goes by itself, because a driver did not say which of its batch had lost its lease. */
  alone: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Records the result of a run; the only place where a delivery changes its state.
 *
 *   pending ──▶ succeeded | failed | skipped        pending, retrying ──▶ retrying (another attempt is scheduled)
 *   retrying ─▶ succeeded | failed | skipped        any state ──▶ pending, when a caller has it sent again (`again.ts`)
 *
 * The version from the claim is the fencing token: a failure of a worker that lost its lease is dropped, a late success still
 * wins. One writer stores the results: those that arrive during a commit share the next one. Failed ones are tried again in a
 * later round. Once `ending` is aborted nothing is tried again: another process runs the unstored jobs again.
 */
export function createSettle(
  core: Core,
  ending?: AbortSignal,
): (row: Stored<JobRecord>, outcome: JobOutcome) => Promise<void> {
  let waiting: Result[] = [];
  let writing = false;

  return (row, outcome) =>
    new Promise((resolve, reject) => enqueue({ row, outcome, faults: 0, races: 0, alone: false, resolve, reject }));

  function enqueue(result: Result): void {
    waiting.push(result);
    if (!writing) void write();
  }

  async function write(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      // Results of one turn of the event loop go together.
      await new Promise((resolve) => setImmediate(resolve));
      const round = new Map<string, Result>();
      const later: Result[] = [];
      // A job that ran twice has two results: in one commit each would make the other stale, again and again.
      for (const result of waiting) {
        if (round.has(result.row.id)) later.push(result);
        else round.set(result.row.id, result);
      }
      waiting = later;
      await Promise.all(batchesOf([...round.values()]).map(store));
    }
    writing = false;
  }

  /** Commits results that belong together, all or nothing, with their consequences. Never rejects. */
  async function store(batch: readonly Result[]): Promise<void> {
    const ended = batch.map(({ row, outcome }): Ended => ({ job: endedBy(core, row.value, outcome), outcome }));
    const { settled } = kinds[(ended[0] as Ended).job.kind];
    try {
      const consequences = await settled?.(core, ended);
      const rows = batch.map(({ row }, at) =>
        put("jobs", row.id, runAgain(core, (ended[at] as Ended).job), row.version),
      );
      try {
        const writes = [...(consequences?.writes ?? []), ...rows, ...sentBy(core, batch)];
        await core.commitTogether(writes, ROW_BYTES * rows.length);
      } catch (error) {
        consequences?.failed();
        throw error;
      }
      consequences?.committed();
    } catch (error) {
      for (const result of batch) again(result, error, batch);
      return;
    }
    for (const [at, { job, outcome }] of ended.entries()) {
      if (outcome.moved || job.again) core.queue.wake(job.lane);
      if (!outcome.moved) announce(core, (batch[at] as Result).row.id, job, outcome);
    }
    for (const [at, { resolve }] of batch.entries()) void release((ended[at] as Ended).job).then(resolve);
  }

  /** Moves a result into a later round, or gives it up. */
  function again(result: Result, error: unknown, batch: readonly Result[]): void {
    const raced = error instanceof StaleWriteError;
    if (raced && error.collection === "jobs") {
      const known = batch.some(({ row }) => row.id === error.id);
      if (result.row.id === error.id || batch.length === 1) void outlived(result);
      else {
        result.alone ||= !known;
        enqueue(result);
      }
      return;
    }
    if (raced ? ++result.races > MAX_RACES : ++result.faults > MAX_FAULTS || ending?.aborted) {
      result.reject(error);
      return;
    }
    const ms = raced ? Math.random() * Math.min(2 ** result.races, 25) : Math.min(25 * 2 ** result.faults, 1_000);
    void pause(ms).then(() => enqueue(result));
  }

  /**
   * The row changed during the run. If the lease was lost, a failure is dropped, and a success replaces any newer state. If a
   * caller asked for the delivery again, the lease still holds, so the result counts.
   */
  async function outlived(result: Result): Promise<void> {
    try {
      const fresh = await core.rows.get("jobs", result.row.id);
      const holds = fresh?.value.again && fresh.value.due_at === result.row.value.due_at;
      if (!fresh || !(holds || (result.outcome.status === "succeeded" && fresh.value.status !== "succeeded"))) {
        result.resolve();
        return;
      }
      if (++result.races > MAX_RACES) throw new Error("another process changes it all the time");
      result.row = fresh;
      enqueue(result);
    } catch (error) {
      again(result, error, []);
    }
  }

  /**
   * Removes content that was kept for deliveries only. Never rejects: if it fails, the sweep removes the content some days
   * later.
   */
  async function release({ transient, due_at, again: runsAgain, submission_id }: JobRecord): Promise<void> {
    if (!transient || due_at !== null || runsAgain) return;
    for (let faults = 1; ; faults++) {
      try {
        return await releaseContent(core, submission_id);
      } catch (error) {
        if (faults > MAX_RELEASES || ending?.aborted) {
          core.options.logger.warn(
            `the content of ${submission_id} stays until a sweep removes it: ${faultText(error)}`,
          );
          return;
        }
        await pause(25 * 2 ** faults);
      }
    }
  }

  /** Returns early if this process is closing. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        ending?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      ending?.addEventListener("abort", end);
    });
  }
}

/** Results of one target go together where they change more than their own rows, the others each by itself. */
function batchesOf(results: readonly Result[]): Result[][] {
  const batches = new Map<string, Result[]>();
  for (const result of results) {
    const { id, value } = result.row;
    const key = kinds[value.kind].settled && !result.alone ? `target ${value.target}` : `job ${id}`;
    const batch = batches.get(key);
    if (batch) batch.push(result);
    else batches.set(key, [result]);
  }
  return [...batches.values()];
}

/** The writes that count what was sent, one for a team and kind, however many there are. */
function sentBy(core: Core, batch: readonly Result[]): Write[] {
  const sums = new Map<string, { readonly team_id: string; readonly kind: UsageKind; n: number }>();
  for (const { row, outcome } of batch) {
    const { team_id, kind: job, status } = row.value;
    // A late success of a delivery that another run has ended is the same delivery.
    if (job === "host_webhook" || outcome.status !== "succeeded" || status === "succeeded") continue;
    const kind = job === "webhook" ? "webhooks" : "emails";
    const sum = sums.get(`${team_id} ${kind}`) ?? { team_id, kind, n: 0 };
    sums.set(`${team_id} ${kind}`, sum);
    sum.n++;
  }
  const at = iso(core.clock.now());
  return Array.from(sums.values(), ({ team_id, kind, n }) => usageWrite(team_id, at, kind, n));
}
