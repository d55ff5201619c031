import type { z } from "zod";
import { canParseUrl } from "../../../lib/can-parse-url.ts";
import { distinct } from "../../../lib/email.ts";
import { parseInput } from "../../../lib/input.ts";
import { isPlain } from "../../../lib/merge.ts";
import { FormPatch } from "../../../model/form-input.ts";
import { FormSettingsPatch } from "../../../model/form-settings.ts";
import { WebhookPatch } from "../../../model/webhooks.ts";
import { ApiError } from "../../client/index.ts";
import { Failure, misuse } from "../failure.ts";
import type { Io } from "../io.ts";
import { type LoadedConfig, variableOf } from "./load.ts";

type Plain = Readonly<Record<string, unknown>>;

/** A form as the file wants it, with the values of variables. */
export interface DesiredForm {
  readonly form: Plain;
  readonly settings: Plain;
  readonly webhooks: ReadonlyMap<string, Plain | null>;
  /** Paths of values from variables, such as `webhooks.crm.url`. */
  readonly secret: ReadonlySet<string>;
}

/** The forms of a file by key. Throws `Failure` for a value that the API would refuse, and a misuse for a variable that is not set. */
export function desiredForms({ forms, file }: LoadedConfig, { env }: Pick<Io, "env">): Map<string, DesiredForm> {
  return new Map(
    Object.entries(forms).map(([key, given]) => {
      const secret = new Set<string>();
      const value = resolved(given, [], secret, env, `forms.${key}`) as Plain;
      return [key, { ...parsed(key, value, file), secret }];
    }),
  );
}

/** The value with each marker replaced by its variable. `list` is the path of the outermost list around it. */
function resolved(
  value: unknown,
  path: readonly string[],
  secret: Set<string>,
  env: Io["env"],
  at: string,
  list?: readonly string[],
): unknown {
  const inside = (inner: unknown, member: string | number, within = list) =>
    resolved(inner, [...path, String(member)], secret, env, at, within);
  if (Array.isArray(value)) return value.map((entry, i) => inside(entry, i, list ?? path));
  if (!isPlain(value)) return value;
  const name = variableOf(value);
  if (name !== null) {
    const text = env[name];
    if (text === undefined || text === "") throw misuse(`${name} is not set, which \`${at}.${path.join(".")}\` needs.`);
    // A list is compared as a whole, so that it is hidden as one.
    secret.add((list ?? path).join("."));
    return text;
  }
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, inside(inner, member)]));
}

/** A URL as the API keeps it. */
const asStored = <T extends { url?: string | undefined }>(webhook: T): T =>
  webhook.url !== undefined && canParseUrl(webhook.url) ? { ...webhook, url: new URL(webhook.url).href } : webhook;

/** Recipients as the API keeps them: an address once. */
function withoutRepeats(form: z.output<typeof FormPatch>): typeof form {
  const mail = form.self_email_notification;
  return mail?.recipients
    ? { ...form, self_email_notification: { ...mail, recipients: distinct(mail.recipients) } }
    : form;
}

function parsed(
  key: string,
  { settings = {}, webhooks = {}, ...form }: Plain,
  file: string,
): Omit<DesiredForm, "secret"> {
  const at = `forms.${key}`;
  const check = <T>(parse: () => T, within: string): T => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new Failure(`${file}: in \`${within}\`: ${error.message}`);
    }
  };
  if (!isPlain(webhooks)) throw new Failure(`${file}: \`${at}.webhooks\` must be an object.`);
  return {
    form: check(() => withoutRepeats(parseInput(FormPatch, form)), at) as Plain,
    settings: check(() => parseInput(FormSettingsPatch, settings), `${at}.settings`) as Plain,
    webhooks: new Map(
      Object.entries(webhooks).map(([name, webhook]) => {
        if (webhook === null) return [name, null];
        const within = `${at}.webhooks.${name}`;
        if (isPlain(webhook) && "description" in webhook) {
          throw new Failure(`${file}: \`${within}.description\`: the name ${name} is the description; leave it out.`);
        }
        return [name, check(() => asStored(parseInput(WebhookPatch, webhook)), within) as Plain];
      }),
    ),
  };
}
