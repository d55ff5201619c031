import { z } from "zod";
import type { Core } from "../core.ts";
import { MailError } from "../drivers/mailer/types.ts";
import { ApiError } from "../errors.ts";
import { reachForm } from "../forms/access.ts";
import type { Caller } from "../keys/schema.ts";
import { iso } from "../lib/clock.ts";
import { Email } from "../lib/email.ts";
import { prefixedId } from "../lib/id.ts";
import { safeMessage } from "../lib/message.ts";
import { TemplateError } from "../lib/template.ts";
import { Timestamp } from "../lib/wire.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import { sendLetter } from "./send.ts";

const MailKind = z.enum(["self_email_notification", "auto_response"]);

/** Which mail of the form to try, and where to. */
export const TestEmailInput = z.strictObject({ kind: MailKind, to: Email }).meta({ id: "TestEmailInput" });
export type TestEmailInput = z.infer<typeof TestEmailInput>;

/** What was handed to the mail server. */
export const TestEmail = z.object({ kind: MailKind, to: z.string(), sent_at: Timestamp }).meta({ id: "TestEmail" });
export type TestEmail = z.infer<typeof TestEmail>;

/**
 * Sends one of the form's mails now, with sample values, whether it is enabled or not; nothing is stored or retried.
 * Throws `invalid_parameter` when its template fails or the mail server refuses the address or the message, `unavailable` when it can't be reached.
 */
export async function sendTestEmail(
  core: Core,
  caller: Caller,
  formId: string,
  input: TestEmailInput,
): Promise<TestEmail> {
  const form = await reachForm(core, caller, formId);
  const { kind, to } = input;
  const now = core.clock.now();
  const submission = sample(formId, form.value.team_id, iso(now));
  const submission_id = core.sortableId(now);
  const letter = { form, submission_id, submission, to, jobId: prefixedId("msg"), links_expire_at: null };
  try {
    await sendLetter(core, kind === "auto_response" ? kind : "owner_email", letter);
  } catch (error) {
    if (error instanceof TemplateError) {
      throw new ApiError("invalid_parameter", { message: `The template ${error.message}.`, cause: error });
    }
    throw error instanceof MailError ? refusal(error) : error;
  }
  return { kind, to, sent_at: iso(now) };
}

/** The caller can mend a refusal of the message or its address, and only wait where the server is what fails. */
function refusal(error: MailError): ApiError {
  const cause = `${safeMessage(error.message)} (${error.code})`;
  if (error.code === "ERROR_EMAIL_INVALID_RECIPIENT" || error.code === "ERROR_EMAIL_SMTP_5XX") {
    const message = `\`to\`: the mail server refused the message: ${cause}`;
    return new ApiError("invalid_parameter", { param: "to", message, cause: error });
  }
  const message = `The mail server could not take the message: ${cause}`;
  return new ApiError("unavailable", { message, headers: { "retry-after": "30" }, cause: error });
}

const sample = (form_id: string, team_id: string, created_at: string): SubmissionRecord => ({
  form_id,
  team_id,
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
    { key: "message", value: "This is a test. It shows how a submission of your form arrives." },
  ],
  attachments: [],
  attached: false,
  verdict: [],
  over_quota: false,
  subject: null,
  reply_to: null,
});
