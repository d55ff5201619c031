import type { Core } from "../../core/core.ts";
import { MailError } from "../../drivers/mailer/types.ts";
import { maskEmails } from "../../lib/email.ts";
import { inTime } from "../../lib/in-time.ts";
import { errorMessage, safeMessage } from "../../lib/message.ts";
import { adviceFor } from "./advice.ts";

/** Time that a start waits for the result. Later, it is still logged. */
const START_WAITS_MS = 5_000;

/**
 * Connects and logs in to the mail server, and logs an error if it accepts no mail. It does not stop the start: posts are
 * accepted meanwhile, and their mails wait. Never rejects.
 */
export async function verifyMailer(core: Core, isClosing: () => boolean): Promise<void> {
  const { options, mailer } = core;
  if (!options.verify) return;
  const verified = Promise.resolve()
    .then(() => mailer.verify())
    .then(
      () => options.logger.debug(`mailer ${mailer.name}: the server can be reached and takes the login`),
      (error: unknown) => {
        if (!isClosing()) say(core, error);
      },
    );
  await inTime(START_WAITS_MS, () => verified).catch(() => {
    if (!isClosing())
      options.logger.warn(
        `mailer ${mailer.name}: the mail server has not answered within ${START_WAITS_MS / 1_000} s; the start goes on without it. ` +
          "Check host and port: a port that speaks something else than SMTP stays silent",
      );
  });
}

function say({ options, mailer }: Core, error: unknown): void {
  const code = error instanceof MailError ? error.code : "ERROR_EMAIL_INTERNAL";
  const message = errorMessage(error);
  const reason = maskEmails(safeMessage(message.replace(/^\[form-backend\] /, "")));
  const toDo = adviceFor(code);
  options.logger.error(
    `mailer ${mailer.name}: mail can't be sent (${code}): ${reason.replace(/[.\s]+$/, "")}${toDo ? `; ${toDo}` : ""}. ` +
      "Posts are still accepted, and each email is retried for 3 days",
    { code, message: reason },
  );
}
