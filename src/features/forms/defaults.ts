import { randomInt } from "node:crypto";
import type { Plan } from "../../core/options/plans.ts";
import { type FormRecord, formLeaf } from "../../model/form-record.ts";

const avatars = ["📬", "📮", "✉️", "📝", "📋", "🗂️", "💬", "📣", "🎯", "🚀", "🌱", "⭐"] as const;

/** The page after a post, by default. */
export const defaultAfterSubmit = (): FormRecord["after_submit"] => formLeaf.read({ team_id: "" }).after_submit;

/** A form before anything of it was configured. */
export function defaultForm(team_id: string, ownerEmail: string | null, plan: Plan, created_at: string): FormRecord {
  const form = formLeaf.read({ team_id, created_at, name: "" });
  form.avatar = avatars[randomInt(avatars.length)] as string;
  if (plan.retention_days !== null) form.storage.keep_for = `${plan.retention_days}_days`;
  if (ownerEmail) form.self_email_notification.recipients = [ownerEmail];
  return form;
}
