import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { MailAddress, MailServer } from "../../drivers/mailer/types.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { DEFAULT_SERVER } from "../../model/jobs.ts";
import { serverOfTeam } from "../email-servers/service.ts";
import { maySendAs } from "../forms/sender.ts";
import type { Read } from "../jobs/reads.ts";
import { planOf } from "../teams/service.ts";
import type { MailKind } from "./letter.ts";

/** The sender of a mail, and the team's own server if it uses one. */
export interface Sender {
  readonly from: MailAddress;
  readonly server?: MailServer | undefined;
  /** The form's own address, if mail may not be sent from it: replies go there anyway. */
  readonly answersTo?: string | undefined;
}

/** The name of a sender's mail server in claims. */
export const viaOf = ({ server }: Sender): string => server?.id ?? DEFAULT_SERVER;

/**
 * The sender of a form's mails. The form's own name and address take precedence over those of its server; a removed email
 * server is replaced by the default sender. Over the mailer's own server, a form's address is used only where its team may send
 * as it, because the host is responsible for mail in somebody else's name.
 */
export async function senderOf(
  core: Core,
  form: FormRecord,
  kind: MailKind,
  read: Read = core.rows.batched,
): Promise<Sender> {
  const usual = core.options.from;
  const team = await read("teams", form.team_id);
  // The form's settings were saved under a larger plan, and apply again under one.
  const mayChoose = team !== null && planOf(core, team.value).custom_sender;
  if (kind === "auto_response") {
    const { from_name, from_email } = form.auto_response;
    return overOurServer(core, team, from_name || usual.name || form.name, mayChoose ? from_email : "");
  }
  const none = { server_id: "", name: "", email: "" };
  const { server_id, name, email } = mayChoose ? form.self_email_notification.sender : none;
  const own = server_id ? await serverOfTeam(core, server_id, form.team_id, read) : null;
  const shown = name || own?.from.name || usual.name || core.options.brand.name;
  if (own) return { from: { name: shown, address: email || own.from.address }, server: own.server };
  return server_id ? { from: { name: shown, address: usual.address } } : overOurServer(core, team, shown, email);
}

function overOurServer(core: Core, team: Row<"teams"> | null, name: string, wanted: string): Sender {
  const { address } = core.options.from;
  if (wanted === "" || maySendAs(core, team, wanted)) return { from: { name, address: wanted || address } };
  return { from: { name, address }, answersTo: wanted };
}
