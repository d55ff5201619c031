import type { Core } from "../../core/core.ts";
import { countOfMailbox, takeHourly } from "../../core/rates/hourly.ts";
import type { Mail } from "../../drivers/mailer/types.ts";
import { html } from "../../lib/html.ts";
import { oneLine } from "../../lib/one-line.ts";
import { printable } from "../../lib/printable.ts";
import { addresseeOf } from "../../model/jobs.ts";
import { type JobOutcome, movedTo, skipped } from "../../model/outcome.ts";
import { fileUrl } from "../files/links.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { lines, SANS } from "../mail/layout.ts";
import { isRtl } from "../mail/letter.ts";
import { outcomeOf } from "../mail/outcome-of.ts";
import { notWanted } from "../mail/prepare.ts";
import { awaitsConfirmation } from "../mail/recipient-confirmation.ts";
import { senderOf, viaOf } from "../mail/sender.ts";
import { sentAgain } from "../mail/sent-again.ts";
import { suppressedJob } from "../suppressions/check.ts";
import { planOf } from "../teams/service.ts";
import { ownMessageId } from "./thread.ts";

/** Copies to one mailbox in an hour: whoever knows the address of a conversation can write to it. */
const MOST_AN_HOUR = 60;

/** Sends a copy of a mail that came in to a recipient of its form. */
export async function forward(
  core: Core,
  { id, value: job, read }: ClaimedJob,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const message = job.message_id === undefined ? null : await core.rows.get("messages", job.message_id);
  if (!message) return skipped("SKIPPED_SUBMISSION_DELETED");
  const form = await read("forms", job.form_id);
  if (!form) return skipped("SKIPPED_FORM_DELETED");
  const team = await read("teams", job.team_id);
  if (!team?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  const ended = notWanted(form.value, job, planOf(core, team.value));
  if (ended !== null) return skipped(ended);
  const unwanted = await suppressedJob(core, job, read);
  if (unwanted) return unwanted;
  const sender = await senderOf(core, form.value, "owner_email", read);
  const via = viaOf(sender);
  if (job.target !== via) return movedTo(via, core.storeClock.now(), job.code);
  const waiting = await awaitsConfirmation(core, job);
  if (waiting) return waiting;
  const to = addresseeOf(job);
  if ((await takeHourly(core, [countOfMailbox(core, "forward", to, MOST_AN_HOUR)], id)) !== null)
    return skipped("SKIPPED_RECIPIENT_RATE_LIMITED");

  const { from, subject, text, attachments } = message.value;
  const words = core.options.languages.ofOwner(form.value.settings.language);
  const head = words.messages.received({ address: from, form: oneLine(form.value.name) });
  const files = attachments.map(({ file_id, name }) => ({
    name: oneLine(name),
    url: fileUrl(core, file_id, name, Date.parse(job.links_expire_at)),
  }));
  const body = printable(text).trim();
  const title = oneLine(subject) || head;
  const mail: Mail = {
    from: sender.from,
    to: { name: "", address: to },
    replyTo: { name: "", address: from },
    subject: title,
    messageId: ownMessageId(core, id),
    date: core.clock.now(),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    text: `${[head, body, ...files.map(({ name, url }) => `- ${name}\n  ${url}`)].join("\n\n")}\n`,
    html: `<!doctype html>\n${
      html`<html lang="${words.tag}" dir="${words.dir}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title></head>
<body style="font:15px/1.5 ${SANS}">
<p style="color:#667085">${head}</p>
<div dir="${isRtl(body) ? "rtl" : "auto"}">${lines(body)}</div>${
        files.length > 0 &&
        html`\n<ul>${files.map(({ name, url }) => html`<li><a href="${url}"><bdi>${name}</bdi></a></li>`)}</ul>`
      }
</body>
</html>
`.html
    }`,
  };
  return outcomeOf(core.mailer.send(sentAgain(mail, job), { server: sender.server, signal }));
}
