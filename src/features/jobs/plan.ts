import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { isEmail } from "../../lib/email.ts";
import { deliveryId } from "../../lib/id.ts";
import { isService } from "../../model/destinations.ts";
import { collects } from "../../model/digest.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { BATCH_LANE, type Copies, DEFAULT_SERVER, type JobKind, type JobRecord, jobKinds } from "../../model/jobs.ts";
import type { RoutedTo } from "../../model/routing.ts";
import { isHeldBack, type SubmissionRecord } from "../../model/submission-record.ts";
import { isUnverified } from "../../model/verdict.ts";
import { linkExpiry } from "../files/links.ts";
import { DELIVERY_WINDOW_MS } from "../webhooks/schedule.ts";

const LONGEST_DIGEST_MS = 8 * DAY_MS;

export interface PlannedJob {
  readonly id: string;
  readonly job: JobRecord;
}

/**
 * The deliveries of a submission, one per webhook and per address, committed with it. Deliveries that can't be sent are stored
 * as `skipped`, so the log gives the reason. The expiry of links is fixed with them.
 */
export function planJobs(
  core: Core,
  form: Stored<FormRecord>,
  submission_id: string,
  submission: SubmissionRecord,
  now: number,
): PlannedJob[] {
  const { webhooks, self_email_notification: mail, auto_response: reply } = form.value;
  const { routed_to: routed } = submission;
  const collected = collects(form.value.settings.digest);
  const jobs: PlannedJob[] = [];
  const links_expire_at = iso(linkExpiry(core));
  const dueAt = core.storeClock.now();
  const event = "submission.created";

  for (const webhook of webhooks) {
    if (!webhook.events.includes(event) || (routed && !routed.webhooks.includes(webhook.id))) continue;
    const skip = submission.spam ? "SKIPPED_SPAM" : webhook.enabled ? null : "SKIPPED_WEBHOOK_DISABLED";
    add("webhook", webhook.id, skip, undefined, undefined, isService(webhook.format) ? BATCH_LANE : undefined);
  }
  if (mail.enabled) {
    const target = mail.sender.server_id || DEFAULT_SERVER;
    const skip = submission.spam && !mail.include_spam ? "SKIPPED_SPAM" : null;
    for (const { to, copies } of messagesTo(mail.recipients, routed, collected))
      add("owner_email", target, skip, to, copies);
  }
  if (reply.enabled) {
    const to = submitterOf(submission);
    // A reply to an unverified address would make us send someone else's spam.
    const skip = submission.spam ? "SKIPPED_SPAM" : isUnverified(submission.verdict) ? "SKIPPED_UNVERIFIED" : null;
    if (to) add("auto_response", DEFAULT_SERVER, skip, to);
  }
  return jobs;

  function add(
    kind: JobKind,
    target: string,
    skip: string | null,
    to?: string,
    copies?: Copies,
    lane: string = jobKinds[kind].lane,
  ): void {
    // Spam is skipped as spam: once it is marked as not spam, the month may have room for it.
    const code = isHeldBack(submission) && skip !== "SKIPPED_SPAM" ? "SKIPPED_PLAN_RESTRICTED" : skip;
    const at = iso(now);
    // Spread in at the end: members after a spread are added one by one.
    jobs.push({
      id: deliveryId(now),
      job: {
        kind,
        lane,
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
        // The tries of a notification begin when its digest is due, up to a week later.
        deadline_at: iso(dueAt + DELIVERY_WINDOW_MS + (collected && kind === "owner_email" ? LONGEST_DIGEST_MS : 0)),
        occurred_at: at,
        created_at: at,
        event,
        spam: submission.spam,
        links_expire_at,
        ...(to !== undefined && { to }),
        ...(copies && { copies }),
        ...(!form.value.storage.store_submissions && { transient: true }),
      },
    });
  }
}

interface Message {
  readonly to: string;
  readonly copies?: Copies;
}

/** The mails of a notification: one for each recipient, so that none sees the others, unless the form's routing has copies. */
function messagesTo(all: readonly string[], routed: RoutedTo | undefined, collected: boolean): Message[] {
  const { recipients, cc, bcc } = routed ?? { recipients: all, cc: [], bcc: [] };
  const [first, ...more] = recipients;
  // While a digest is on, those in Cc and Bcc get their own.
  if (first === undefined || collected || cc.length + bcc.length === 0) {
    return [...recipients, ...cc, ...bcc].map((to) => ({ to }));
  }
  return [{ to: first, copies: { to: more, cc: [...cc], bcc: [...bcc] } }];
}

/** The recipient of a reply: the field `_replyto`, otherwise `email`, if it contains exactly one valid address. */
export function submitterOf({ fields, reply_to }: Pick<SubmissionRecord, "fields" | "reply_to">): string | null {
  const emails = fields.filter(({ key }) => key.toLowerCase() === "email");
  const candidate = (reply_to ?? (emails.length === 1 ? emails[0]?.value : undefined) ?? "").trim();
  return isEmail(candidate) ? candidate : null;
}
