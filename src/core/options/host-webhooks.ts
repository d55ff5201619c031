import { createHash } from "node:crypto";
import { z } from "zod";
import { addressPolicy, checkUrl } from "../../lib/net-guard.ts";
import { type HostEvent, hostEvents } from "../../model/host-events.ts";

/** A webhook of the host's own, for what happens to teams, forms and keys. */
export interface HostWebhookOptions {
  /** An https URL; `webhooks.allowHttp` and `webhooks.allowCidrs` hold for it too. Each URL stands in the list once. */
  url: string;
  /** Signs the requests, as Standard Webhooks defines it: `whsec_` and the base64 of 24 to 64 random bytes. */
  secret: string;
  /** The events that are sent. */
  events: HostEvent[];
}

/** The same, with the id that its deliveries have as their target. */
export interface HostWebhook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly events: ReadonlySet<HostEvent>;
}

const isSecret = (value: string): boolean => {
  const text = value.replace(/^whsec_/, "");
  const { length } = Buffer.from(text, "base64");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64;
};

export const HostWebhooksSchema = z
  .array(
    z.strictObject({
      url: z.string(),
      secret: z
        .string()
        .refine(isSecret, "must be `whsec_` and the base64 of 24 to 64 random bytes, as of `openssl rand -base64 32`"),
      events: z
        .array(z.enum(hostEvents, `must be one of ${hostEvents.join(", ")}`))
        .min(1, "must name at least one event"),
    }),
  )
  .max(10, "must be at most 10 webhooks")
  .default([]);

/** Checks the URLs and names each webhook by its URL. Throws a TypeError that names the option. */
export function resolveHostWebhooks(
  given: z.output<typeof HostWebhooksSchema>,
  { allowHttp, allowCidrs }: { allowHttp: boolean; allowCidrs: readonly string[] },
): readonly HostWebhook[] {
  const webhooks = given.map(({ url: sent, secret, events }, at): HostWebhook => {
    const checked = checkUrl(sent, { allowHttp, policy: addressPolicy({ allowCidrs: [...allowCidrs] }) });
    if (!checked.ok) throw new TypeError(`[form-backend] option \`hostWebhooks.${at}.url\`: ${checked.reason}`);
    const url = checked.url.href;
    const id = `host_${createHash("sha256").update(url).digest("hex").slice(0, 24)}`;
    return { id, url, secret, events: new Set(events) };
  });
  for (const [at, { url }] of webhooks.entries())
    if (webhooks.findIndex((one) => one.url === url) !== at)
      throw new TypeError(
        `[form-backend] option \`hostWebhooks.${at}.url\`: is in the list twice; name all its events in one entry`,
      );
  return webhooks;
}
