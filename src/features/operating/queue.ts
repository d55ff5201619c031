import type { Core } from "../../core/core.ts";
import type { DueInLane } from "../../core/telemetry.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { dueByLane } from "../jobs/due.ts";
import { pageOfJobs } from "../jobs/page.ts";

/** A webhook whose deliveries fail. */
export interface FailingWebhook {
  readonly webhook_id: string;
  readonly form_id: string;
  /** Null where the form was deleted. */
  readonly form_name: string | null;
  readonly team_id: string;
  /** Deliveries among those that were read. */
  readonly failed: number;
  readonly retrying: number;
  /** The time of the latest of them. */
  readonly at: string;
  /** The code of the latest of them. */
  readonly code: string;
}

/** Days that are looked back. */
const DAYS = 7;
/** Webhooks of a page, and deliveries of each state that are read for them. */
const MOST = 50;
const MOST_READ = 500;

/** Jobs that are due, by lane, and the webhooks that failed in the last days, those that failed last first. */
export async function queueState(
  core: Core,
  lanes: readonly string[],
): Promise<{ lanes: DueInLane[]; failing: FailingWebhook[] }> {
  const [due, failed, retrying] = await Promise.all([
    dueByLane(core, lanes),
    recent(core, "failed"),
    recent(core, "retrying"),
  ]);
  const byTarget = new Map<string, Omit<FailingWebhook, "form_name">>();
  const all = [...failed, ...retrying].sort((a, b) => (a.at < b.at ? 1 : -1));
  for (const { target, form_id, team_id, status, at, code } of all) {
    const known = byTarget.get(target) ?? { webhook_id: target, form_id, team_id, failed: 0, retrying: 0, at, code };
    byTarget.set(target, { ...known, [status]: known[status] + 1 });
  }
  const some = [...byTarget.values()].slice(0, MOST);
  const forms = await core.rows.many("forms", [...new Set(some.map(({ form_id }) => form_id))]);
  const failing = some.map((one) => ({ ...one, form_name: forms.get(one.form_id)?.value.name ?? null }));
  return { lanes: due, failing };
}

interface Failure {
  readonly target: string;
  readonly form_id: string;
  readonly team_id: string;
  readonly status: "failed" | "retrying";
  readonly at: string;
  readonly code: string;
}

async function recent(core: Core, status: Failure["status"]): Promise<Failure[]> {
  const since = iso(core.clock.now() - DAYS * DAY_MS);
  const { data } = await pageOfJobs<Failure>(core, {
    run: { index: "status", equals: { status } },
    scope: "operator",
    limit: MOST_READ,
    cursor: undefined,
    shown({ value }) {
      const { kind, target, form_id, team_id, occurred_at, code } = value;
      if (kind !== "webhook" || value.created_at < since) return null;
      return { target, form_id, team_id, status, at: occurred_at, code };
    },
  });
  return data;
}
