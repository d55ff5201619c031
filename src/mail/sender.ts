import type { Core } from "../core.ts";
import type { MailAddress, MailServer } from "../drivers/mailer/types.ts";
import { serverOfTeam } from "../email-servers/service.ts";
import type { FormRecord } from "../forms/schema.ts";
import type { MailKind } from "./letter.ts";

/** Whose name a mail bears, and the team's own server where it goes over one. */
export interface Sender {
  readonly from: MailAddress;
  readonly server?: MailServer | undefined;
}

/**
 * The sender of a form's mails. The form's own name and address win over those of the server it sends with; an email server
 * that is gone is replaced by the default sender, whose server would hardly be allowed to use the form's own address.
 */
export async function senderOf(core: Core, form: FormRecord, kind: MailKind): Promise<Sender> {
  const usual = core.options.from;
  if (kind === "auto_response") {
    const { from_name, from_email } = form.auto_response;
    return { from: { name: from_name || usual.name || form.name, address: from_email || usual.address } };
  }
  const { server_id, name, email } = form.self_email_notification.sender;
  const own = server_id ? await serverOfTeam(core, server_id, form.team_id) : null;
  const from = {
    name: name || own?.from.name || usual.name || core.options.brand.name,
    address: server_id && !own ? usual.address : email || own?.from.address || usual.address,
  };
  return { from, server: own?.server };
}
