import type { Core } from "../../core/core.ts";
import { backendOf } from "../../core/per-backend.ts";
import type { Row } from "../../core/rows.ts";
import { type ApiError, wrongParameter } from "../../errors.ts";
import { domainOf, sameAddressKey } from "../../lib/email.ts";
import type { HostFormPatch } from "../../model/form-input.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { DEFAULT_TEAM } from "../teams/service.ts";
import type { SettingsAt } from "./settings.ts";

/**
 * True if mail of a team over the mailer's own server may use this sender address: one in a domain that the team has verified,
 * or exactly the host's `from`. The option `senderDomains` is for the host's own team, `default`.
 */
export function maySendAs(core: Core, team: Row<"teams"> | null, address: string): boolean {
  const { options } = core;
  const domain = domainOf(address);
  if (sameAddressKey(address) === sameAddressKey(backendOf(core).options.from.address)) return true;
  if (team?.value.sender_domains.some((one) => one.verified && one.domain === domain)) return true;
  return team?.id === DEFAULT_TEAM && options.senderDomains.has(domain);
}

/**
 * Refuses a sender's address that mail can't be sent from. Only changed members are checked, so a form with an old address of
 * this kind can still change its other settings. `at` is the prefix of the settings in errors. Throws `invalid_parameter`.
 */
export function assertSender(
  core: Core,
  team: Row<"teams"> | null,
  before: FormRecord,
  after: FormRecord,
  patch: HostFormPatch,
  at: SettingsAt,
): void {
  const [was, is] = [before.self_email_notification.sender, after.self_email_notification.sender];
  const moved = is.email !== was.email || is.server_id !== was.server_id;
  if (patch.self_email_notification?.sender && moved && is.email && !is.server_id && !maySendAs(core, team, is.email))
    throw refused(
      core,
      team,
      "self_email_notification.sender.email",
      ", or `sender.server_id` an email server of the team",
    );
  const reply = after.auto_response.from_email;
  if (reply && reply !== before.auto_response.from_email && !maySendAs(core, team, reply))
    throw refused(
      core,
      team,
      patch.auto_response?.from_email === undefined ? `${at}from_email` : "auto_response.from_email",
      "",
    );
}

function refused({ options }: Core, team: Row<"teams"> | null, param: string, otherwise: string): ApiError {
  const own = team?.value.sender_domains.flatMap(({ domain, verified }) => (verified ? [domain] : [])) ?? [];
  const domains = [...(team?.id === DEFAULT_TEAM ? options.senderDomains : []), ...own];
  const must = domains.length > 0 ? `must be an address at ${domains.slice(0, 10).join(", ")}` : "must be empty";
  return wrongParameter(param, must + otherwise);
}
