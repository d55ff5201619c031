import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { countOfMailbox, type HourlyCount, takeHourly } from "../../core/rates/hourly.ts";
import { type Mail, MailError } from "../../drivers/mailer/types.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { maskEmails } from "../../lib/email.ts";
import { html } from "../../lib/html.ts";
import { prefixedId } from "../../lib/id.ts";
import { safeMessage } from "../../lib/message.ts";
import { oneLine } from "../../lib/one-line.ts";
import { TemplateError } from "../../lib/template.ts";
import { Email, Timestamp } from "../../lib/wire.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { submitterOf } from "../jobs/plan.ts";
import { replyNumbers } from "./reply-numbers.ts";
import { compose } from "./send.ts";
import { senderOf } from "./sender.ts";

const MOST_TO_ADDRESS = 3;
const MOST_OF_TEAM = 20;

const MailKind = z.enum(["self_email_notification", "auto_response"]);

/** The form's mail to try, and its recipient. */
export const TestEmailInput = z
  .strictObject({
    /** The mail to send. */
    kind: MailKind,
    /** The address to send it to. */
    to: Email,
  })
  .meta({ id: "TestEmailInput" });
export type TestEmailInput = z.infer<typeof TestEmailInput>;

/** In process both may be left out: it is the notification then, to the form's first recipient. */
export const TestEmailOptions = TestEmailInput.partial();
export type TestEmailOptions = z.input<typeof TestEmailOptions>;

/** The data passed to the mail server. */
export const TestEmail = z
  .object({
    /** The mail that was sent. */
    kind: MailKind,
    /** The address it went to. */
    to: z.string(),
    /** The time it was handed over. */
    sent_at: Timestamp,
  })
  .meta({ id: "TestEmail" });
export type TestEmail = z.infer<typeof TestEmail>;

/**
 * Sends one of the form's emails now, with sample values, whether it is enabled or not; nothing is stored or retried.
 * At most 3 an hour to one address and 20 an hour for a team, beyond which it throws `rate_limited`.
 * Throws `invalid_parameter` when its template fails or the mail server refuses the address or the message, `unavailable` when it can't be reached.
 */
export async function sendTestEmail(
  core: Core,
  form: Stored<FormRecord>,
  {
    kind = "self_email_notification",
    to = form.value.self_email_notification.recipients[0],
  }: z.output<typeof TestEmailOptions>,
): Promise<TestEmail> {
  if (to === undefined) {
    throw new ApiError("invalid_parameter", {
      param: "to",
      message: "`to` is required: the form has no recipient to send to.",
    });
  }
  const now = core.clock.now();
  const words = core.options.languages.ofOwner(form.value.settings.language);
  const submission = sample(form, words, iso(now));
  const submission_id = core.sortableId(now);
  const jobId = prefixedId("msg");
  const answersTo = submitterOf(submission);
  const draft = { form, submission_id, submission, answersTo, to, jobId, links_expire_at: null };
  const mailKind = kind === "auto_response" ? kind : "owner_email";
  const sender = await senderOf(core, form.value, mailKind);
  try {
    const { mail, server } = await compose(core, mailKind, draft, sender);
    await assertRoom(core, form.value.team_id, to, jobId);
    await core.mailer.send(marked(mail, words), { server });
  } catch (error) {
    if (error instanceof TemplateError) {
      throw new ApiError("invalid_parameter", { message: `The template ${error.message}.`, cause: error });
    }
    if (!(error instanceof MailError)) throw error;
    if (!sender.server) core.options.logger.warn(`a test email could not be sent: ${reasonOf(error)}`);
    throw refusal(error, sender.server !== undefined);
  }
  return { kind, to, sent_at: iso(now) };
}

/** Counts one test. Throws `rate_limited` beyond the hourly limit of one address or one team, over the whole installation. */
async function assertRoom(core: Core, team_id: string, to: string, name: string): Promise<void> {
  const counts: HourlyCount[] = [
    countOfMailbox(core, "test", to, MOST_TO_ADDRESS),
    { mark: `tests:${team_id}`, most: MOST_OF_TEAM },
  ];
  const until = await takeHourly(core, counts, name);
  if (until === null) return;
  const seconds = Math.max(1, Math.ceil((until - core.clock.now()) / 1_000));
  throw new ApiError("rate_limited", {
    message: `At most ${MOST_TO_ADDRESS} test emails an hour can be sent to one address, and ${MOST_OF_TEAM} an hour for a team.`,
    headers: { "retry-after": String(seconds) },
  });
}

/** Marks the mail as a test, so nobody takes it for a real one, whatever its template is. */
function marked(mail: Mail, { test, dir }: Words): Mail {
  const note = test.note();
  const banner = html`<div dir="${dir}" style="display:block!important;visibility:visible!important;opacity:1!important;position:static!important;margin:0!important;padding:12px!important;background:#fff3cd!important;color:#533f03!important;font:bold 16px/1.5 sans-serif!important;max-height:none!important">${note}</div>`;
  return {
    ...mail,
    subject: oneLine(test.subject({ subject: mail.subject })),
    text: `${note}\n\n${mail.text}`,
    // Before everything: inside, a template could put it in a comment.
    html: `${banner.html}\n${mail.html}`,
  };
}

/** The failure for the log: a connection's in words, a reply by its numbers. */
const reasonOf = ({ code, status, message }: MailError): string =>
  `${code}: ${status === undefined ? maskEmails(safeMessage(message)) : replyNumbers(status, message)}`;

/**
 * The caller can fix a refused message or address, but can only wait if the server fails. The server's reply is returned if it
 * is the team's own; of the host's server, the log has the address, and the numbers of a reply.
 */
function refusal(error: MailError, ownServer: boolean): ApiError {
  const status = error.status === undefined ? "" : `SMTP ${error.status}, `;
  const cause = ownServer ? `${safeMessage(error.message)} (${error.code})` : `${status}${error.code}`;
  if (error.code === "ERROR_EMAIL_INVALID_RECIPIENT" || error.code === "ERROR_EMAIL_SMTP_5XX") {
    const message = `\`to\`: the mail server refused the message: ${cause}`;
    return new ApiError("invalid_parameter", { param: "to", message, cause: error });
  }
  const message = `The mail server could not take the message: ${cause}`;
  return new ApiError("unavailable", { message, headers: { "retry-after": "30" }, cause: error });
}

/** A submission to try a form with. */
export const sample = (form: Stored<FormRecord>, words: Words, created_at: string): SubmissionRecord => ({
  form_id: form.id,
  team_id: form.value.team_id,
  created_at,
  updated_at: created_at,
  spam: false,
  read: false,
  ip: null,
  country: null,
  user_agent: null,
  referer: null,
  fields: [
    { key: "name", value: "Jane Example" },
    { key: "email", value: "jane@example.com" },
    { key: "message", value: words.test.message() },
  ],
  attachments: [],
  attached: false,
  verdict: [],
  over_quota: false,
  subject: null,
  reply_to: null,
  ...(words.tag !== "en" && { language: words.tag }),
});
