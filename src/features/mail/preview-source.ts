import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { addresseeOf } from "../../model/jobs.ts";
import type { Redaction } from "../../model/redaction.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { linkExpiry } from "../files/links.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { submitterOf } from "../jobs/plan.ts";
import { seenBy } from "../privacy/shown.ts";
import { contentOf } from "../submissions/content.ts";
import { sample } from "./test-email.ts";

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
export async function sourceOf(
  core: Core,
  form: Row<"forms">,
  id: string,
  redaction: Redaction | null,
): Promise<Source> {
  const now = core.clock.now();
  const recipient = form.value.self_email_notification.recipients[0] ?? "";
  if (id === "") {
    const submission = sample(form, core.options.languages.ofOwner(form.value.settings.language), iso(now));
    const answersTo = submitterOf(submission);
    const to = { owner_email: recipient, auto_response: answersTo ?? "" };
    return { id: core.sortableId(now), submission, answersTo, to, links_expire_at: iso(linkExpiry(core)) };
  }
  const record = await contentOf(core, id);
  if (record?.form_id !== form.id) throw new ApiError("submission_not_found");
  const seen = await seenBy(core, form.value, id, record, "email");
  const submission = redaction ? { ...redaction.record(seen), reply_to: null, subject: null } : seen;
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
