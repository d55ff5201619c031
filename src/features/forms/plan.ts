import type { Plan } from "../../core/options/plans.ts";
import { ApiError } from "../../errors.ts";
import { distinct } from "../../lib/email.ts";
import type { HostFormPatch } from "../../model/form-input.ts";
import { gatedSetting } from "../../model/gated-setting.ts";
import type { SettingsAt } from "./settings.ts";

/** Each rule: the field's path, and whether the plan excludes the value that was sent. In the order of the form's blocks. */
const rules: readonly { path: string; excluded: (plan: Plan, input: HostFormPatch) => boolean }[] = [
  { path: "storage.keep_for", excluded: (plan, { storage }) => beyond(storage?.keep_for, plan.retention_days) },
  { path: "spam.captcha.secret_key", excluded: (plan, { spam }) => !plan.captcha && !!spam?.captcha?.secret_key },
  {
    path: "self_email_notification.recipients",
    excluded: (plan, { self_email_notification: mail }) =>
      plan.recipients !== null && distinct(mail?.recipients ?? []).length > plan.recipients,
  },
  {
    path: "self_email_notification.template.html",
    excluded: (plan, { self_email_notification: mail }) => !plan.custom_templates && !!mail?.template?.html,
  },
  ...(["server_id", "name", "email"] as const).map((leaf) => ({
    path: `self_email_notification.sender.${leaf}`,
    excluded: (plan: Plan, { self_email_notification: mail }: HostFormPatch) =>
      !plan.custom_sender && !!mail?.sender?.[leaf],
  })),
  {
    path: "auto_response.enabled",
    excluded: (plan, { auto_response }) => !plan.auto_response && !!auto_response?.enabled,
  },
  {
    path: "auto_response.from_email",
    excluded: (plan, { auto_response }) => !plan.custom_sender && !!auto_response?.from_email,
  },
  {
    path: "auto_response.template.html",
    excluded: (plan, { auto_response }) => !plan.custom_templates && !!auto_response?.template?.html,
  },
  {
    path: "after_submit.redirect.success_url",
    excluded: (plan, { after_submit }) => !plan.redirect && !!after_submit?.redirect?.success_url,
  },
];

const beyond = (keepFor: string | undefined, days: number | null): boolean =>
  keepFor !== undefined && days !== null && (keepFor === "forever" || Number.parseInt(keepFor, 10) > days);

/**
 * Throws `plan_restricted` for the first field of `input` that the plan does not include. `at` is the prefix of a setting. Only
 * sent fields count, so a team on a smaller plan can still change its other settings.
 */
export function assertPlanAllows(plan: Plan, input: HostFormPatch, at: SettingsAt): void {
  const leaf = rules.find(({ excluded }) => excluded(plan, input))?.path;
  const setting = gatedSetting(input.settings ?? {}, (feature) => plan[feature]);
  const param = leaf ?? (setting && at + setting);
  if (param === undefined) return;
  const message = `The team's plan does not include \`${param}\` with this value.`;
  throw new ApiError("plan_restricted", { param, message });
}
