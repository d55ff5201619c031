import { MailError } from "../../drivers/mailer/types.ts";
import { TemplateError } from "../../lib/template.ts";
import type { JobOutcome } from "../../model/outcome.ts";

/** The result of sending a mail. Throws errors that are faults of neither the mail nor its transport. */
export async function outcomeOf(sending: Promise<unknown>): Promise<JobOutcome> {
  try {
    await sending;
    return { status: "succeeded", code: "SUCCESS" };
  } catch (error) {
    // The owner can mend a template within the three days of retries, and then nothing is lost.
    if (error instanceof TemplateError) {
      return { status: "retry", code: "ERROR_EMAIL_TEMPLATE", message: `The template ${error.message}.`, ours: true };
    }
    if (!(error instanceof MailError)) throw error;
    return {
      status: error.temporary ? "retry" : "failed",
      code: error.code,
      message: error.message,
      http_status: error.status,
      node_error_code: error.nodeErrorCode,
      slow: error.code === "ERROR_EMAIL_TIMEOUT",
    };
  }
}
