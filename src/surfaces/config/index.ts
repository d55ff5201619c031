import type { z } from "zod";
import type { FormCreate } from "../../model/form-input.ts";
import type { WebhookCreate } from "../../model/webhooks.ts";

type FormInput = z.input<typeof FormCreate>;

/** A webhook in a file of forms. Its name there is kept as its `description`. */
export type WebhookConfig = Omit<WebhookCreate, "description">;

/** A form in a file of forms: the members of the API, and its webhooks by name. Members that are left out are not managed. */
export interface FormConfig extends Omit<FormInput, "team_id" | "settings"> {
  /** As at `/v1/forms/{form_id}/settings`, without the key. */
  settings?: Omit<NonNullable<FormInput["settings"]>, "key">;
  /** By name; null removes the webhook of that name. Others of the form stay as they are. */
  webhooks?: Record<string, WebhookConfig | null>;
}

/** The default export of a file of forms. */
export interface FormsConfig {
  /** The id of the team. Required if the API key reaches several. */
  team?: string;
  /** The forms, by key: letters from a to z, digits and dashes. */
  forms: Record<string, FormConfig>;
}

/**
 * Types a file of forms, `forms.config.ts`, for `form-backend plan` and `apply`. Returns its argument.
 *
 * @example
 * export default defineForms({
 *   forms: {
 *     contact: {
 *       name: "Contact",
 *       self_email_notification: { recipients: ["owner@example.com"] },
 *       webhooks: { crm: { url: env("CRM_URL") } },
 *     },
 *   },
 * });
 */
export const defineForms = (config: FormsConfig): FormsConfig => config;

/**
 * Stands for the value of a variable of the environment, which is read when the file is applied and never printed. Takes the
 * variable's name. Throws a TypeError for another name.
 */
export function env(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw new TypeError(`[form-backend] env(): "${name}" is not the name of a variable`);
  // A marker, so that a plan knows which values are secret. Files are data, and nothing reads it as text.
  return { $env: name } as unknown as string;
}
