import type { Core } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { linkExpiry } from "../files/links.ts";
import type { FormRecord } from "../forms/schema.ts";
import { iso } from "../lib/clock.ts";
import { isEmail } from "../lib/email.ts";
import { deliveryId } from "../lib/id.ts";
import { isUnverified } from "../spam/verdict.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import { DELIVERY_WINDOW_MS } from "../webhooks/schedule.ts";
import type { JobKind, JobRecord } from "./schema.ts";

export interface PlannedJob {
  readonly id: string;
  readonly job: JobRecord;
}

/**
 * The deliveries that a submission causes, one per webhook and per address, to be committed with it.
 * What is known not to be sent is written as `skipped`, so that the log says why. When links expire is frozen with them.
 */
export function planJobs(
  core: Core,
  form: Stored<FormRecord>,
  submission_id: string,
  submission: SubmissionRecord,
  now: number,
): PlannedJob[] {
  const { webhooks, self_email_notification: mail, auto_response: reply } = form.value;
  const jobs: PlannedJob[] = [];
  const links_expire_at = iso(linkExpiry(core));
  const dueAt = core.storeClock.now();
  const event = "submission.created";

  for (const webhook of webhooks) {
    if (!webhook.events.includes(event)) continue;
    const skip = submission.spam ? "SKIPPED_SPAM" : webhook.enabled ? null : "SKIPPED_WEBHOOK_DISABLED";
    add("webhook", webhook.id, skip);
  }
  if (mail.enabled) {
    for (const recipient of mail.recipients)
      add("owner_email", recipient, submission.spam && !mail.include_spam ? "SKIPPED_SPAM" : null);
  }
  if (reply.enabled) {
    const to = submitterOf(submission);
    // A reply to an address that nobody vouches for would make us the sender of somebody else's spam.
    const skip = submission.spam ? "SKIPPED_SPAM" : isUnverified(submission.verdict) ? "SKIPPED_UNVERIFIED" : null;
    if (to) add("auto_response", to, skip);
  }
  return jobs;

  function add(kind: JobKind, target: string, skip: string | null): void {
    const code = submission.over_quota ? "SKIPPED_PLAN_RESTRICTED" : skip;
    const at = iso(now);
    jobs.push({
      id: deliveryId(now),
      job: {
        kind,
        lane: kind === "webhook" ? "webhook" : "email",
        target,
        form_id: form.id,
        team_id: form.value.team_id,
        submission_id,
        status: code ? "skipped" : "pending",
        code: code ?? "PENDING",
        attempt: 0,
        lost: 0,
        leased: false,
        due_at: code ? null : iso(dueAt),
        deadline_at: iso(dueAt + DELIVERY_WINDOW_MS),
        occurred_at: at,
        created_at: at,
        event,
        spam: submission.spam,
        links_expire_at,
        ...(!form.value.storage.store_submissions && { transient: true }),
      },
    });
  }
}

/** Who a reply goes to: the field `_replyto`, else `email`, when that is exactly one valid address. */
export function submitterOf({ fields, reply_to }: SubmissionRecord): string | null {
  const emails = fields.filter(({ key }) => key.toLowerCase() === "email");
  const candidate = (reply_to ?? (emails.length === 1 ? emails[0]?.value : undefined) ?? "").trim();
  return isEmail(candidate) ? candidate : null;
}
