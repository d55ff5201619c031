import { type Core, find } from "../core.ts";
import { StaleWriteError, type Stored, type Write } from "../drivers/storage/types.ts";
import { iso } from "../lib/clock.ts";
import { releaseContent } from "../submissions/content.ts";
import { nextAttempt } from "../webhooks/schedule.ts";
import type { WebhookState } from "../webhooks/schema.ts";
import type { JobOutcome } from "./outcome.ts";
import { type JobRecord, toDelivery } from "./schema.ts";

const TRIES = 20;

/**
 * Records how a run ended; the one place where a delivery changes its state.
 *
 *   pending ──▶ succeeded | failed | skipped        pending, retrying ──▶ retrying (another attempt is scheduled)
 *   retrying ─▶ succeeded | failed | skipped        any state ──▶ pending, when a caller has it sent again (`reopen.ts`)
 *
 * The version that the claim gave is the fencing token: a failure of a worker that lost its lease is dropped, a late success
 * still wins. Settling goes through the group commit, so a burst of results costs few transactions.
 */
export function createSettle(core: Core): (row: Stored<JobRecord>, outcome: JobOutcome) => Promise<void> {
  /** The state of each webhook as this process last wrote it, so that results which settle together chain their versions. */
  const states = new Map<string, { value: WebhookState; version: number | null }>();

  return async (claimed, outcome) => {
    let row = claimed;
    for (let attempt = 1; ; attempt++) {
      const job = settled(row.value, outcome);
      const writes: Write[] = [];
      if (job.kind === "webhook") writes.push(await nextState(job));
      writes.push({ op: "put", collection: "jobs", id: row.id, value: { ...job }, expect: row.version });
      try {
        await core.committer.commit(writes, 500);
        announce(job);
        if (job.transient && job.due_at === null) await releaseContent(core, job.submission_id);
        return;
      } catch (error) {
        states.delete(job.target);
        if (attempt === TRIES) throw error;
        if (error instanceof StaleWriteError && error.collection === "jobs") {
          const fresh = outcome.status === "succeeded" ? await find<JobRecord>(core, "jobs", row.id) : null;
          if (!fresh || fresh.value.status === "succeeded") return;
          row = fresh;
        } else if (!(error instanceof StaleWriteError)) {
          await new Promise((resolve) => setTimeout(resolve, Math.min(25 * 2 ** attempt, 1_000)));
        }
      }
    }
  };

  function settled(job: JobRecord, outcome: JobOutcome): JobRecord {
    const { http_status: _, node_error_code: __, message: ___, forced, ...rest } = job;
    const now = core.clock.now();
    const attempt = outcome.status === "skipped" ? job.attempt : job.attempt + 1;
    const next =
      outcome.status === "retry"
        ? nextAttempt({
            attempt: attempt - (job.window_from ?? 0),
            endedAt: now,
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
      lost: 0,
      leased: false,
      due_at: next && !next.failed ? iso(next.at) : null,
      occurred_at: iso(now),
    };
  }

  /** Makes `occurred_at` unique for the webhook, by going 1 ms past the last one, and records the newest delivery. */
  async function nextState(job: JobRecord): Promise<Write> {
    let state = states.get(job.target);
    if (!state) {
      const stored = await find<WebhookState>(core, "webhook_states", job.target);
      // Another result may have loaded it while we waited; its chain is the one to go on with.
      state = states.get(job.target) ?? {
        value: stored?.value ?? { last_delivery: null, last_occurred_at: "", failing_since: null },
        version: stored?.version ?? null,
      };
    }
    const { value, version } = state;
    const last = value.last_occurred_at === "" ? 0 : Date.parse(value.last_occurred_at);
    job.occurred_at = iso(Math.max(Date.parse(job.occurred_at), last + 1));
    const next: WebhookState = {
      last_occurred_at: job.occurred_at,
      last_delivery: {
        at: job.occurred_at,
        status: job.status,
        response_status: job.http_status ?? null,
        attempt: job.attempt,
      },
      failing_since:
        job.status === "succeeded"
          ? null
          : (value.failing_since ?? (job.status === "skipped" ? null : job.occurred_at)),
    };
    states.set(job.target, { value: next, version: (version ?? 0) + 1 });
    if (states.size > 10_000) states.delete(states.keys().next().value as string);
    return { op: "put", collection: "webhook_states", id: job.target, value: { ...next }, expect: version };
  }

  function announce(job: JobRecord): void {
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
