import { type PresetId, presets } from "../../model/presets.ts";
import type { Webhook, WebhookFormat } from "../../model/webhooks.ts";
import type { PublicRequest } from "./visit.ts";

/** A kind of target, as people choose it: a format, or a service with settings of the format `http`. */
export type Kind = WebhookFormat | PresetId;

/** The service as its users call it; names are the same in every language. */
const services: Partial<Record<Kind, string>> = {
  google_sheets: "Google Sheets",
  airtable: "Airtable",
  notion: "Notion",
  mailchimp: "Mailchimp",
  hubspot: "HubSpot",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  telegram: "Telegram",
  mattermost: "Mattermost",
  google_chat: "Google Chat",
  ntfy: "ntfy",
  ...Object.fromEntries(presets.map(({ id, service }) => [id, service])),
};

/** The tiles in the order of the page. `flat` is a choice within `standard`. */
export const groups = [
  { name: "tables", kinds: ["google_sheets", "airtable", "notion", "mailchimp", "hubspot"] },
  { name: "chats", kinds: ["slack", "discord", "teams", "telegram", "mattermost", "google_chat", "ntfy"] },
  { name: "more", kinds: presets.map(({ id }) => id) },
  { name: "programs", kinds: ["standard", "http"] },
] as const satisfies readonly { readonly name: string; readonly kinds: readonly Kind[] }[];

const all: readonly Kind[] = [...groups.flatMap(({ kinds }) => kinds), "flat"];

/** The kind that an address or a posted form names; null for any other text. */
export const kindOf = (text: string | null): Kind | null => all.find((kind) => kind === text) ?? null;

/** A kind as a tile and a heading name it. */
export function kindName({ t }: PublicRequest, kind: Kind): string {
  if (kind === "standard" || kind === "flat") return t.webhook.ownProgram();
  return services[kind] ?? t.webhook.anyApi();
}

/** A format as a list of webhooks names it. */
export function formatName(door: PublicRequest, format: WebhookFormat): string {
  if (format === "standard") return door.t.webhook.formatStandard();
  if (format === "flat") return door.t.webhook.formatFlat();
  return kindName(door, format);
}

/** Formats whose requests are signed, so that a receiver needs the secret. */
const signed: ReadonlySet<string> = new Set(["standard", "flat", "http"] satisfies WebhookFormat[]);
export const isSigned = (format: string): boolean => signed.has(format);

/** The address of a service is long and says little, so a table or a chat is called by its description or its service. */
export function titleOf(door: PublicRequest, { url, format, description }: Webhook): string {
  const isService = groups.some(
    ({ name, kinds }) => (name === "tables" || name === "chats") && kinds.some((kind) => kind === format),
  );
  return format !== undefined && isService ? description || formatName(door, format) : url;
}
