import type { Core } from "../../core/core.ts";
import { countOfMailbox, takeHourly } from "../../core/rates/hourly.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { DAY_MS } from "../../lib/clock.ts";
import { isEmail } from "../../lib/email.ts";
import { oneLine } from "../../lib/one-line.ts";
import { TemplateError } from "../../lib/template.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { addresseeOf } from "../../model/jobs.ts";
import { type JobOutcome, skipped } from "../../model/outcome.ts";
import type { PendingRecord } from "../../model/pending.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { translated } from "../../texts/locales/_languages.ts";
import type { Words } from "../../texts/locales/_words.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { opened } from "../privacy/shown.ts";
import { suppressed } from "../suppressions/check.ts";
import { optInToken } from "./opt-in-link.ts";
import { outcomeOf } from "./outcome-of.ts";
import { ownMail } from "./own-mail.ts";
import { senderOf } from "./sender.ts";
import { sentAgain } from "./sent-again.ts";
import { renderText } from "./tags.ts";

/** Anybody can enter anybody's address into a form. */
const MAX_AN_HOUR = 3;
const MAX_SUBJECT = 300;

/** The address that a form asks to confirm: the first value of its field. Null if there is none, or it is not an address. */
export function optInAddress({ settings }: FormRecord, fields: readonly SubmissionField[]): string | null {
  const { field } = settings.double_opt_in;
  const value = fields.find(({ key, value }) => key === field && value.trim() !== "")?.value.trim() ?? "";
  return isEmail(value) ? value : null;
}

/** The sentence that the sender of a post to this form confirms, in the sender's language. It contains no values of the post. */
export function optInSentence(form: Stored<FormRecord>, words: Words): Promise<string> {
  const { message } = form.value.settings.double_opt_in;
  return filled(
    form,
    translated(message, words, ({ defaults }) => defaults.opt_in_message({ form: "{{form.name}}" })),
  );
}

/** Sends the mail that asks for the confirmation, unless the address has had enough of them within the hour. */
export async function optIn(core: Core, { id, value: job }: ClaimedJob, signal: AbortSignal): Promise<JobOutcome> {
  const pending = await core.rows.get("pending_submissions", job.submission_id);
  if (!pending) return skipped("SKIPPED_SUBMISSION_DELETED");
  const form = await core.rows.batched("forms", job.form_id);
  if (!form) return skipped("SKIPPED_FORM_DELETED");
  const team = await core.rows.batched("teams", job.team_id);
  if (form.value.locked || team?.value.locked) return skipped("SKIPPED_FORM_LOCKED");
  if (!team?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  if (core.clock.now() >= Date.parse(pending.value.expires_at)) return skipped("SKIPPED_CONFIRMATION_EXPIRED");
  // An address that is stored encrypted is in no job either.
  const to = addresseeOf(job) || optInAddress(form.value, (await opened(core, pending.id, pending.value)).fields);
  if (to === null) return skipped("SKIPPED_NO_RECIPIENT");
  const unwanted = await suppressed(core, job.team_id, to);
  if (unwanted) return unwanted;
  if ((await takeHourly(core, [countOfMailbox(core, "opt-in", to, MAX_AN_HOUR)], id)) !== null) {
    return skipped("SKIPPED_RECIPIENT_RATE_LIMITED");
  }
  const { from } = await senderOf(core, form.value, "auto_response");
  const mail = await mailOf(core, { jobId: id, form, pending, to, from });
  return outcomeOf(core.mailer.send(sentAgain(mail, job), { signal }));
}

interface Asked {
  readonly jobId: string;
  readonly form: Stored<FormRecord>;
  readonly pending: Stored<PendingRecord>;
  readonly to: string;
  readonly from: Parameters<typeof ownMail>[1]["from"] & object;
}

async function mailOf(core: Core, { jobId, form, pending, to, from }: Asked) {
  const { language, consent, expires_at } = pending.value;
  const { settings } = form.value;
  const words = core.options.languages.choose({ form: settings.language, field: language, header: null });
  const said = words.opt_in;
  const expires = Date.parse(expires_at);
  const token = optInToken(core, { submission_id: pending.id, expires });
  return ownMail(core, {
    words,
    jobId,
    to,
    from,
    subject: await optInSubject(form, words),
    paragraphs: [
      consent.sentence,
      said.mail_how({ count: Math.round((expires - Date.parse(consent.posted_at)) / DAY_MS) }),
    ],
    link: { name: words.confirmation.confirm(), url: `${core.options.baseUrl}/c/${token}` },
    footer: [said.mail_footer()],
  });
}

/** The subject of that mail. */
export async function optInSubject(form: Stored<FormRecord>, words: Words): Promise<string> {
  const { subject } = form.value.settings.double_opt_in;
  const own = translated(subject, words, ({ defaults }) => defaults.opt_in_subject());
  const line = oneLine(await filled(form, own));
  return line.slice(0, MAX_SUBJECT).toWellFormed() || words.defaults.opt_in_subject();
}

/** A text of the owner's with the form's name in it. One that can't be filled in stays as it is: it was checked when it was saved. */
async function filled({ id, value: { name } }: Stored<FormRecord>, template: string): Promise<string> {
  try {
    return await renderText(template, {
      form: { id, name: oneLine(name) },
      submission: { id: "", created_at: "" },
      fields: [],
    });
  } catch (error) {
    if (error instanceof TemplateError) return template;
    throw error;
  }
}
