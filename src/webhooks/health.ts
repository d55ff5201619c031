import { type Core, find } from "../core.ts";
import type { Write } from "../drivers/storage/types.ts";
import type { FormRecord } from "../forms/schema.ts";
import type { JobRecord } from "../jobs/schema.ts";
import { iso } from "../lib/clock.ts";
import { deliveryId } from "../lib/id.ts";
import { loadTeam } from "../teams/service.ts";
import { DELIVERY_WINDOW_MS } from "./schedule.ts";
import type { FailingStreak, WebhookState } from "./schema.ts";

const HOUR_MS = 60 * 60 * 1000;
const WARN_MS = 24 * HOUR_MS;
const DISABLE_MS = 5 * 24 * HOUR_MS;

/** What traffic makes of a webhook with one more result. `job.occurred_at` must be greater than `last_occurred_at`. */
export function stateAfter(before: WebhookState | null, job: JobRecord): WebhookState {
  return {
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
  if (status === "skipped" || code === "ERROR_WEBHOOK_INTERNAL") return streak;
  if (code === "ERROR_WEBHOOK_NOT_ATTEMPTED") return streak && { ...streak, failed: true };
  const failed = status === "failed";
  // After so long without an attempt nobody can say that it has been failing all the time.
  const stale = streak && Date.parse(occurred_at) - Date.parse(streak.latest) > DISABLE_MS;
  if (!streak || stale) return { since: occurred_at, latest: occurred_at, failed, warned: false };
  return { ...streak, latest: occurred_at, failed: streak.failed || failed };
}

/** What results of a webhook cause beyond themselves, to be committed with them. */
export interface Measures {
  readonly state: WebhookState;
  readonly writes: readonly Write[];
  /** Why the webhook is turned off by these writes; null where it is not. */
  readonly disabled: string | null;
}

/**
 * Warns the team's owner after 24 h of failures, and turns the webhook off after 5 days of them with at least one delivery given
 * up, or at a 410. The state's version decides between processes: each of it happens, and is mailed, exactly once. Only an
 * attempt that failed is evidence; silence turns nothing off.
 */
export async function measuresFor(
  core: Core,
  job: JobRecord,
  { before, after, gone }: { before: WebhookState | null; after: WebhookState; gone: boolean },
): Promise<Measures> {
  const { failing } = after;
  if (!gone && failing === (before?.failing ?? null)) return { state: after, writes: [], disabled: null };
  const age = failing ? Date.parse(failing.latest) - Date.parse(failing.since) : 0;
  const off = gone || (failing?.failed === true && age >= DISABLE_MS);
  const warn = failing !== null && !failing.warned && age >= WARN_MS;
  if (!off && !warn) return { state: after, writes: [], disabled: null };

  const next = { ...after, failing: failing && { ...failing, warned: true } };
  const form = await find<FormRecord>(core, "forms", job.form_id);
  const webhook = form?.value.webhooks.find(({ id }) => id === job.target);
  // A redelivery goes to a webhook that is off, too; its owner knows.
  if (!form || !webhook?.enabled) return { state: next, writes: [], disabled: null };

  const writes: Write[] = [];
  if (off) {
    const webhooks = form.value.webhooks.map((entry) =>
      entry.id === webhook.id ? { ...entry, enabled: false } : entry,
    );
    writes.push({
      op: "put",
      collection: "forms",
      id: form.id,
      value: { ...form.value, webhooks },
      expect: form.version,
    });
  }
  const owner = (await loadTeam(core, job.team_id))?.value.owner.email;
  if (owner) {
    const notice = noticeFor(
      job,
      off ? "webhook.disabled" : "webhook.failing",
      owner,
      failing?.since ?? job.occurred_at,
    );
    writes.push({
      op: "put",
      collection: "jobs",
      id: deliveryId(core.clock.now()),
      value: { ...notice },
      expect: null,
    });
  }
  const reason = gone ? "The receiver answered 410 Gone." : "No delivery has succeeded for 5 days.";
  return { state: next, writes, disabled: off ? reason : null };

  function noticeFor(about: JobRecord, event: string, to: string, since: string): JobRecord {
    const now = core.clock.now();
    const dueAt = core.storeClock.now();
    return {
      kind: "webhook_notice",
      lane: "email",
      target: to,
      form_id: about.form_id,
      team_id: about.team_id,
      submission_id: "",
      status: "pending",
      code: "PENDING",
      attempt: 0,
      lost: 0,
      leased: false,
      due_at: iso(dueAt),
      deadline_at: iso(dueAt + DELIVERY_WINDOW_MS),
      occurred_at: iso(now),
      created_at: iso(now),
      event,
      spam: false,
      links_expire_at: iso(now),
      notice: {
        webhook_id: about.target,
        since,
        code: about.code,
        ...(about.http_status !== undefined && { http_status: about.http_status }),
        ...(about.node_error_code !== undefined && { node_error_code: about.node_error_code }),
      },
    };
  }
}
