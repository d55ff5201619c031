import type { Core } from "../../core/core.ts";
import type { MailAddress } from "../../drivers/mailer/types.ts";
import { addresseeOf, allRecipients } from "../../model/jobs.ts";
import { type JobOutcome, movedTo, skipped } from "../../model/outcome.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { retryRefused } from "../mail/copies.ts";
import { outcomeOf } from "../mail/outcome-of.ts";
import { senderOf, viaOf } from "../mail/sender.ts";
import { sentAgain } from "../mail/sent-again.ts";
import { seenBy } from "../privacy/shown.ts";
import { suppressed } from "../suppressions/check.ts";
import { planOf } from "../teams/service.ts";
import { replyAddress } from "./address-token.ts";
import { quotedFor, replyMail } from "./mail.ts";
import { threadOf } from "./thread.ts";

/** Sends an answer to a submission. */
export async function reply(
  core: Core,
  { id, value: job, read }: ClaimedJob,
  signal: AbortSignal,
): Promise<JobOutcome> {
  // Recipients that the server refused, and those of a mailer that sends to one at a time, have jobs of their own.
  const [messageId = id] = id.split(".", 1);
  const message = (await core.rows.get("messages", messageId))?.value;
  const submission = await read("submissions", job.submission_id);
  if (!message || !submission) return skipped("SKIPPED_SUBMISSION_DELETED");
  const form = await read("forms", job.form_id);
  if (!form) return skipped("SKIPPED_FORM_DELETED");
  const team = await read("teams", job.team_id);
  if (!team?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  if (form.value.locked || team.value.locked) return skipped("SKIPPED_FORM_LOCKED");
  if (!planOf(core, team.value).replies) return skipped("SKIPPED_PLAN_RESTRICTED");
  const sender = await senderOf(core, form.value, "owner_email", read);
  const via = viaOf(sender);
  if (job.target !== via) return movedTo(via, core.storeClock.now(), job.code);

  const wanted: string[] = [];
  let end: JobOutcome | null = null;
  for (const address of allRecipients({ ...job, to: addresseeOf(job) })) {
    const unwanted = await suppressed(core, job.team_id, address, read);
    if (unwanted) end ??= unwanted;
    else wanted.push(address);
  }
  const [first] = wanted;
  if (first === undefined) return end ?? skipped("SKIPPED_NO_RECIPIENT");

  const { languages } = core.options;
  const words = languages.choose({
    form: form.value.settings.language,
    ...(submission.value.language !== undefined && { field: submission.value.language }),
    header: null,
  });
  const seen = await seenBy(core, form.value, job.submission_id, submission.value, "email");
  const name = message.author?.name || sender.from.name;
  const address = replyAddress(core, job.submission_id) ?? sender.answersTo;
  const replyTo: MailAddress | undefined = address === undefined ? undefined : { name, address };
  const copies = job.copies;
  return outcomeOf(
    (async () => {
      const mail = replyMail(core, message, {
        words,
        from: { name, address: sender.from.address },
        replyTo,
        to: {
          to: first,
          alsoTo: wanted.slice(1).filter((one) => copies?.to.includes(one)),
          cc: wanted.slice(1).filter((one) => copies?.cc.includes(one)),
        },
        quoted: quotedFor(form.value, seen, await threadOf(core, job.submission_id), message),
        linksExpireAt: Date.parse(job.links_expire_at),
      });
      const { refused = [] } = await core.mailer.send(sentAgain(mail, job), { server: sender.server, signal });
      if (copies && refused.length > 0) await retryRefused(core, id, job, refused);
    })(),
  );
}
