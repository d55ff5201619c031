import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { DeliveryRequest } from "../../model/deliveries.ts";
import { isService } from "../../model/destinations.ts";
import { formatOf } from "../forms/webhook-config.ts";
import { urlOf } from "../forms/webhook-url.ts";
import { contentOf } from "../submissions/content.ts";
import { userAgentOf } from "../webhooks/user-agent.ts";
import { previewOf } from "./entries.ts";
import { eventOf } from "./event.ts";
import { signed } from "./webhook.ts";

/**
 * The request of a delivery: the body of every attempt, byte by byte, and its headers, signed as of now if `signs` is true. Null where
 * its webhook or its submission is gone, or what is sealed of the webhook can't be opened. The secret can't be found out of it.
 */
export async function deliveryRequestOf(
  core: Core,
  form: Row<"forms">,
  { id, value: job }: Row<"jobs">,
  signs: boolean,
): Promise<DeliveryRequest | null> {
  const webhook = form.value.webhooks.find((one) => one.id === job.target);
  const submission = webhook && (await contentOf(core, job.submission_id));
  if (!webhook || !submission) return null;
  if (isService(webhook.format)) {
    const body = await ifOpened(previewOf(core, webhook, webhook.format, await eventOf(core, form, job, submission)));
    return body === null
      ? null
      : { method: "POST", url: webhook.url, headers: { "Content-Type": "application/json" }, body };
  }
  const url = await ifOpened(urlOf(core, webhook));
  if (url === null) return null;
  const format = await ifOpened(Promise.resolve(formatOf(core, webhook)));
  if (format === null) return null;
  const event = await eventOf(core, form, job, submission);
  const body = await format.body(event, new URL(url));
  const message = { id, attempt: Math.max(1, job.attempt), type: job.event };
  const signature = signs && format.signed ? await ifOpened(signed(core, webhook, message, body)) : {};
  if (signature === null) return null;
  return {
    method: format.method ?? "POST",
    url: webhook.url,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": userAgentOf(core.options.brand),
      // Those of a destination's settings are secrets.
      ...ownHeaders({ ...format.headers, ...webhook.config?.headers }),
      ...signature,
    },
    body,
  };
}

/** Null for what is sealed under a secret that the host no longer has, or missing: nothing can be sent then either. */
const ifOpened = <T>(value: Promise<T>): Promise<T | null> => value.catch(() => null);

/** A format's headers, whose type takes the place of the usual one. */
const ownHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [/^content-type$/i.test(name) ? "Content-Type" : name, value]),
  );
