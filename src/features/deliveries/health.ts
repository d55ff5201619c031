import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { HOUR_MS, iso } from "../../lib/clock.ts";
import { deliveryId } from "../../lib/id.ts";
import { createLru } from "../../lib/lru.ts";
import { DEFAULT_SERVER, type JobRecord } from "../../model/jobs.ts";
import type { Pause } from "../../model/pause.ts";
import type { FailingStreak, WebhookState } from "../../model/webhook-state.ts";
import type { Consequences, Ended } from "../jobs/kinds.ts";
import { mailJob } from "../jobs/mail-job.ts";
import { loadTeam } from "../teams/service.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";
import { pauseText } from "./pause-text.ts";

const WARN_MS = 24 * HOUR_MS;
const DISABLE_MS = 5 * 24 * HOUR_MS;

/** The state of a webhook after one more result. `job.occurred_at` must be greater than `last_occurred_at`. */
function stateAfter(before: WebhookState | null, job: JobRecord): WebhookState {
  return {
    ...before,
    last_occurred_at: job.occurred_at,
    last_delivery: {
      at: job.occurred_at,
      status: job.status,
      response_status: job.http_status ?? null,
      attempt: job.attempt,
    },
    failing: streakAfter(before?.failing ?? null, job),
  };
}

function streakAfter(streak: FailingStreak | null, { status, code, occurred_at }: JobRecord): FailingStreak | null {
  if (status === "succeeded") return null;
  // Our own faults say nothing of the receiver.
  if (status === "skipped" || code === "ERROR_WEBHOOK_INTERNAL" || code === "ERROR_WEBHOOK_WORKER_LOST") return streak;
  if (code === "ERROR_WEBHOOK_NOT_ATTEMPTED") return streak && { ...streak, failed: true };
  const failed = status === "failed";
  // After such a long time without an attempt, nobody knows if it failed all the time.
  const stale = streak && Date.parse(occurred_at) - Date.parse(streak.latest) > DISABLE_MS;
  if (!streak || stale) return { since: occurred_at, latest: occurred_at, failed, warned: false };
  return { ...streak, latest: occurred_at, failed: streak.failed || failed };
}

const MAX_STATES = 10_000;

/** A webhook's state in the store, null if there is none yet. */
interface Known {
  readonly value: WebhookState | null;
  readonly version: number | null;
}

/** The state of each webhook as this process last wrote it. */
const statesOf = perBackend(() => createLru<Known>(MAX_STATES));

/** The changes caused by results of one webhook: to its state, and perhaps to the webhook itself, with a notice to its owner. */
export async function webhookSettled(core: Core, all: readonly Ended[]): Promise<Consequences> {
  // One that waits for its turn has no result yet.
  const results = all.filter(({ outcome }) => !outcome.moved);
  if (results.length === 0) return { writes: [], committed() {}, failed() {} };
  const states = statesOf(core);
  const { target, form_id } = (results[0] as Ended).job;
  const before = states.get(target) ?? (await loadState(core, target));
  const { state, writes, disabled } = await measuresOf(core, before.value, results);
  return {
    writes: [...writes, put("webhook_states", target, state, before.version)],
    committed() {
      states.set(target, { value: state, version: (before.version ?? 0) + 1 });
      if (disabled !== null) {
        core.events.emit("webhook.disabled", { form_id, webhook_id: target, reason: disabled });
      }
      if (writes.length > 0) core.queue.wake("email");
      if (disabled !== null) wakeHost(core);
    },
    failed: () => void states.take(target),
  };
}

/** Loads a state. One that can't be read is replaced, as if there were none: it only sums up deliveries, and must not stop them. */
async function loadState(core: Core, target: string): Promise<Known> {
  try {
    const stored = await core.rows.batched("webhook_states", target);
    return { value: stored?.value ?? null, version: stored?.version ?? null };
  } catch (error) {
    // A store that is down for a moment says nothing of the record, and a streak of five days would begin anew.
    if (!(error instanceof ApiError) || error.code !== "internal_error") throw error;
    const stored = (await core.storage.get("webhook_states", [target])).get(target);
    return { value: null, version: stored?.version ?? null };
  }
}

/** The webhook's state after these results. Makes each `occurred_at` unique for the webhook, by going 1 ms past the last one. */
function measuresOf(core: Core, before: WebhookState | null, results: readonly Ended[]): Promise<Measures> {
  let state = before;
  for (const { job } of results) {
    const last = state ? Date.parse(state.last_occurred_at) : 0;
    job.occurred_at = iso(Math.max(Date.parse(job.occurred_at), last + 1));
    state = stateAfter(state, job);
  }
  const gone = results.find(({ outcome }) => outcome.gone || outcome.pause);
  const bad = results.findLast(({ job: { status } }) => status === "failed" || status === "retrying");
  const { job } = (gone ?? bad ?? results[0]) as Ended;
  return measuresFor(core, job, {
    before,
    after: state as WebhookState,
    gone: gone !== undefined,
    pause: gone?.outcome.pause,
  });
}

interface Measures {
  readonly state: WebhookState;
  readonly writes: readonly Write[];
  /** Why the webhook is turned off by these writes; null where it is not. */
  readonly disabled: string | null;
}

/**
 * Warns the team's owner after 24 h of failures, and turns the webhook off after 5 days of them with at least one delivery given
 * up, or where the receiver said that it is gone or its owner has to do something first. The state's version decides between processes: each of it happens, and is mailed, exactly once. Only an
 * attempt that failed is evidence; silence turns nothing off.
 */
async function measuresFor(
  core: Core,
  job: JobRecord,
  {
    before,
    after,
    gone,
    pause,
  }: { before: WebhookState | null; after: WebhookState; gone: boolean; pause: Pause | undefined },
): Promise<Measures> {
  const { failing } = after;
  if (!gone && failing === (before?.failing ?? null)) return { state: after, writes: [], disabled: null };
  const age = failing ? Date.parse(failing.latest) - Date.parse(failing.since) : 0;
  const off = gone || (failing?.failed === true && age >= DISABLE_MS);
  const warn = failing !== null && !failing.warned && age >= WARN_MS;
  if (!off && !warn) return { state: after, writes: [], disabled: null };

  const next = { ...after, failing: failing && { ...failing, warned: true } };
  const form = await core.rows.get("forms", job.form_id);
  const webhook = form?.value.webhooks.find(({ id }) => id === job.target);
  // A redelivery goes to a webhook that is off, too; its owner knows.
  if (!form || !webhook?.enabled) return { state: next, writes: [], disabled: null };

  const writes: Write[] = [];
  if (off) {
    const webhooks = form.value.webhooks.map((entry) =>
      entry.id === webhook.id ? { ...entry, enabled: false } : entry,
    );
    writes.push(put("forms", form.id, { ...form.value, webhooks }, form.version));
  }
  const owner = (await loadTeam(core, job.team_id))?.value.owner.email;
  if (owner) {
    const notice = noticeFor(
      job,
      off ? "webhook.disabled" : "webhook.failing",
      owner,
      failing?.since ?? job.occurred_at,
    );
    writes.push(mailJob(core, deliveryId(core.clock.now()), core.storeClock.now(), notice));
  }
  const reason = pause ? pauseText(core, pause) : gone ? goneReason(job) : "No delivery has succeeded for 5 days.";
  if (off) {
    const about = { form_id: form.id, team_id: job.team_id, webhook_id: webhook.id, reason };
    writes.push(...tellHost(core, "webhook.disabled", about));
  }
  return { state: next, writes, disabled: off ? reason : null };

  function noticeFor(about: JobRecord, event: string, to: string, since: string) {
    return {
      kind: "webhook_notice" as const,
      target: DEFAULT_SERVER,
      to,
      form_id: about.form_id,
      team_id: about.team_id,
      event,
      notice: {
        webhook_id: about.target,
        since,
        code: about.code,
        ...(about.http_status !== undefined && { http_status: about.http_status }),
        ...(about.node_error_code !== undefined && { node_error_code: about.node_error_code }),
        ...(pause ? { pause } : gone && { gone }),
      },
    };
  }
}

const goneReason = ({ http_status }: JobRecord): string =>
  http_status === 410
    ? "The receiver returned 410 Gone."
    : `The receiver returned ${http_status}: the webhook was deleted there.`;
