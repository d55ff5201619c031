import type { Core } from "../../core/core.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { addressPolicy, checkUrl } from "../../lib/net-guard.ts";
import { isMasked, maskUrl, sameMask } from "../../model/webhook-mask.ts";
import type { WebhookFormat, WebhookPatch, WebhookRecord } from "../../model/webhooks.ts";
import { facts } from "../webhooks/formats/table.ts";

/** The members of a webhook's record about the target of its requests. */
export type KeptUrl = Pick<WebhookRecord, "url" | "sealed_url" | "format">;

/** The whole URL of a webhook, for requests and comparisons alone. Throws where it was sealed under another secret. */
export async function urlOf(core: Core, { url, sealed_url }: KeptUrl): Promise<string> {
  return sealed_url === undefined ? url : core.seal.open(sealed_url);
}

/** A stored URL: sealed, and masked for responses, if anyone who knows it can post. */
export async function kept(core: Core, url: string, format: WebhookFormat): Promise<KeptUrl> {
  const { secret } = facts[format];
  return {
    url: secret ? maskUrl(url, format) : url,
    ...(secret && { sealed_url: await core.seal.seal(url) }),
    ...(format !== "standard" && { format }),
  };
}

/** Normalizes a URL from a caller. Throws `invalid_parameter` on `url`, or on `param` if the format does not fit. */
export function assertUrl(core: Core, sent: string, format: WebhookFormat, param: "url" | "format" = "url"): string {
  const refuse = (reason: string): ApiError =>
    new ApiError("invalid_parameter", { param, message: `\`${param}\`: ${reason}` });
  const { place } = facts[format];
  if (place === null) throw refuse(`${facts[format].service} has one address for all. Leave the URL out.`);
  if (place) {
    const read = place(sent);
    if ("url" in read) return read.url;
    throw refuse(param === "url" ? read.fault : `${read.fault} Send such a \`url\` too.`);
  }
  if (isMasked(sent)) throw refuse("The URL is masked. Send the whole URL, or leave it out to keep the stored one.");
  const { allowHttp, allowCidrs } = core.options.webhooks;
  const checked = checkUrl(sent, { allowHttp, policy: addressPolicy({ allowCidrs }) });
  if (!checked.ok) throw refuse(checked.reason);
  const { check, service, example } = facts[format];
  if (check(checked.url)) return checked.url.href;
  throw refuse(
    param === "url"
      ? `The URL is not one of ${service}, which look like ${example}.`
      : `The webhook's URL is not one of ${service}, which look like ${example}. Send such a \`url\` too.`,
  );
}

/** The same for a new webhook; `""` where the format has an address of its own. */
export function assertSent(core: Core, sent: string | undefined, format: WebhookFormat): string {
  if (sent !== undefined) return assertUrl(core, sent, format);
  if (facts[format].place === null) return "";
  throw wrongParameter("url", "is required");
}

/** The new URL of a webhook after a PATCH; null if it stays. A masked URL means the stored one. Throws `invalid_parameter`. */
export async function movedTo(core: Core, webhook: WebhookRecord, patch: WebhookPatch): Promise<string | null> {
  const before = webhook.format ?? "standard";
  const format = patch.format ?? before;
  // The service's own address, which follows from the settings.
  if (facts[format].place === null && (patch.url === undefined || patch.url === webhook.url)) return null;
  if (facts[before].place !== undefined && format !== before && patch.url === undefined) {
    throw new ApiError("invalid_parameter", {
      param: "url",
      message: `\`url\`: The webhook has no URL of its own for the format ${format}. Send one too.`,
    });
  }
  if (patch.url !== undefined && !(webhook.sealed_url !== undefined && sameMask(patch.url, webhook.url)))
    return assertUrl(core, patch.url, format);
  if (format === before) return null;
  // Otherwise, changing from a secret format to another would show the URL to callers who never knew it.
  if (facts[before].secret && !facts[format].secret) {
    throw new ApiError("invalid_parameter", {
      param: "url",
      message: `\`url\`: The URL is shown in the format ${format}, so send the whole URL to change the format.`,
    });
  }
  return assertUrl(core, await urlOf(core, webhook), format, "format");
}

/** Throws `webhook_url_taken` where another webhook of the form posts to this URL. */
export async function assertFree(
  core: Core,
  webhooks: readonly WebhookRecord[],
  url: string,
  except?: string,
): Promise<void> {
  for (const webhook of webhooks) {
    // One that can't be opened any more must not keep the others from being changed.
    const taken = webhook.id !== except && (await urlOf(core, webhook).catch(() => null)) === url;
    if (taken) throw new ApiError("webhook_url_taken", { param: "url" });
  }
}
