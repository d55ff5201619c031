import { z } from "zod";
import { type Core, update } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { Caller } from "../keys/schema.ts";
import { Email } from "../lib/email.ts";
import { loadTeam, planOf } from "../teams/service.ts";
import { reachForm } from "./access.ts";
import { type FormRecord, MAX_RECIPIENTS } from "./schema.ts";
import { toForms } from "./view.ts";

/** The body of an addition. */
export const RecipientAdd = z.strictObject({ email: Email }).meta({ id: "RecipientAdd" });

/** The addresses that get a form's notification, in the order they were added. */
export const RecipientList = z.object({ data: z.array(z.string()) }).meta({ id: "RecipientList" });
export type RecipientList = z.infer<typeof RecipientList>;

/** Adds one address and keeps the others; one that is there already, in whatever case, changes nothing. Throws `invalid_parameter`, `plan_restricted`. */
export async function addRecipient(core: Core, caller: Caller, formId: string, email: string): Promise<RecipientList> {
  const form = await reachForm(core, caller, formId);
  const team = await loadTeam(core, form.value.team_id);
  const included = team ? planOf(core, team.value).recipients : 0;
  return change(core, formId, (recipients) => {
    if (recipients.some(same(email))) return null;
    if (recipients.length >= MAX_RECIPIENTS) {
      throw new ApiError("invalid_parameter", {
        param: "email",
        message: `\`email\` is one too many: a form has at most ${MAX_RECIPIENTS} recipients.`,
      });
    }
    if (included !== null && recipients.length >= included) {
      throw new ApiError("plan_restricted", {
        param: "self_email_notification.recipients",
        message: `The team's plan includes ${included} recipient(s) per form.`,
      });
    }
    return [...recipients, email];
  });
}

/** Removes one address. Throws `recipient_not_found`. */
export async function removeRecipient(
  core: Core,
  caller: Caller,
  formId: string,
  email: string,
): Promise<RecipientList> {
  await reachForm(core, caller, formId);
  return change(core, formId, (recipients) => {
    const left = recipients.filter((recipient) => !same(email)(recipient));
    if (left.length === recipients.length) throw new ApiError("recipient_not_found");
    return left;
  });
}

/** One entry per address, whatever its case, the first spelling kept. */
export function distinct(addresses: readonly string[]): string[] {
  const seen = new Set<string>();
  return addresses.filter((address) => !seen.has(address.toLowerCase()) && seen.add(address.toLowerCase()));
}

const same =
  (email: string) =>
  (other: string): boolean =>
    other.toLowerCase() === email.toLowerCase();

/** Runs `edit` on the list as it is when it is written, so that every one of several additions at once survives. */
async function change(
  core: Core,
  id: string,
  edit: (recipients: readonly string[]) => string[] | null,
): Promise<RecipientList> {
  let changed = false;
  const value = await update<FormRecord>(
    core,
    "forms",
    id,
    (form) => {
      const mail = form.self_email_notification;
      const recipients = edit(mail.recipients);
      changed = recipients !== null;
      return recipients && { ...form, self_email_notification: { ...mail, recipients } };
    },
    () => new ApiError("form_not_found"),
  );
  if (changed) {
    core.cached.forms.drop(id);
    for (const form of await toForms(core, [{ id, value, version: 0 }])) core.events.emit("form.updated", form);
  }
  return { data: value.self_email_notification.recipients };
}
