import { sameAddressKey } from "../../lib/email.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { bothOf, type Restriction } from "../../model/restriction.ts";

/** The form with the restriction of each recipient that is new in it, and of another URL that gets the fields. */
export const withRestrictions = (
  before: FormRecord | null,
  after: FormRecord,
  restriction: Restriction | undefined,
): FormRecord => withRestrictedRedirect(before, withRestrictedRecipients(before, after, restriction), restriction);

/** Another success URL is that of whoever set it. One that stays loses no restriction, and gets that of who adds the fields to it. */
function withRestrictedRedirect(
  before: FormRecord | null,
  { redirect_restriction: _, ...after }: FormRecord,
  restriction: Restriction | undefined,
): FormRecord {
  const { redirect } = after.after_submit;
  const old = before?.after_submit.redirect;
  const stays = redirect.success_url === (old?.success_url ?? "");
  const adds = redirect.append_submission_to_url && !old?.append_submission_to_url;
  const known = before?.redirect_restriction;
  const own = stays ? (adds ? bothOf(known, restriction) : known) : restriction;
  return { ...after, ...(own && { redirect_restriction: own }) };
}

/** Recipients that stay keep their restriction, whoever saves the form; an address that is removed loses it. */
function withRestrictedRecipients(
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
