import type { Core } from "../core/core.ts";
import { type ApiError, wrongParameter } from "../errors.ts";
import { domainOf } from "../lib/email.ts";
import type { HostFormPatch } from "../model/form-input.ts";
import type { FormRecord } from "../model/form-record.ts";
import type { SettingsAt } from "./settings.ts";

/** True if mail over the mailer's own server may use this sender address: the option `senderDomains` lists its domain. */
export const maySendAs = ({ options }: Core, address: string): boolean => options.senderDomains.has(domainOf(address));

/**
 * Refuses a sender's address that mail can't be sent from. Only changed members are checked, so a form with an old address of
 * this kind can still change its other settings. `at` is the prefix of the settings in errors. Throws `invalid_parameter`.
 */
export function assertSender(
  core: Core,
  before: FormRecord,
  after: FormRecord,
  patch: HostFormPatch,
  at: SettingsAt,
): void {
  const [was, is] = [before.self_email_notification.sender, after.self_email_notification.sender];
  const moved = is.email !== was.email || is.server_id !== was.server_id;
  if (patch.self_email_notification?.sender && moved && is.email && !is.server_id && !maySendAs(core, is.email))
    throw refused(core, "self_email_notification.sender.email", ", or `sender.server_id` an email server of the team");
  const reply = after.auto_response.from_email;
  if (reply && reply !== before.auto_response.from_email && !maySendAs(core, reply))
    throw refused(
      core,
      patch.auto_response?.from_email === undefined ? `${at}from_email` : "auto_response.from_email",
      "",
    );
}

function refused({ options }: Core, param: string, otherwise: string): ApiError {
  const domains = [...options.senderDomains];
  const must = domains.length > 0 ? `must be an address at ${domains.slice(0, 10).join(", ")}` : "must be empty";
  return wrongParameter(param, must + otherwise);
}
