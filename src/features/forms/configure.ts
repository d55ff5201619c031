import { randomBytes } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { distinct } from "../../lib/email.ts";
import { mergeLeaves } from "../../lib/merge.ts";
import { templateFault } from "../../lib/template.ts";
import { type FieldPolicyPatch, policyOf } from "../../model/field-policy.ts";
import type { HostFormPatch } from "../../model/form-input.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { MAX_REPLY_ATTACHMENT_BYTES } from "../../model/images.ts";
import { AUTO } from "../../texts/locales/_languages.ts";
import { findServer } from "../email-servers/service.ts";
import { providerOfSecret } from "../spam/captcha/provider.ts";
import { assertDestinations } from "./routing.ts";
import { patchedSettings, type SettingsAt } from "./settings.ts";

/**
 * Merges a patch into `form` and checks every rule that involves several leaves. `at` is the prefix of the settings in
 * errors, `id` the form's id; null for a new one.
 * Throws `invalid_parameter`.
 */
export async function configured(
  core: Core,
  form: FormRecord,
  patch: HostFormPatch,
  at: SettingsAt,
  id: string | null = null,
): Promise<FormRecord> {
  const { spam: { captcha: sent, ...spam } = {}, settings: _, ...rest } = patch;
  assertEncryption(core, patch.settings?.fields, at);
  const captcha = await captchaOf(core, form.spam.captcha, sent);
  const { allowed_origins, require_token, from_email, ...settings } = patchedSettings(form, patch, at);
  assertLanguage(core, patch, at);
  assertOptIn(settings, patch, at);
  assertAvailability(settings, patch, at);
  assertUnique(settings, patch, at);
  if (patch.settings?.reply_attachments) await assertAttachments(core, settings.reply_attachments, id, at);
  const value = mergeLeaves(form, { ...rest, spam });
  value.allowed_origins = allowed_origins;
  value.spam = { ...value.spam, require_token, captcha };
  value.auto_response = { ...value.auto_response, from_email };
  value.settings = settings;
  if (settings.unique.fields.length > 0 && value.unique_key === "") {
    value.unique_key = await core.seal.seal(randomBytes(32).toString("base64url"));
  }

  const mail = value.self_email_notification;
  if (rest.self_email_notification?.recipients) mail.recipients = distinct(mail.recipients);
  if (
    rest.self_email_notification?.sender?.server_id &&
    (await findServer(core, mail.sender.server_id))?.value.team_id !== form.team_id
  ) {
    const param = "self_email_notification.sender.server_id";
    throw wrongParameter(param, "must name an email server of the team");
  }
  if (patch.settings?.routing || rest.self_email_notification?.recipients) assertDestinations(value, at);
  return value;
}

/** Refuses a language that is not loaded. Throws `invalid_parameter`. */
function assertLanguage({ options }: Core, { settings }: HostFormPatch, at: SettingsAt): void {
  const language = settings?.language ?? AUTO;
  const { tags } = options.languages;
  if (language === AUTO || tags.includes(language)) return;
  const param = `${at}language`;
  throw new ApiError("invalid_parameter", {
    param,
    message: `\`${param}\` must be ${AUTO} or a loaded language: ${tags.join(", ")}.`,
  });
}

/** The address must be there when the email is made, and its texts must parse. Throws `invalid_parameter`. */
function assertOptIn(
  { double_opt_in: { enabled, field, ...texts }, fields }: FormRecord["settings"],
  { settings: sent }: HostFormPatch,
  at: SettingsAt,
): void {
  for (const name of ["subject", "message"] as const) {
    const fault = sent?.double_opt_in?.[name] === undefined ? null : templateFault(texts[name]);
    if (fault) throw wrongParameter(`${at}double_opt_in.${name}`, fault);
  }
  const store = policyOf(fields, field)?.store ?? "plain";
  if (!enabled || store === "plain" || store === "encrypt") return;
  const how = store === "hash" ? "kept as a hash" : "not stored";
  throw wrongParameter(
    `${at}double_opt_in.field`,
    `names "${field}", which is ${how}, so that no email could be sent to it`,
  );
}

/** Throws `invalid_parameter` for a form that would close before it opens. */
function assertAvailability(
  { availability }: FormRecord["settings"],
  { settings: sent }: HostFormPatch,
  at: SettingsAt,
): void {
  const { opens_at, closes_at } = availability;
  if (!sent?.availability || opens_at === null || closes_at === null || opens_at < closes_at) return;
  throw wrongParameter(`${at}availability.closes_at`, `must be later than \`opens_at\`, which is ${opens_at}`);
}

/** Throws `invalid_parameter` for ids that name no image of the form, and for files that are too large together. */
async function assertAttachments(
  core: Core,
  ids: readonly string[],
  form: string | null,
  at: SettingsAt,
): Promise<void> {
  const images = await core.rows.many("images", ids);
  let bytes = 0;
  for (const [i, id] of ids.entries()) {
    const image = images.get(id)?.value;
    const param = `${at}reply_attachments.${i}`;
    if (!image || image.form_id !== form)
      throw wrongParameter(param, "must be the id of an image or file of this form");
    bytes += image.size;
    if (bytes > MAX_REPLY_ATTACHMENT_BYTES)
      throw wrongParameter(param, "is too large: all files together may have 5 MB");
  }
}

/** The values are compared by their hash, so the form must get them as they are. Throws `invalid_parameter`. */
function assertUnique(
  { unique, fields }: FormRecord["settings"],
  { settings: sent }: HostFormPatch,
  at: SettingsAt,
): void {
  if (!sent?.unique && !sent?.fields) return;
  const stores = { encrypt: "encrypted", hash: "kept as a hash", drop: "not stored" } as const;
  for (const [i, name] of unique.fields.entries()) {
    const store = policyOf(fields, name)?.store ?? "plain";
    if (store === "plain") continue;
    throw wrongParameter(
      `${at}unique.fields.${i}`,
      `names "${name}", which is ${stores[store]}; a hash of such a value must not be kept`,
    );
  }
}

/** Throws `invalid_parameter` where a field is to be encrypted and the host has given no keys. */
function assertEncryption(
  { options }: Core,
  sent: Readonly<Record<string, FieldPolicyPatch | null>> = {},
  at: SettingsAt,
): void {
  if (options.encryption) return;
  const name = Object.keys(sent).find((one) => sent[one]?.store === "encrypt");
  if (name === undefined) return;
  throw wrongParameter(
    `${at}fields.${name}.store`,
    "can't be encrypt, because this service has no keys for it: its option `encryption` is not set",
  );
}

async function captchaOf(
  core: Core,
  before: FormRecord["spam"]["captcha"],
  patch: NonNullable<HostFormPatch["spam"]>["captcha"],
): Promise<FormRecord["spam"]["captcha"]> {
  const { secret_key: secret, provider } = patch ?? {};
  if (secret === "" || (provider === "none" && secret === undefined)) return { provider: "none", secret: "" };
  if (secret === undefined) {
    if (provider === undefined) return before;
    if (before.secret === "") {
      throw wrongParameter("spam.captcha.secret_key", "is required with a captcha provider");
    }
    return { ...before, provider };
  }
  const known = provider ?? providerOfSecret(secret);
  if (!known || known === "none") {
    const param = "spam.captcha.secret_key";
    throw new ApiError("invalid_parameter", {
      param,
      message: `\`${param}\` is not a secret of reCAPTCHA, hCaptcha, Turnstile or ALTCHA; copy the secret key, not the site key.`,
    });
  }
  return { provider: known, secret: await core.seal.seal(secret) };
}
