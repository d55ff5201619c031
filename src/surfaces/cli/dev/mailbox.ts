import type { Mail, MailerDriver } from "../../../drivers/mailer/types.ts";
import type { Folder } from "./folder.ts";

/** Keeps every mail in a folder instead of sending it. */
export const mailboxIn = (folder: Folder<Mail>): MailerDriver => ({
  name: "mailbox",
  copies: true,
  async send(mail) {
    await folder.add(mail);
    return { id: null };
  },
  async verify() {},
  async close() {},
});
