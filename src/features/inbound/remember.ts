import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import type { MailerDriver } from "../../drivers/mailer/types.ts";
import { noteMailId } from "./bounces.ts";

/** A mailer that keeps the ids which the next hop gives mails, so that a bounce with such an id is understood. */
export const rememberingMailer = (coreOf: () => Core, mailer: MailerDriver): MailerDriver => ({
  ...mailer,
  async send(mail, options) {
    const sent = await mailer.send(mail, options);
    const core = coreOf();
    if (core.options.inbound && sent.id !== null && sent.id !== "") {
      // The mail is on its way: without the note, a bounce is found by address and time.
      await noteMailId(core, sent.id, mail.messageId).catch((error: unknown) =>
        core.options.logger.warn(`the id of a mail could not be kept: ${faultText(error)}`),
      );
    }
    return sent;
  },
});
