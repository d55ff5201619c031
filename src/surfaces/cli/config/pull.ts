import { z } from "zod";
import { type DestinationConfig, hasOwnAddress } from "../../../model/destinations.ts";
import { FormPatch } from "../../../model/form-input.ts";
import { formLeaf } from "../../../model/form-record.ts";
import { defaultSettings, FormSettingsPatch } from "../../../model/form-settings.ts";
import { isMasked } from "../../../model/webhook-mask.ts";
import { env } from "../../config/index.ts";
import { differences, patchOf } from "./diff.ts";
import type { LiveForm } from "./live.ts";
import { isPlain, variableOf } from "./load.ts";

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
export function pulled(key: string, { form, settings }: LiveForm): Plain {
  const { key: _, ...own } = settable(FormSettingsPatch, settings) as Plain;
  const blank = formLeaf.read({ team_id: "", created_at: form.created_at, name: "" });
  const changed = patchOf(differences(settable(FormPatch, form), blank));
  const changedSettings = patchOf(differences(own, defaultSettings()));
  const variable = (...words: string[]) => env(`${key}_${words.join("_")}`.toUpperCase().replace(/\W/g, "_"));
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

/** A file of forms. */
export function configSource(team: string, forms: Readonly<Record<string, Plain>>): string {
  const body = print({ ...(team !== "default" && { team }), forms }, "");
  const names = body.includes("env(") ? "defineForms, env" : "defineForms";
  return `import { ${names} } from "form-backend/config";\n\nexport default defineForms(${body});\n`;
}

/** A value as TypeScript. */
function print(value: unknown, indent: string): string {
  const variable = variableOf(value);
  if (variable !== null) return `env(${JSON.stringify(variable)})`;
  const inner = `${indent}  `;
  const block = (open: string, lines: readonly string[], close: string): string =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${close}`;
  if (Array.isArray(value)) {
    return block(
      "[",
      value.map((entry) => print(entry, inner)),
      "]",
    );
  }
  if (!isPlain(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    // As a computed name, it is a member and not the prototype.
    const written =
      name === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${written}: ${print(member, inner)}`;
  });
  return block("{", members, "}");
}
