import type { Core } from "../../core/core.ts";
import { wrongParameter } from "../../errors.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { type DestinationConfigInput, hasOwnAddress, isDestination, isService, SET } from "../../model/destinations.ts";
import { isMaskedValue } from "../../model/webhook-mask.ts";
import type { WebhookFormat, WebhookRecord } from "../../model/webhooks.ts";
import { loadDestination, loadSettings } from "../webhooks/formats/destinations.ts";
import { formats } from "../webhooks/formats/table.ts";
import type { Config, RequestFormat } from "../webhooks/formats/types.ts";
import { urlOf } from "./webhook-url.ts";

/** The members of a webhook's record about the settings of its destination, and the URL that follows from them, if it does. */
interface KeptConfig extends Pick<WebhookRecord, "config" | "sealed_config"> {
  readonly address?: string;
}

/** The format of a webhook of one request for each delivery; a promise only where it has settings to open. */
export function formatOf(core: Core, webhook: WebhookRecord): RequestFormat | Promise<RequestFormat> {
  const name = webhook.format ?? "standard";
  if (!isDestination(name)) return formats[name];
  if (isService(name)) throw new Error(`[form-backend] ${name} is written by calls of its own`);
  return destinationOf(core, webhook);
}

async function destinationOf(core: Core, webhook: WebhookRecord) {
  return (await loadDestination()).format(await opened(core, webhook));
}

/** The whole settings. Throws where they were sealed under another secret. */
export const opened = async (core: Core, { sealed_config = "" }: KeptConfig): Promise<Config> =>
  JSON.parse(await core.seal.open(sealed_config)) as Config;

interface Asked {
  readonly format: WebhookFormat;
  readonly sent: DestinationConfigInput | undefined;
  /** The webhook before a PATCH, and its new URL if that changes. */
  readonly before?: WebhookRecord;
  readonly moved?: string | null;
}

/**
 * The settings of a webhook as stored: what was sent, over those that it has in the same format. Throws `invalid_parameter` at
 * `config`.
 */
export async function keptConfig(core: Core, { format, sent, before, moved }: Asked): Promise<KeptConfig> {
  if (!isDestination(format)) {
    if (sent === undefined) return {};
    throw wrongParameter("config", `belongs to a destination, and the format ${format} is none; leave it out`);
  }
  const stays = before?.format === format ? before : undefined;
  if (stays && sent === undefined && !moved) return membersOf(stays);
  // One that can't be opened any more must not keep the webhook from getting a new one.
  const stored = stays ? await opened(core, stays).catch(() => ({})) : {};
  const { complete, shown, address } = await loadSettings(format);
  const config = complete(merged(stored, sent ?? {}), core.options);
  if (stays && moved) await assertNoneTaken(core, { before: stays, moved, sent });
  return {
    config: shown(config),
    sealed_config: await core.seal.seal(JSON.stringify(config)),
    ...(address && { address: address(config, core.options.integrations) }),
  };
}

const membersOf = ({ config, sealed_config }: WebhookRecord): KeptConfig => ({
  ...(config !== undefined && { config }),
  ...(sealed_config !== undefined && { sealed_config }),
});

/** Members that name the account, and the list in it, of a service that has one address for all. */
const ACCOUNT = ["api_key", "list_id", "token"] as const;

/** True if a webhook to a service that has one address for all goes to another account than before. */
export async function hasOtherAccount(core: Core, before: WebhookRecord, after: WebhookRecord): Promise<boolean> {
  if (!hasOwnAddress(after.format ?? "standard")) return false;
  if (before.format !== after.format) return true;
  if (before.sealed_config === after.sealed_config) return false;
  const [old, now] = await Promise.all([opened(core, before).catch((): Config => ({})), opened(core, after)]);
  return ACCOUNT.some((name) => old[name] !== now[name]);
}

/** Maps, of which null removes an entry. */
const MAPS = ["merge_fields", "properties"] as const;
/** Secrets, which answers show as `"set"`. */
const SECRETS = ["credentials", "token", "api_key"] as const;

/** Members that were sent over stored ones; maps go in one another, and null removes a member or an entry. */
function merged(stored: Config, sent: DestinationConfigInput): Config {
  const result = new Map<string, unknown>(Object.entries({ ...stored, ...sent }));
  if (sent.headers)
    result.set("headers", mergedHeaders(stored["headers"] as Record<string, string> | undefined, sent.headers));
  for (const name of MAPS) {
    const entries = Object.entries({ ...(stored[name] as Record<string, string> | undefined), ...sent[name] });
    if (sent[name]) result.set(name, Object.fromEntries(entries.filter(([, value]) => value !== null)));
  }
  for (const name of SECRETS) {
    if (!isShown(sent[name])) continue;
    if (stored[name] === undefined) result.delete(name);
    else result.set(name, stored[name]);
  }
  for (const [name, value] of result) if (value === null) result.delete(name);
  return Object.fromEntries(result);
}

/** True if a secret is one that an answer showed, which stands for the stored one. */
const isShown = (value: unknown): boolean =>
  value === SET || (typeof value === "object" && value !== null && Reflect.get(value, "private_key") === SET);

function mergedHeaders(
  stored: Readonly<Record<string, string>> = {},
  sent: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const result = new Map(Object.entries(stored));
  // Letter case makes no difference to a name.
  const known = new Map(Object.keys(stored).map((name) => [name.toLowerCase(), name]));
  for (const [name, value] of Object.entries(sent)) {
    const old = known.get(name.toLowerCase());
    if (isMaskedValue(value)) {
      if (old !== undefined) continue;
      throw wrongParameter(`config.headers.${name}`, "is masked, and none is stored; send the whole value");
    }
    if (old !== undefined) result.delete(old);
    known.delete(name.toLowerCase());
    if (value !== null) result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Somebody who may change a webhook, but not read its secrets, must not have them sent to a server of their own. */
async function assertNoneTaken(
  core: Core,
  { before, moved, sent }: { before: WebhookRecord; moved: string; sent: DestinationConfigInput | undefined },
): Promise<void> {
  const old = await urlOf(core, before).catch(() => "");
  if (canParseUrl(old) && new URL(old).origin === new URL(moved).origin) return;
  const again = new Map(Object.entries(sent?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  for (const name of Object.keys(before.config?.headers ?? {})) {
    const value = again.get(name.toLowerCase());
    if (value !== undefined && !isMaskedValue(value)) continue;
    throw wrongParameter(
      `config.headers.${name}`,
      "would go to another server; send its whole value again, or null to remove it",
    );
  }
}
