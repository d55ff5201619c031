import type { Core } from "../../core/core.ts";
import type { Plan } from "../../core/options/plans.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { sameAddressKey } from "../../lib/email.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { addresseeOf, type Copies, type JobRecord } from "../../model/jobs.ts";
import { type JobOutcome, skipped } from "../../model/outcome.ts";
import { bothOf, type Restriction } from "../../model/restriction.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { dressed } from "../forms/dressed.ts";
import { restrictionOfRecipient } from "../forms/restricted.ts";
import { type PlannedJob, submitterOf } from "../jobs/plan.ts";
import type { Read } from "../jobs/reads.ts";
import { plainFor, seenBy } from "../privacy/shown.ts";
import { contentOf } from "../submissions/content.ts";
import { planOf } from "../teams/service.ts";
import { editUrl } from "./edit-link.ts";
import type { Draft } from "./letter.ts";

/** The parts of a job's mail, or the reason why the mail is no longer wanted. */
export async function prepare(
  core: Core,
  jobId: string,
  job: JobRecord,
  read: Read = core.rows.batched,
): Promise<Draft | JobOutcome> {
  const form = await read("forms", job.form_id);
  const submission = await contentOf(core, job.submission_id, read);
  if (!submission) return skipped("SKIPPED_SUBMISSION_DELETED");
  if (!form) return skipped("SKIPPED_FORM_DELETED");
  const team = await read("teams", job.team_id);
  if (!team?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  if (team.value.locked && job.kind === "auto_response") return skipped("SKIPPED_FORM_LOCKED");
  return draftOf(core, form, submission, { id: jobId, job }, planOf(core, team.value));
}

/** The parts of a job's mail about a submission, or the reason why the mail is not wanted. */
export async function draftOf(
  core: Core,
  form: Stored<FormRecord>,
  submission: SubmissionRecord,
  { id: jobId, job }: PlannedJob,
  plan: Plan,
): Promise<Draft | JobOutcome> {
  const wanted = wantedOf(
    { ...job, to: addresseeOf(job) },
    (address) => notWanted(form.value, { ...job, to: address }, plan) === null,
  );
  if (!wanted) return skipped(notWanted(form.value, job, plan) ?? "SKIPPED_NO_RECIPIENT");
  const restriction = job.kind === "auto_response" ? undefined : restrictionOfAll(form.value, wanted);
  const seen = await seenBy(core, form.value, job.submission_id, submission, "email", restriction);
  return {
    form: { ...form, value: dressed(core, form.value) },
    submission_id: job.submission_id,
    submission: { ...seen, spam: job.spam },
    answersTo: submitterOf(plainFor(form.value, submission, "email", restriction)),
    ...wanted,
    jobId,
    links_expire_at: job.links_expire_at,
    // Only its sender may change a submission, and nobody else gets the link.
    ...(job.kind === "auto_response" && { edit_url: editUrl(core, job.submission_id, submission, form.value) }),
  };
}

/** The restriction of a message: those of all its recipients together, since they get the same text. */
function restrictionOfAll(form: FormRecord, { to, copies }: { to: string; copies?: Copies }): Restriction | undefined {
  const all = [to, ...(copies ? [...copies.to, ...copies.cc, ...copies.bcc] : [])];
  return all.reduce<Restriction | undefined>((sum, one) => bothOf(sum, restrictionOfRecipient(form, one)), undefined);
}

/**
 * The recipients of a job's message among those that `isWanted` names; null if there are none. Without anybody in To, those in
 * Cc are there; those in Bcc see nobody, so the first of them is alone.
 */
export function wantedOf(
  { to = "", copies }: Pick<JobRecord, "to" | "copies">,
  isWanted: (address: string) => boolean,
): { readonly to: string; readonly copies?: Copies } | null {
  if (!copies) return isWanted(to) ? { to } : null;
  const [first, ...more] = [to, ...copies.to].filter(isWanted);
  const cc = copies.cc.filter(isWanted);
  const bcc = copies.bcc.filter(isWanted);
  if (first !== undefined) return { to: first, copies: { to: more, cc, bcc } };
  const [shown, ...others] = cc;
  if (shown !== undefined) return { to: shown, copies: { to: others, cc: [], bcc } };
  const [hidden] = bcc;
  return hidden === undefined ? null : { to: hidden };
}

/** Why a mail stopped being wanted since it was planned; null while it still is. */
export function notWanted(
  { self_email_notification: mail, auto_response: reply, locked }: FormRecord,
  job: JobRecord,
  plan: Plan,
): string | null {
  if (!(job.kind === "auto_response" ? reply : mail).enabled) return "SKIPPED_EMAIL_DISABLED";
  if (job.kind === "auto_response" && locked) return "SKIPPED_FORM_LOCKED";
  if (job.kind === "auto_response") return plan.auto_response ? null : "SKIPPED_PLAN_RESTRICTED";
  const key = sameAddressKey(addresseeOf(job));
  const at = mail.recipients.findIndex((address) => sameAddressKey(address) === key);
  if (at < 0) return "SKIPPED_NO_RECIPIENT";
  // The plan may have become smaller since the form was saved: the first ones stay.
  return plan.recipients !== null && at >= plan.recipients ? "SKIPPED_PLAN_RESTRICTED" : null;
}
