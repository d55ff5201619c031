import type { Core } from "../../../core/core.ts";
import type { Row } from "../../../core/rows.ts";
import { ApiError } from "../../../errors.ts";
import { linkExpiry } from "../../../features/files/links.ts";
import { configured } from "../../../features/forms/configure.ts";
import { jobsOf } from "../../../features/jobs/of-submission.ts";
import { submitterOf } from "../../../features/jobs/plan.ts";
import { sample } from "../../../features/mail/test-email.ts";
import { seenBy } from "../../../features/privacy/shown.ts";
import { contentOf } from "../../../features/submissions/content.ts";
import { iso } from "../../../lib/clock.ts";
import { parseInput } from "../../../lib/input.ts";
import { HostFormPatch } from "../../../model/form-input.ts";
import type { HostForm } from "../../../model/forms.ts";
import { addresseeOf } from "../../../model/jobs.ts";
import type { SubmissionRecord } from "../../../model/submissions.ts";
import { changesOf } from "../settings/changes.ts";
import { leavesOf, type Section } from "../settings/leaves.ts";
import type { MemberRequest } from "../visit.ts";

/** A form as its page of settings has it, saved or not. Throws `invalid_parameter`. */
export async function draftOf(
  { core, settings, member }: MemberRequest,
  form: HostForm,
  section: Section,
  body: URLSearchParams,
): Promise<Row<"forms">> {
  const row = await core.rows.get("forms", form.id);
  if (!row) throw new ApiError("form_not_found");
  const leaves = leavesOf(section, settings.hide).filter(({ admin }) => !admin || member.caller.scopes === "all");
  const { posted } = changesOf(leaves, form, body);
  const patch = parseInput(HostFormPatch, posted);
  return { ...row, value: await configured(core, row.value, patch, "settings.") };
}

/** A submission to show a form with, and what belongs to its mails. */
export interface Source {
  readonly id: string;
  readonly submission: SubmissionRecord;
  readonly answersTo: string | null;
  /** The addressee of each kind of mail. */
  readonly to: Readonly<Record<"owner_email" | "auto_response", string>>;
  readonly links_expire_at: string;
}

/** The submission that a page asks for, as mails show it; a made-up one by default. Throws `submission_not_found`. */
export async function sourceOf(visit: MemberRequest, form: Row<"forms">, id: string): Promise<Source> {
  const { core, redactor } = visit;
  const now = core.clock.now();
  const recipient = form.value.self_email_notification.recipients[0] ?? "";
  if (id === "") {
    const submission = sample(form, core.options.languages.ofOwner(form.value.settings.language), iso(now));
    const answersTo = submitterOf(submission);
    const to = { owner_email: recipient, auto_response: answersTo ?? "" };
    return { id: core.sortableId(now), submission, answersTo, to, links_expire_at: iso(linkExpiry(core)) };
  }
  // The service says if this person may read it.
  await visit.call("retrieveSubmission", { params: { form_id: form.id, submission_id: id } });
  const record = await contentOf(core, id);
  if (record?.form_id !== form.id) throw new ApiError("submission_not_found");
  const seen = await seenBy(core, form.value, id, record, "email");
  const submission = redactor ? { ...redactor.record(seen), reply_to: null, subject: null } : seen;
  const answersTo = submitterOf(submission);
  const planned = await plannedOf(core, id);
  return {
    id,
    submission,
    answersTo,
    to: { owner_email: planned.to ?? recipient, auto_response: answersTo ?? "" },
    links_expire_at: planned.links_expire_at ?? iso(linkExpiry(core)),
  };
}

/** The links of a mail are frozen with its delivery. */
async function plannedOf(core: Core, id: string) {
  const job = (await jobsOf(core, id)).find(({ value }) => value.kind === "owner_email")?.value;
  return { to: job && addresseeOf(job), links_expire_at: job?.links_expire_at };
}
