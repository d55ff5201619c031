import { z } from "zod";
import { differences, patchOf } from "../lib/differences.ts";
import { isPlain } from "../lib/merge.ts";
import { type DestinationConfig, hasOwnAddress } from "./destinations.ts";
import { FormPatch } from "./form-input.ts";
import { formLeaf } from "./form-record.ts";
import { defaultSettings, FormSettingsPatch } from "./form-settings.ts";
import type { Form } from "./forms.ts";
import { withWebhooks } from "./routing.ts";
import { isMasked } from "./webhook-mask.ts";

type Plain = Readonly<Record<string, unknown>>;

/** The path of an email server's id. */
const SERVER = ["self_email_notification", "sender", "server_id"];

/** The members that a patch takes; records and lists are whole. */
function settable(schema: z.ZodType, value: unknown): unknown {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (!(inner instanceof z.ZodObject) || !isPlain(value)) return value;
  const shape = inner.shape as Readonly<Record<string, z.ZodType>>;
  const members = Object.entries(value).filter(([name]) => Object.hasOwn(shape, name));
  return Object.fromEntries(members.map(([name, member]) => [name, settable(shape[name] as z.ZodType, member)]));
}

/** The names of a form's webhooks in a file, by id: their descriptions, where these are unique and fit into a routing. */
export function webhookNames(webhooks: Form["webhooks"]): ReadonlyMap<string, string> {
  const fits = (text: string): boolean =>
    text !== "" && text.length <= 64 && webhooks.filter(({ description }) => description === text).length === 1;
  return new Map(webhooks.map(({ id, description }) => [id, fits(description) ? description : id]));
}

/** The members without one of them, and without objects that are empty then. */
function without(value: Plain, [name = "", ...path]: readonly string[]): Plain {
  const { [name]: member, ...rest } = value;
  const left = path.length > 0 && isPlain(member) ? without(member, path) : {};
  return Object.keys(left).length > 0 ? { ...value, [name]: left } : rest;
}

/** A form as a file has it: what differs from a new form, in the members of the API. Ids of this installation stay out. */
export function formAsCode(key: string, form: Pick<Form, "created_at" | "webhooks" | "spam">, settings: object): Plain {
  const { key: _, reply_attachments: __, ...own } = settable(FormSettingsPatch, settings) as Plain;
  const blank = formLeaf.read({ team_id: "", created_at: form.created_at, name: "" });
  const names = webhookNames(form.webhooks);
  const called = (id: string): string => names.get(id) ?? id;
  const changed = without(patchOf(differences(settable(FormPatch, form), blank)), SERVER);
  const changedSettings = patchOf(
    differences({ ...own, routing: withWebhooks(own["routing"], called) }, defaultSettings()),
  );
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
  const webhooks = form.webhooks.map(({ id, url, format, config, enabled, events }) => {
    const name = called(id);
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
