import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Difference } from "../../model/deliveries.ts";
import { contentOf } from "../submissions/content.ts";
import { deliveryRows } from "./service.ts";

/** Deliveries that succeeded, to compare with. */
const SUCCESSES = 50;
/** A field is missed if nearly all of them had it. */
const USUAL = 0.9;
const MAX_NAMES = 20;

/** Compares a webhook's delivery that failed with the last ones that did not. Null where there is nothing to compare. */
export async function differenceOf(
  core: Core,
  form: Row<"forms">,
  { value: job }: Row<"jobs">,
): Promise<Difference | null> {
  if (job.kind !== "webhook" || (job.status !== "failed" && job.status !== "retrying")) return null;
  if (!form.value.webhooks.some(({ id }) => id === job.target)) return null;
  const submission = await contentOf(core, job.submission_id);
  if (!submission) return null;
  const { rows } = await deliveryRows(core, form, job.target, { status: "succeeded", limit: SUCCESSES });
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
