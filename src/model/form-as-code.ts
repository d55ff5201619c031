import { z } from "zod";
import { differences, patchOf } from "../lib/differences.ts";
import { isPlain } from "../lib/merge.ts";
import { type DestinationConfig, hasOwnAddress } from "./destinations.ts";
import { FormPatch } from "./form-input.ts";
import { formLeaf } from "./form-record.ts";
import { defaultSettings, FormSettingsPatch } from "./form-settings.ts";
import type { Form } from "./forms.ts";
import { isMasked } from "./webhook-mask.ts";

type Plain = Readonly<Record<string, unknown>>;

/** The members that a patch takes; records and lists are whole. */
function settable(schema: z.ZodType, value: unknown): unknown {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (!(inner instanceof z.ZodObject) || !isPlain(value)) return value;
  const shape = inner.shape as Readonly<Record<string, z.ZodType>>;
  const members = Object.entries(value).filter(([name]) => Object.hasOwn(shape, name));
  return Object.fromEntries(members.map(([name, member]) => [name, settable(shape[name] as z.ZodType, member)]));
}

/** A form as a file has it: what differs from a new form, in the members of the API. */
export function formAsCode(key: string, form: Pick<Form, "created_at" | "webhooks" | "spam">, settings: object): Plain {
  const { key: _, ...own } = settable(FormSettingsPatch, settings) as Plain;
  const blank = formLeaf.read({ team_id: "", created_at: form.created_at, name: "" });
  const changed = patchOf(differences(settable(FormPatch, form), blank));
  const changedSettings = patchOf(differences(own, defaultSettings()));
  // As `env()` of form-backend/config writes it.
  const variable = (...words: string[]) => ({ $env: `${key}_${words.join("_")}`.toUpperCase().replace(/\W/g, "_") });
  const spam = changed["spam"] as Plain | undefined;
  const headersOf = (name: string, headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.keys(headers).map((header) => [header, variable(name, header)]));
  const configOf = (name: string, config: DestinationConfig) => ({
    ...config,
    ...(config.headers && { headers: headersOf(name, config.headers) }),
    ...(config.credentials && { credentials: variable(name, "credentials") }),
    ...(config.token && { token: variable(name, "token") }),
    ...(config.api_key && { api_key: variable(name, "api_key") }),
  });
  const webhooks = form.webhooks.map(({ id, url, format, config, enabled, description, events }) => {
    const name = description || id;
    const whole = {
      ...(!hasOwnAddress(format ?? "") && { url: isMasked(url) ? variable(name, "url") : url }),
      ...(format !== undefined && { format }),
      ...(config && { config: configOf(name, config) }),
      ...(!enabled && { enabled }),
      ...(events.join() !== "submission.created" && { events }),
    };
    return [name, whole] as const;
  });
  return {
    ...changed,
    ...(form.spam.captcha.secret_key_set && {
      spam: { ...spam, captcha: { secret_key: variable("captcha", "secret") } },
    }),
    ...(Object.keys(changedSettings).length > 0 && { settings: changedSettings }),
    ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhooks) }),
  };
}
