import { z } from "zod";
import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { sameAddressKey } from "../../lib/email.ts";
import { Email } from "../../lib/wire.ts";
import { MAX_RECIPIENTS } from "../../model/form-leaves.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Restriction } from "../../model/restriction.ts";
import { loadTeam, planOf } from "../teams/service.ts";
import { formNote, tellHost, wakeHost } from "../webhooks/host-events.ts";
import { changeForm } from "./change.ts";
import { withRestrictions } from "./restricted.ts";
import { assertDestinations } from "./routing.ts";
import { toForm } from "./view.ts";

/** The body of an addition. */
export const RecipientAdd = z
  .strictObject({
    /** The address to add. */
    email: Email,
  })
  .meta({ id: "RecipientAdd" });

/** The addresses that get a form's notification, in the order they were added. */
export const RecipientList = z
  .object({
    /** The addresses. */
    data: z.array(z.string()),
  })
  .meta({ id: "RecipientList" });
export type RecipientList = z.infer<typeof RecipientList>;

/**
 * Adds one address and keeps the others; an existing one, in upper or lower case, changes nothing. Throws `invalid_parameter`,
 * `plan_restricted`.
 */
export async function addRecipient(
  core: Core,
  form: Stored<FormRecord>,
  email: string,
  restriction?: Restriction,
): Promise<RecipientList> {
  const team = await loadTeam(core, form.value.team_id);
  const included = team ? planOf(core, team.value).recipients : 0;
  return change(core, form, restriction, (recipients) => {
    if (recipients.some(same(email))) return null;
    if (recipients.length >= MAX_RECIPIENTS) {
      throw new ApiError("invalid_parameter", {
        param: "email",
        message: `\`email\` exceeds the limit: a form has at most ${MAX_RECIPIENTS} recipients.`,
      });
    }
    if (included !== null && recipients.length >= included) {
      throw new ApiError("plan_restricted", {
        param: "self_email_notification.recipients",
        message: `Recipients per form in the team's plan: ${included}.`,
      });
    }
    return [...recipients, email];
  });
}

/** Removes one address. Throws `recipient_not_found`, and `invalid_parameter` if a rule of the form's routing names it. */
export async function removeRecipient(core: Core, form: Stored<FormRecord>, email: string): Promise<RecipientList> {
  return change(core, form, undefined, (recipients) => {
    const left = recipients.filter((recipient) => !same(email)(recipient));
    if (left.length === recipients.length) throw new ApiError("recipient_not_found");
    return left;
  });
}

const same =
  (email: string) =>
  (other: string): boolean =>
    sameAddressKey(other) === sameAddressKey(email);

/** Runs `edit` on the list as it is when it is written, so that every one of several additions at once survives. */
async function change(
  core: Core,
  form: Stored<FormRecord>,
  restriction: Restriction | undefined,
  edit: (recipients: readonly string[]) => string[] | null,
): Promise<RecipientList> {
  const { row, changed } = await changeForm(core, form, ({ value }) => {
    const mail = value.self_email_notification;
    const recipients = edit(mail.recipients);
    if (!recipients) return null;
    const edited = { ...value, self_email_notification: { ...mail, recipients } };
    const next = withRestrictions(value, edited, restriction);
    assertDestinations(next, "settings.");
    return { value: next, also: tellHost(core, "form.updated", formNote(form.id, next)) };
  });
  if (changed) wakeHost(core);
  if (changed) core.events.emit("form.updated", await toForm(core, row));
  return { data: row.value.self_email_notification.recipients };
}
