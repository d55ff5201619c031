import type { Core } from "../../core/core.ts";
import { levelOfPosts } from "../../core/options/under-test.ts";
import type { Row } from "../../core/rows.ts";
import { counted } from "../../lib/counted.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { PlannedJob } from "../jobs/plan.ts";

/** Logs a durable submission, without its content. */
export function logAccepted(
  { options: { logger } }: Core,
  form: Row<"forms">,
  id: string,
  { spam, over_quota, verdict }: SubmissionRecord,
  jobs: readonly PlannedJob[],
): void {
  const { team_id } = form.value;
  if (spam) {
    const checks = verdict.filter((said) => said.spam).map(({ check }) => check);
    const fields = { form_id: form.id, team_id, submission_id: id, checks };
    logger[levelOfPosts()](`submission ${id} of form ${form.id}: stored as spam (${checks.join(", ")})`, fields);
    return;
  }
  let emails = 0;
  let webhooks = 0;
  for (const { job } of jobs) {
    if (job.due_at === null) continue;
    if (job.lane === "email") emails++;
    else webhooks++;
  }
  const follows = over_quota
    ? "beyond the plan's month, so nothing is sent"
    : `${counted(emails, "email")} and ${counted(webhooks, "webhook")} follow`;
  const fields = { form_id: form.id, team_id, submission_id: id, emails, webhooks, over_quota };
  logger.info(`submission ${id} of form ${form.id}: accepted, ${follows}`, fields);
}

/** Logs a submission that waits until its sender confirms the address. */
export function logWaiting({ options: { logger } }: Core, form: Row<"forms">, id: string): void {
  const fields = { form_id: form.id, team_id: form.value.team_id, submission_id: id };
  logger.info(`submission ${id} of form ${form.id}: waits until its sender confirms the address`, fields);
}
