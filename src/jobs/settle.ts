import { type Core, find } from "../core.ts";
import { StaleWriteError, type Stored, type Write } from "../drivers/storage/types.ts";
import { iso } from "../lib/clock.ts";
import { releaseContent } from "../submissions/content.ts";
import { type Measures, measuresFor, stateAfter } from "../webhooks/health.ts";
import { nextAttempt } from "../webhooks/schedule.ts";
import type { WebhookState } from "../webhooks/schema.ts";
import type { JobOutcome } from "./outcome.ts";
import { type JobRecord, toDelivery } from "./schema.ts";
import { createTurns, type Turn } from "./turns.ts";

const MAX_FAULTS = 20;
/** A result that is not stored is sent again, so it is worth many tries; every round has a winner. */
const MAX_RACES = 500;
const MAX_STATES = 10_000;
const MAX_RELEASES = 4;

const isLost = (error: unknown): boolean => error instanceof StaleWriteError && error.collection === "jobs";

interface Result {
  readonly row: Stored<JobRecord>;
  readonly outcome: JobOutcome;
}

/**
 * Records how a run ended; the one place where a delivery changes its state.
 *
 *   pending ──▶ succeeded | failed | skipped        pending, retrying ──▶ retrying (another attempt is scheduled)
 *   retrying ─▶ succeeded | failed | skipped        any state ──▶ pending, when a caller has it sent again (`reopen.ts`)
 *
 * The version that the claim gave is the fencing token: a failure of a worker that lost its lease is dropped, a late success
 * still wins. Settling goes through the group commit, so a burst of results costs few transactions. Results of one webhook take
 * turns, because each of them changes the webhook's one state. Once `ending` is aborted nothing is tried again: what could not be
 * stored by then runs again elsewhere.
 */
export function createSettle(
  core: Core,
  ending?: AbortSignal,
): (row: Stored<JobRecord>, outcome: JobOutcome) => Promise<void> {
  /** The state of each webhook as this process last wrote it. */
  const states = new Map<string, { value: WebhookState | null; version: number | null }>();
  const inTurn = createTurns(settleTogether);

  return (row, outcome) =>
    row.value.kind === "webhook" ? inTurn(row.value.target, { row, outcome }) : settleAlone({ row, outcome });

  async function settleTogether(turns: readonly Turn<Result>[]): Promise<void> {
    if (turns.length > 1) {
      try {
        await recordAtLast(turns.map(({ item }) => item));
        for (const turn of turns) turn.resolve();
        return;
      } catch (error) {
        // One lost lease fails them all; each for itself tells which.
        if (!isLost(error)) {
          for (const turn of turns) turn.reject(error);
          return;
        }
      }
    }
    for (const { item, resolve, reject } of turns) await settleAlone(item).then(resolve, reject);
  }

  async function settleAlone({ row: claimed, outcome }: Result): Promise<void> {
    let row = claimed;
    for (;;) {
      try {
        return await recordAtLast([{ row, outcome }]);
      } catch (error) {
        if (!isLost(error)) throw error;
        const fresh = outcome.status === "succeeded" ? await find<JobRecord>(core, "jobs", row.id) : null;
        if (!fresh || fresh.value.status === "succeeded") return;
        row = fresh;
      }
    }
  }

  /** Tries again while the store is down or another process changes the webhook's state; throws at once where a lease was lost. */
  async function recordAtLast(results: readonly Result[]): Promise<void> {
    for (let [faults, races] = [0, 0]; ; ) {
      try {
        return await record(results);
      } catch (error) {
        const raced = error instanceof StaleWriteError;
        if (isLost(error) || (raced ? ++races > MAX_RACES : ++faults > MAX_FAULTS)) throw error;
        if (ending?.aborted && !raced) throw error;
        await pause(raced ? Math.random() * Math.min(2 ** races, 25) : Math.min(25 * 2 ** faults, 1_000));
      }
    }
  }

  /** Commits results of one target, all or nothing, with what they cause. */
  async function record(results: readonly Result[]): Promise<void> {
    const jobs = results.map(({ row, outcome }) => settled(row.value, outcome));
    const { kind, target, form_id } = jobs[0] as JobRecord;
    const writes: Write[] = [];
    let disabled: string | null = null;
    if (kind === "webhook") {
      const before = states.get(target) ?? (await loadState(target));
      const measures = await measuresOf(before.value, jobs, results);
      writes.push(...measures.writes, {
        op: "put",
        collection: "webhook_states",
        id: target,
        value: { ...measures.state },
        expect: before.version,
      });
      disabled = measures.disabled;
      states.set(target, { value: measures.state, version: (before.version ?? 0) + 1 });
      if (states.size > MAX_STATES) states.delete(states.keys().next().value as string);
    }
    for (const [at, { row }] of results.entries()) {
      writes.push({ op: "put", collection: "jobs", id: row.id, value: { ...jobs[at] }, expect: row.version });
    }
    try {
      await core.committer.commit(writes, 500 * writes.length);
    } catch (error) {
      states.delete(target);
      throw error;
    }
    for (const job of jobs) announce(job);
    if (disabled !== null) {
      core.cached.forms.drop(form_id);
      core.events.emit("webhook.disabled", { form_id, webhook_id: target, reason: disabled });
    }
    if (writes.some((write) => write.op === "put" && write.value["kind"] === "webhook_notice"))
      core.queue.wake("email");
    for (const job of jobs) {
      if (job.transient && job.due_at === null) await release(job.submission_id);
    }
  }

  /** The result is stored by now, whatever becomes of this. What stays for now is taken by the sweep, some days later. */
  async function release(submission_id: string): Promise<void> {
    for (let faults = 1; ; faults++) {
      try {
        return await releaseContent(core, submission_id);
      } catch (error) {
        if (faults > MAX_RELEASES || ending?.aborted) {
          core.options.logger.warn(`the content of ${submission_id} stays until a sweep removes it: ${String(error)}`);
          return;
        }
        await pause(25 * 2 ** faults);
      }
    }
  }

  /** Ends early where this process is to end. */
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

  function settled(job: JobRecord, outcome: JobOutcome): JobRecord {
    const { http_status: _, node_error_code: __, message: ___, forced, ...rest } = job;
    const now = core.clock.now();
    const attempted = outcome.attempted ?? outcome.status !== "skipped";
    const attempt = attempted ? job.attempt + 1 : job.attempt;
    const next =
      outcome.status === "retry"
        ? nextAttempt({
            attempt: attempt - (job.window_from ?? 0),
            endedAt: core.storeClock.now(),
            deadlineAt: Date.parse(job.deadline_at),
            retryAfter: outcome.retryAfter,
            slow: outcome.slow,
          })
        : null;
    return {
      ...rest,
      ...(outcome.http_status !== undefined && { http_status: outcome.http_status }),
      ...(outcome.node_error_code !== undefined && { node_error_code: outcome.node_error_code }),
      ...(outcome.message !== undefined && { message: outcome.message }),
      ...(forced && next && !next.failed && { forced }),
      status: outcome.status !== "retry" ? outcome.status : next?.failed ? "failed" : "retrying",
      code: outcome.code,
      attempt,
      lost: outcome.lost ?? 0,
      leased: false,
      due_at: next && !next.failed ? iso(next.at) : null,
      occurred_at: iso(now),
    };
  }

  /** The webhook's state after these results. Makes each `occurred_at` unique for the webhook, by going 1 ms past the last one. */
  function measuresOf(
    before: WebhookState | null,
    jobs: readonly JobRecord[],
    results: readonly Result[],
  ): Promise<Measures> {
    let state = before;
    for (const job of jobs) {
      const last = state ? Date.parse(state.last_occurred_at) : 0;
      job.occurred_at = iso(Math.max(Date.parse(job.occurred_at), last + 1));
      state = stateAfter(state, job);
    }
    const gone = results.findIndex(({ outcome }) => outcome.gone);
    const job = jobs[gone] ?? jobs.findLast(({ status }) => status === "failed" || status === "retrying") ?? jobs[0];
    return measuresFor(core, job as JobRecord, { before, after: state as WebhookState, gone: gone !== -1 });
  }

  async function loadState(target: string): Promise<{ value: WebhookState | null; version: number | null }> {
    const stored = await find<WebhookState>(core, "webhook_states", target);
    return { value: stored?.value ?? null, version: stored?.version ?? null };
  }

  function announce(job: JobRecord): void {
    core.telemetry.count("form_backend.deliveries", { kind: job.kind, status: job.status, code: job.code });
    if (job.status === "retrying" || job.status === "skipped") return;
    const kind = job.kind === "webhook" ? "delivery" : "email";
    const event =
      job.status === "succeeded"
        ? kind === "email"
          ? "email.sent"
          : "delivery.succeeded"
        : (`${kind}.failed` as const);
    core.events.emit(event, toDelivery(job));
  }
}
