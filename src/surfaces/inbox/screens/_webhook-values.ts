import { wrongParameter } from "../../../errors.ts";
import type { DestinationConfig, DestinationConfigInput } from "../../../model/destinations.ts";
import { type Preset, presetOf, settingsOf } from "../../../model/presets.ts";
import type { Webhook, WebhookCreate, WebhookFormat } from "../../../model/webhooks.ts";
import type { Kind } from "../destinations.ts";
import { FIELD } from "./_webhook-controls.ts";

/** The texts of a webhook's controls by their names. */
export type Values = Readonly<Record<string, string>>;

const lines = (map: Readonly<Record<string, string>> = {}, between: string): string =>
  Object.entries(map)
    .map(([name, value]) => `${name}${between}${value}`)
    .join("\n");

/** The values of a new webhook. */
export const blankOf = (kind: Kind): Values => ({
  ...(kind === "http" && { body: '{"id":"{{submission_id}}","fields":{{all_fields}}}', success: "2xx" }),
  ...(kind === "mailchimp" && { double_opt_in: "on" }),
  ...(kind === "standard" && { format: "standard" }),
  ...Object.fromEntries((presetOf(kind)?.fields ?? []).map((name) => [FIELD + name, name])),
});

/** The values of a stored webhook; of a secret there is none. */
export function storedValues({ url, format, description, config = {} }: Webhook): Values {
  const { headers, merge_fields, properties, tags, success, double_opt_in, credentials: _, ...rest } = config;
  const texts = Object.entries(rest).filter(([name]) => name !== "token" && name !== "api_key");
  return {
    ...(Object.fromEntries(texts) as Record<string, string>),
    url,
    format: format ?? "standard",
    description,
    headers: lines(headers, ": "),
    merge_fields: lines(merge_fields, " = "),
    properties: lines(properties, " = "),
    tags: (tags ?? []).join(", "),
    success: (success ?? []).join(", "),
    double_opt_in: double_opt_in === true ? "on" : "",
  };
}

/** The values of a posted form, to be shown again; secrets are left out. */
export function postedValues(body: URLSearchParams): Values {
  const secrets = ["token", "key", "api_key", "credentials"];
  return Object.fromEntries([...body].filter(([name]) => !secrets.includes(name)));
}

/** The body of the request that creates or changes a webhook. Throws `invalid_parameter`. */
export function inputOf(kind: Kind, body: URLSearchParams, stored: Webhook | null = null): WebhookCreate {
  const text = (name: string): string => body.get(name)?.trim() ?? "";
  const description = body.get("description") ?? "";
  const preset = presetOf(kind);
  if (preset) return { ...presetInput(preset, text), format: "http", description };
  if (kind === "telegram" && !stored) return { url: telegramUrl(text), format: "telegram", description };
  const config = configOf(kind, text, stored?.config);
  const chosen = body.get("format") === "flat" ? "flat" : "standard";
  const isProgram = kind === "standard" || kind === "flat";
  return {
    ...(body.has("url") && { url: text("url") }),
    format: isProgram ? chosen : (kind as WebhookFormat),
    ...(config && { config }),
    description,
  };
}

type Text = (name: string) => string;

function presetInput(preset: Preset, text: Text) {
  const asks = Object.fromEntries(preset.asks.map(({ name }) => [name, text(name)]));
  const missing = preset.asks.find(({ name }) => asks[name] === "");
  if (missing) throw wrongParameter(missing.name, "is required");
  const fields = Object.fromEntries(preset.fields.map((name) => [name, text(FIELD + name)]));
  const wrong = preset.fields.find((name) => /[{}|]/.test(fields[name] ?? ""));
  if (wrong !== undefined) throw wrongParameter(FIELD + wrong, "must be the name of a field");
  return settingsOf(preset, { asks, fields });
}

function telegramUrl(text: Text): string {
  for (const name of ["token", "chat"]) if (text(name) === "") throw wrongParameter(name, "is required");
  const token = encodeURIComponent(text("token")).replaceAll("%3A", ":");
  return `https://api.telegram.org/bot${token}/sendMessage?chat_id=${encodeURIComponent(text("chat"))}`;
}

function configOf(kind: Kind, text: Text, before: DestinationConfig = {}): DestinationConfigInput | undefined {
  // A secret that was left empty stays as it is stored.
  const secret = (name: "token" | "api_key" | "credentials") => (text(name) === "" ? {} : { [name]: text(name) });
  if (kind === "google_sheets") return { sheet: text("sheet") || null, ...secret("credentials") };
  if (kind === "airtable" || kind === "notion") return secret("token");
  const email = text("email_field") === "" ? {} : { email_field: text("email_field") };
  if (kind === "hubspot")
    return { ...secret("token"), ...email, properties: mapOf(text, "properties", before.properties) };
  if (kind === "mailchimp")
    return {
      ...secret("api_key"),
      ...email,
      list_id: text("list_id"),
      merge_fields: mapOf(text, "merge_fields", before.merge_fields),
      tags: listOf(text("tags")),
      double_opt_in: text("double_opt_in") === "on",
    };
  if (kind !== "http") return undefined;
  return {
    method: text("method") as "POST",
    content_type: text("content_type") as "application/json",
    headers: headersOf(text, before.headers),
    body: text("body"),
    success: listOf(text("success") || "2xx").map((one) => (/^\d{3}$/.test(one) ? Number(one) : one)),
  };
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** Entries in lines; one that is no longer there is removed by null. */
function entriesOf(text: string, between: string, param: string, before: object = {}): Record<string, string | null> {
  const result = new Map<string, string | null>(Object.keys(before).map((name) => [name, null]));
  for (const [place, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const at = line.indexOf(between);
    // The line itself may be a key.
    if (at < 1) throw wrongParameter(param, `has no “${between}” in line ${place + 1}`);
    result.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  return Object.fromEntries(result);
}

const mapOf = (text: Text, name: "merge_fields" | "properties", before?: object) =>
  entriesOf(text(name), "=", `config.${name}`, before);
const headersOf = (text: Text, before?: object) => entriesOf(text("headers"), ":", "config.headers", before);
