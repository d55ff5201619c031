import { sameAddressKey } from "../../lib/email.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Restriction } from "../../model/restriction.ts";

/**
 * The form with the restriction of each recipient that is new in it. Those that stay keep theirs, whoever saves the form; an
 * address that is removed loses it.
 */
export function withRestrictedRecipients(
  before: FormRecord | null,
  after: FormRecord,
  restriction: Restriction | undefined,
): FormRecord {
  const known = before?.restrictions ?? {};
  const had = new Set(before?.self_email_notification.recipients.map(sameAddressKey));
  const has = after.self_email_notification.recipients.map(sameAddressKey);
  if (has.length === had.size && has.every((key) => had.has(key))) return after;
  const entries = has.flatMap((key) => {
    const own = had.has(key) ? restrictionFor(known, key) : restriction;
    return own ? [[key, own] as const] : [];
  });
  // Defined and not set: an address key may be any text.
  return { ...after, restrictions: Object.fromEntries(entries) };
}

const restrictionFor = (known: FormRecord["restrictions"], key: string): Restriction | undefined =>
  Object.hasOwn(known, key) ? known[key] : undefined;

/** The restriction of one recipient of the form. */
export const restrictionOfRecipient = ({ restrictions }: FormRecord, address: string): Restriction | undefined =>
  restrictionFor(restrictions, sameAddressKey(address));
