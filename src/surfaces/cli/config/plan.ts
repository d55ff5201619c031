import { canParseUrl } from "../../../lib/can-parse-url.ts";
import { differences, type LeafChange } from "../../../lib/differences.ts";
import { hasOwnAddress, SET } from "../../../model/destinations.ts";
import { webhookNames } from "../../../model/form-as-code.ts";
import { withWebhooks } from "../../../model/routing.ts";
import { isMasked, maskUrl, maskValue } from "../../../model/webhook-mask.ts";
import { Failure } from "../failure.ts";
import type { DesiredForm } from "./desired.ts";
import type { LiveForm, LiveState } from "./live.ts";

type Plain = Readonly<Record<string, unknown>>;

/** A change of a webhook: made, changed or removed. */
export interface WebhookStep {
  readonly name: string;
  /** Null to create it. */
  readonly id: string | null;
  /** Null to delete it. */
  readonly changes: readonly LeafChange[] | null;
}

/** The work on one form. */
export interface FormStep {
  readonly action: "create" | "update" | "delete";
  readonly key: string;
  readonly live: LiveForm | null;
  readonly form: readonly LeafChange[];
  readonly settings: readonly LeafChange[];
  /** Whole policies of the fields that change: with a new `store`, the API resets members that are not sent. */
  readonly policies: Plain;
  /** The whole target of submissions that no rule matches, which the API replaces. */
  readonly otherwise: unknown;
  readonly webhooks: readonly WebhookStep[];
  /** Paths whose values are never shown. */
  readonly secret: ReadonlySet<string>;
}

/** All steps, in the order of the file; deletions last. */
export function planOf(wanted: ReadonlyMap<string, DesiredForm>, state: LiveState, prune: boolean): FormStep[] {
  const steps = [...wanted].map(([key, desired]) => stepOf(key, desired, state.keyed.get(key) ?? null));
  const pruned = prune ? [...state.keyed].filter(([key]) => !wanted.has(key)) : [];
  return [
    ...steps.filter(
      ({ action, form, settings, webhooks }) =>
        action === "create" || form.length + settings.length + webhooks.length > 0,
    ),
    ...pruned.map(
      ([key, live]): FormStep => ({
        action: "delete",
        key,
        live,
        form: [],
        settings: [],
        policies: {},
        otherwise: null,
        webhooks: [],
        secret: new Set(),
      }),
    ),
  ];
}

function stepOf(key: string, desired: DesiredForm, live: LiveForm | null): FormStep {
  if (!live && typeof desired.form["name"] !== "string") {
    throw new Failure(`\`forms.${key}.name\` is required, because there is no form with the key ${key} yet.`);
  }
  const secret = new Set([...desired.secret, "spam.captcha.secret_key"]);
  const names = webhookNames(live?.form.webhooks ?? []);
  // A routing names webhooks as the file does.
  const named = ({ routing, ...rest }: Plain): Plain =>
    routing === undefined ? rest : { ...rest, routing: withWebhooks(routing, (id) => names.get(id) ?? id) };
  const wanted = named({ ...desired.settings, key });
  const settings = differences(wanted, named(live?.settings ?? {}), ["settings"]);
  const touched = settings.flatMap(({ path: [, leaf, name = ""] }) => (leaf === "fields" ? [name] : []));
  const policies = (desired.settings["fields"] ?? {}) as Plain;
  return {
    action: live ? "update" : "create",
    key,
    live,
    form: differences(desired.form, live ? comparable(live, desired.form) : {}),
    settings,
    policies: Object.fromEntries(touched.map((name) => [name, policies[name]])),
    otherwise: (wanted["routing"] as Plain | undefined)?.["otherwise"],
    webhooks: [...desired.webhooks].flatMap(([name, webhook]) => webhookStep(key, name, webhook, live, secret)),
    secret,
  };
}

/** The live form with the leaf that nobody can read: a captcha secret that is set counts as the wanted one. */
function comparable({ form }: LiveForm, wanted: Plain): Plain {
  const sent = (wanted["spam"] as { captcha?: { secret_key?: string } } | undefined)?.captcha?.secret_key;
  if (sent === undefined) return form;
  const { captcha } = form.spam;
  const secret_key = captcha.secret_key_set ? sent || "(set)" : "";
  return { ...form, spam: { ...form.spam, captcha: { ...captcha, secret_key } } };
}

function webhookStep(
  key: string,
  name: string,
  wanted: Plain | null,
  live: LiveForm | null,
  secret: Set<string>,
): WebhookStep[] {
  const found = (live?.form.webhooks ?? []).filter(({ id, description }) => description === name || id === name);
  if (found.length > 1)
    throw new Failure(`The form ${key} has several webhooks with the description "${name}". Rename one.`);
  const [webhook] = found;
  if (!wanted) return webhook ? [{ name, id: webhook.id, changes: null }] : [];
  const at = ["webhooks", name];
  const headers = headersOf(wanted);
  for (const header of Object.keys(headers)) secret.add(`webhooks.${name}.config.headers.${header}`);
  for (const at of ["credentials", "credentials.private_key", "token", "api_key"])
    secret.add(`webhooks.${name}.config.${at}`);
  if (!webhook) {
    if (wanted["url"] === undefined && !hasOwnAddress(String(wanted["format"])))
      throw new Failure(`\`forms.${key}.webhooks.${name}.url\` is required.`);
    if (isMasked(String(wanted["url"])))
      throw new Failure(`\`forms.${key}.webhooks.${name}.url\` is a masked URL, not the whole one.`);
    return [{ name, id: null, changes: differences(wanted, {}, at) }];
  }
  const format = webhook.format ?? "standard";
  if (isMasked(webhook.url)) secret.add(`webhooks.${name}.url`);
  const url = String(wanted["url"] ?? "");
  // The API shows part of such a URL; if that part is the same, so is the URL.
  const same = isMasked(webhook.url) && canParseUrl(url) && maskUrl(url, format) === webhook.url;
  const config = webhook.config && comparableConfig(webhook.config, wanted, headers);
  const changes = differences(wanted, { ...webhook, format, ...(config && { config }), ...(same && { url }) }, at);
  return changes.length > 0 ? [{ name, id: webhook.id, changes }] : [];
}

/** The live settings with what nobody can read: a secret that is set counts as the wanted one. */
function comparableConfig(live: Plain, wanted: Plain, headers: Plain): Plain {
  const sent = (wanted["config"] ?? {}) as Plain;
  const secrets = Object.keys(live).filter((name) => isSet(live[name]) && Object.hasOwn(sent, name));
  return {
    ...live,
    ...(live["headers"] !== undefined && { headers: comparableHeaders(live["headers"] as Plain, headers) }),
    ...Object.fromEntries(secrets.map((name) => [name, sent[name]])),
  };
}

const isSet = (shown: unknown): boolean =>
  shown === SET || (typeof shown === "object" && shown !== null && Reflect.get(shown, "private_key") === SET);

const headersOf = ({ config }: Plain): Plain => ((config ?? {}) as { headers?: Plain }).headers ?? {};

/** The live headers, which the API shows masked: one whose shown part is the same counts as the wanted one. */
const comparableHeaders = (live: Plain = {}, wanted: Plain): Plain =>
  Object.fromEntries(
    Object.entries(live).map(([name, masked]) => {
      const value = wanted[name];
      return [name, typeof value === "string" && maskValue(value) === masked ? value : masked];
    }),
  );
