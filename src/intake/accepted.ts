import type { Core } from "../core/core.ts";
import type { Row } from "../core/rows.ts";
import type { PlannedJob } from "../jobs/plan.ts";
import type { SubmissionRecord } from "../model/submissions.ts";

/** Logs a durable submission, without its content. */
export function logAccepted(
  { options: { logger } }: Core,
  form: Row<"forms">,
  id: string,
  { spam, over_quota, verdict }: SubmissionRecord,
  jobs: readonly PlannedJob[],
): void {
  const due = jobs.filter(({ job }) => job.due_at !== null);
  const emails = due.filter(({ job }) => job.lane === "email").length;
  const webhooks = due.length - emails;
  const fields = { form_id: form.id, team_id: form.value.team_id, submission_id: id };
  if (spam) {
    const checks = verdict.filter((said) => said.spam).map(({ check }) => check);
    logger.debug(`submission ${id} of form ${form.id}: stored as spam (${checks.join(", ")})`, { ...fields, checks });
    return;
  }
  const follows = over_quota
    ? "beyond the plan's month, so nothing is sent"
    : `${count(emails, "email")} and ${count(webhooks, "webhook")} follow`;
  logger.info(`submission ${id} of form ${form.id}: accepted, ${follows}`, { ...fields, emails, webhooks, over_quota });
}

/** Logs a submission that waits until its sender confirms the address. */
export function logWaiting({ options: { logger } }: Core, form: Row<"forms">, id: string): void {
  const fields = { form_id: form.id, team_id: form.value.team_id, submission_id: id };
  logger.info(`submission ${id} of form ${form.id}: waits until its sender confirms the address`, fields);
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
