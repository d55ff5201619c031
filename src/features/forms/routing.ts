import { wrongParameter } from "../../errors.ts";
import { sameAddressKey } from "../../lib/email.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Routing, Target } from "../../model/routing.ts";
import type { SettingsAt } from "./settings.ts";

/** The targets of a form's routing, each with its path. */
function* targetsOf({ rules, otherwise }: Routing): Generator<readonly [path: string, target: Target]> {
  for (const [index, { to }] of rules.entries()) yield [`routing.rules.${index}.to`, to];
  if (otherwise) yield ["routing.otherwise", otherwise];
}

/**
 * Throws `invalid_parameter` with the path of the first address that is no recipient of the form, and of the first id that is
 * none of its webhooks.
 */
export function assertDestinations(
  { settings: { routing }, self_email_notification: { recipients }, webhooks }: FormRecord,
  at: SettingsAt,
): void {
  const known = new Set(recipients.map(sameAddressKey));
  const ids = new Set(webhooks.map(({ id }) => id));
  for (const [path, target] of targetsOf(routing)) {
    for (const member of ["recipients", "cc", "bcc"] as const) {
      for (const [index, address] of (target[member] ?? []).entries()) {
        if (known.has(sameAddressKey(address))) continue;
        throw wrongParameter(
          `${at}${path}.${member}.${index}`,
          `names ${address}, which is not among the form's recipients; add it to \`self_email_notification.recipients\`, or take it out of the rule first`,
        );
      }
    }
    for (const [index, id] of (target.webhooks ?? []).entries()) {
      if (!ids.has(id))
        throw wrongParameter(`${at}${path}.webhooks.${index}`, `names "${id}", which is no webhook of the form`);
    }
  }
}

/** The routing without a webhook that is deleted. A target that named it alone goes to no webhook. */
export function withoutWebhook(routing: Routing, id: string): Routing {
  const { rules, otherwise } = routing;
  const left = (target: Target): Target =>
    target.webhooks ? { ...target, webhooks: target.webhooks.filter((one) => one !== id) } : target;
  return {
    ...routing,
    rules: rules.map((rule) => ({ ...rule, to: left(rule.to) })),
    otherwise: otherwise && left(otherwise),
  };
}
