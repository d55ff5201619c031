import type { Core } from "../../core/core.ts";
import { put, type Row } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { deliveryId } from "../../lib/id.ts";
import { isProtected } from "../../model/field-policy.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { DEFAULT_SERVER } from "../../model/jobs.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { daysOf } from "../../model/visitor-settings.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { mailJob } from "../jobs/mail-job.ts";
import { optInAddress, optInSentence } from "../mail/opt-in.ts";
import type { Caused } from "./causes.ts";
import { valueChecks } from "./checks.ts";
import type { ReadyRule } from "./form-rules.ts";

/** True if a post to the form counts only once its sender has confirmed the address in it. */
export const asksConsent = ({ settings }: FormRecord): boolean => settings.double_opt_in.enabled;

const noValue = { value: "", message: "" };

/** The rules that such a form adds: without an address there is nobody to mail. */
export function consentRules({ settings }: FormRecord): ReadyRule[] {
  const { enabled, field } = settings.double_opt_in;
  if (!enabled) return [];
  return [
    {
      field,
      checks: [
        { check: { type: "required", ...noValue }, by: null },
        { check: { type: "email", ...noValue }, by: { judge: valueChecks.email.judge("") } },
      ],
    },
  ];
}

/** The stored part of a waiting post: itself, and the mail to its sender. `fields` are those of the post, unencrypted. */
export async function pendingWrites(
  core: Core,
  form: Row<"forms">,
  id: string,
  submission: SubmissionRecord,
  { now, words, fields }: { readonly now: number; readonly words: Words; readonly fields: readonly SubmissionField[] },
): Promise<Caused> {
  const { field, expires } = form.value.settings.double_opt_in;
  const { created_at: posted_at, ip, team_id } = submission;
  const consent = { sentence: await optInSentence(form, words), posted_at, ip, confirmed_at: null, confirmed_ip: null };
  const expires_at = iso(now + daysOf(expires) * DAY_MS);
  // Encrypted values are in no job unencrypted: the mail decrypts them when it is sent.
  const to = isProtected(form.value.settings.fields, field) ? "" : (optInAddress(form.value, fields) ?? "");
  const mail = mailJob(core, deliveryId(now), core.storeClock.now(), {
    kind: "confirmation",
    target: DEFAULT_SERVER,
    to,
    form_id: form.id,
    team_id,
    submission_id: id,
    event: "submission.pending",
  });
  const writes: Write[] = [put("pending_submissions", id, { ...submission, consent, expires_at }, null), mail];
  return { jobs: [], kept: true, writes };
}
