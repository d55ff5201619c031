import type { Core } from "../../core/core.ts";
import { levelOfPosts } from "../../core/options/under-test.ts";
import { warnOnce } from "../../core/set-up.ts";
import type { Mail, MailServer } from "../../drivers/mailer/types.ts";
import { safeMessage } from "../../lib/message.ts";
import { ownTurn } from "../../lib/turn.ts";
import { addresseeOf, type JobRecord } from "../../model/jobs.ts";
import { type JobOutcome, movedTo, skipped } from "../../model/outcome.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { suppressedJob } from "../suppressions/check.ts";
import { replyAttachments } from "./attachments.ts";
import { renderMail, unknownTagsOf } from "./compose.ts";
import { retryRefused, sharedBy } from "./copies.ts";
import { placeInDigest, sendDigest, waitsForDigest } from "./digest.ts";
import { unlessFailed } from "./failed.ts";
import { type Draft, filesOf, type Letter, type MailKind } from "./letter.ts";
import { noticeMail } from "./notice.ts";
import { outcomeOf } from "./outcome-of.ts";
import { placeForOwner } from "./owner-limit.ts";
import { prepare } from "./prepare.ts";
import { awaitsConfirmation, confirmationMail } from "./recipient-confirmation.ts";
import { mayReply } from "./reply-guard.ts";
import { senderOf, viaOf } from "./sender.ts";
import { sentAgain } from "./sent-again.ts";
import { sendSummary } from "./summary.ts";

type Run = (core: Core, job: ClaimedJob, signal: AbortSignal) => Promise<JobOutcome>;

/** Sends a notice to a team's owner. */
export const notice: Run = async (core, { id, value }, signal) =>
  (await suppressedJob(core, value)) ?? inOwnName(core, value, await noticeMail(core, id, value), signal);

/** Asks an address if it wants a team's notifications. */
export const confirmation: Run = async (core, { id, value }, signal) =>
  (await suppressedJob(core, value)) ?? inOwnName(core, value, await confirmationMail(core, id, value), signal);

/** Sends the notifications that waited for one summary. */
export const summary: Run = async (core, { id, value }, signal) =>
  (await suppressedJob(core, value)) ??
  sendSummary(core, id, value, (mail, server) =>
    outcomeOf(core.mailer.send(sentAgain(mail, value), { server, signal })),
  );

/** Sends what was collected for one recipient of a form. */
export const digest: Run = async (core, { id, value }, signal) =>
  (await suppressedJob(core, value)) ??
  sendDigest(core, id, value, (mail, server) =>
    outcomeOf(core.mailer.send(sentAgain(mail, value), { server, signal })),
  );

/** Sends a form's notification or reply. Temporary faults are retried by the schedule, permanent ones make the job fail. */
export const ofForm: Run = async (core, { id, value: job, read }, signal) => {
  const kind: MailKind = job.kind === "auto_response" ? "auto_response" : "owner_email";
  const waiting = await waitsForDigest(core, job);
  if (waiting) return waiting;
  const draft = await prepare(core, id, job, read);
  if ("status" in draft) return draft;
  const sender = await senderOf(core, draft.form.value, kind, read);
  const via = viaOf(sender);
  // The form sends over another server than when this was planned: it waits in that one's share, or a server that hangs would
  // have more places than its own.
  if (job.target !== via) return movedTo(via, core.storeClock.now(), job.code);
  const unwanted = job.copies ? null : await suppressedJob(core, job, read);
  if (unwanted) return unwanted;
  if (kind === "auto_response" && !(await mayReply(core, id, addresseeOf(job))))
    return skipped("SKIPPED_RECIPIENT_RATE_LIMITED");
  let letter = draft;
  if (kind === "owner_email") {
    const waitOf = async (name: string, one: JobRecord) =>
      (job.copies ? await suppressedJob(core, one, read) : null) ??
      (await awaitsConfirmation(core, one)) ??
      (await placeInDigest(core, draft.form, one)) ??
      (await placeForOwner(core, name, one));
    const found = job.copies ? await sharedBy(core, id, job, draft, waitOf) : ((await waitOf(id, job)) ?? draft);
    if ("status" in found) return found;
    letter = found;
  }
  return outcomeOf(
    (async () => {
      // Many mails begin at the same time.
      await ownTurn(job.team_id);
      const key = `${kind} ${draft.form.id} ${draft.form.version} ${draft.submission_id}`;
      const { mail, server } = await unlessFailed(core, key, () => compose(core, kind, letter, sender));
      const attachments = kind === "auto_response" ? await replyAttachments(core, draft.form.id, draft.form.value) : [];
      const whole = attachments.length > 0 ? { ...mail, attachments } : mail;
      const { refused = [] } = await core.mailer.send(sentAgain(whole, job), { server, signal });
      if (job.copies && refused.length > 0) await retryRefused(core, id, job, refused);
    })(),
  );
};

/** Sends a mail in the service's own name, unless the code says why there is none. */
async function inOwnName(core: Core, job: JobRecord, mail: Mail | string, signal: AbortSignal): Promise<JobOutcome> {
  return typeof mail === "string" ? skipped(mail) : outcomeOf(core.mailer.send(sentAgain(mail, job), { signal }));
}

/** A mail of a form, and the server it goes over. Throws `TemplateError`. */
export async function compose(
  core: Core,
  kind: MailKind,
  draft: Draft,
  { from, server, answersTo }: Awaited<ReturnType<typeof senderOf>>,
): Promise<{ mail: Mail; server: MailServer | undefined }> {
  const { languages, baseUrl } = core.options;
  const form = draft.form.value.settings.language;
  const visitor = { form, field: draft.submission.language, header: null };
  const words = kind === "auto_response" ? languages.choose(visitor) : languages.ofOwner(form);
  const letter: Letter = {
    ...draft,
    words,
    from,
    files: filesOf(core, words, draft),
    messageId: `${draft.jobId}@${new URL(baseUrl).hostname}`,
    date: core.clock.now(),
  };
  const mail = await renderMail(kind, letter);
  if (levelOfPosts() === "info") warnOfTags(core, draft.form.id, unknownTagsOf(kind, letter));
  const replyTo = mail.replyTo ?? (answersTo === undefined ? undefined : { name: from.name, address: answersTo });
  return { mail: { ...mail, ...(replyTo && { replyTo }) }, server };
}

/** Tells a developer of a tag that is empty in every mail, such as a misspelt one. The check-up of the inbox shows it later, too. */
function warnOfTags(core: Core, form_id: string, tags: readonly string[]): void {
  if (tags.length === 0) return;
  const named = tags.map((tag) => `{{${safeMessage(tag).slice(0, 100)}}}`).join(", ");
  warnOnce(
    core,
    `tags ${form_id}`,
    () => `a mail of form ${form_id} uses ${named}, and the submission has no field of that name; the tag stays empty`,
  );
}
