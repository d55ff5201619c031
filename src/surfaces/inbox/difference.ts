import { deliveryRows } from "../../features/deliveries/service.ts";
import { contentOf } from "../../features/submissions/content.ts";
import type { HostForm } from "../../model/forms.ts";
import { formRow, type JobRow } from "./deliveries.ts";
import type { MemberRequest } from "./visit.ts";

/** Deliveries that succeeded, to compare with. */
const SUCCESSES = 50;
/** A field is missed if nearly all of them had it. */
const USUAL = 0.9;
const MAX_NAMES = 20;

/** The fields of a delivery that failed, compared with those of deliveries that succeeded. */
export interface Difference {
  /** The deliveries that it was compared with. */
  readonly of: number;
  /** Fields that nearly all of them had, and this one does not. */
  readonly missing: readonly string[];
  /** Fields that this one has, and none of them had. */
  readonly added: readonly string[];
}

/** Compares a webhook's delivery that failed with the last ones that did not. Null where there is nothing to compare. */
export async function differenceOf(
  visit: MemberRequest,
  form: HostForm,
  { value: job }: JobRow,
): Promise<Difference | null> {
  const { core } = visit;
  if (job.kind !== "webhook" || (job.status !== "failed" && job.status !== "retrying")) return null;
  if (!form.webhooks.some(({ id }) => id === job.target)) return null;
  const submission = await contentOf(core, job.submission_id);
  if (!submission) return null;
  const { rows } = await deliveryRows(core, await formRow(visit, form), job.target, {
    status: "succeeded",
    limit: SUCCESSES,
  });
  const stored = await core.rows.many(
    "submissions",
    rows.map(({ value }) => value.submission_id),
  );
  const counts = new Map<string, number>();
  for (const { value } of stored.values()) {
    for (const name of new Set(value.fields.map(({ key }) => key))) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (stored.size === 0) return null;
  const own = new Set(submission.fields.map(({ key }) => key));
  return {
    of: stored.size,
    missing: [...counts]
      .filter(([name, n]) => n >= USUAL * stored.size && !own.has(name))
      .map(([name]) => name)
      .slice(0, MAX_NAMES),
    added: [...own].filter((name) => !counts.has(name)).slice(0, MAX_NAMES),
  };
}
