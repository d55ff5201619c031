import type { WebhookFormat } from "./webhooks.ts";

/**
 * A secret URL as responses show it: scheme, host, first segment of the path, `…`, and the last four characters, so its owner
 * can tell two of them apart.
 */
export function maskUrl(url: string, format: WebhookFormat): string {
  const { origin, pathname } = new URL(url);
  // Telegram's first segment contains the bot's token.
  const shown = format === "telegram" ? "bot" : `${pathname.split("/")[1] ?? ""}/`;
  return `${origin}/${shown}…${url.slice(-4)}`;
}

/** True if a URL is one that `maskUrl` made, as it is or as a URL parser writes it. No whole URL has the character. */
export const isMasked = (url: string): boolean => /…|%E2%80%A6/i.test(url);

/** True if a masked URL, in either spelling, is this one. */
export const sameMask = (sent: string, mask: string): boolean => sent.replace(/%E2%80%A6/gi, "…") === mask;

/** A secret value as responses show it: `…` and its last four characters, for which a short one is too short. */
export const maskValue = (value: string): string => `…${value.length >= 8 ? value.slice(-4) : ""}`;

/** True if a value is one that `maskValue` made. No header may have the character. */
export const isMaskedValue = (value: string | null | undefined): boolean => value?.startsWith("…") === true;
