import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { deliveryId } from "../../lib/id.ts";
import { isService } from "../../model/destinations.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { BATCH_LANE, jobKinds } from "../../model/jobs.ts";
import { isHeldBack, type SubmissionRecord } from "../../model/submission-record.ts";
import { linkExpiry } from "../files/links.ts";
import { DELIVERY_WINDOW_MS } from "../webhooks/schedule.ts";
import type { PlannedJob } from "./plan.ts";

/**
 * The deliveries of a change of a submission: one for each webhook that is on and subscribes to `submission.updated`. Spam, and
 * what is beyond the plan's month, is delivered to nobody.
 */
export function planUpdate(
  core: Core,
  form: Stored<FormRecord>,
  submission_id: string,
  submission: SubmissionRecord,
  changed: readonly string[],
): PlannedJob[] {
  const { routed_to: routed } = submission;
  if (isHeldBack(submission) || (submission.spam && !changed.includes("spam"))) return [];
  const event = "submission.updated";
  const now = core.clock.now();
  const dueAt = core.storeClock.now();
  return form.value.webhooks
    .filter(({ id, enabled, events }) => enabled && events.includes(event) && (!routed || routed.webhooks.includes(id)))
    .map(({ id: target, format }) => ({
      id: deliveryId(now),
      job: {
        kind: "webhook",
        lane: isService(format) ? BATCH_LANE : jobKinds.webhook.lane,
        target,
        form_id: form.id,
        team_id: form.value.team_id,
        submission_id,
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
        changed: [...changed],
        spam: submission.spam,
        links_expire_at: iso(linkExpiry(core)),
      },
    }));
}
