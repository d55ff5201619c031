import { type Mail, MailError, type MailerDriver } from "../../drivers/mailer/types.ts";
import { withoutEcho } from "../../lib/echo.ts";
import { safeMessage, traceOf } from "../../lib/message.ts";

/**
 * A driver whose errors repeat nothing of a mail: a mail server cites what it refuses, and a custom driver may put the whole
 * mail into its errors. The text of an error that is no `MailError` is left out.
 */
export const discreetMailer = (driver: MailerDriver): MailerDriver => ({
  name: driver.name,
  ...(driver.copies !== undefined && { copies: driver.copies }),
  async send(mail, options) {
    try {
      return await driver.send(mail, options);
    } catch (error) {
      throw error instanceof MailError ? discreetError(error, mail) : fault(driver.name, error);
    }
  },
  verify: (server) => driver.verify(server),
  close: () => driver.close(),
});

/** The error, without its cause. Addresses of recipients stay, for the delivery has them too. */
function discreetError({ code, message, temporary, status, nodeErrorCode }: MailError, mail: Mail): MailError {
  const { subject, text, html, replyTo, headers = {} } = mail;
  const sent = [subject, text, html, ...(replyTo ? [replyTo.name, replyTo.address] : []), ...Object.values(headers)];
  return new MailError(code, safeMessage(withoutEcho(message, sent)), { temporary, status, nodeErrorCode });
}

function fault(name: string, error: unknown): Error {
  const result = new Error(`[form-backend] the mailer "${name}" failed with no MailError: ${traceOf(error)}`);
  // The places that count are in the message.
  result.stack = result.message;
  return result;
}
