import { readBody } from "../../core/http/body.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import type { InboundProvider } from "../../core/options/inbound.ts";
import { ApiError } from "../../errors.ts";
import { traceOf } from "../../lib/message.ts";
import { jsonResponse } from "../../lib/response.ts";
import { type Bounce, MAX_MAIL_BYTES } from "../../model/inbound.ts";
import { acceptMail } from "./accept.ts";
import { bounced, takeEvent } from "./bounces.ts";
import { reportIn } from "./dsn.ts";

/** JSON has the files of a mail in base64, which is a third longer. */
const MOST_BYTES = Math.ceil((MAX_MAIL_BYTES * 4) / 3) + 1024 * 1024;

/** The addresses that mail services call: one for each provider of the option `inbound`, and none without it. */
export const inboundRoutes: readonly RawRoute[] = [
  {
    method: "POST",
    path: "/inbound/:name",
    handler: (exchange, params) => receive(exchange, params["name"] ?? ""),
  },
  // Mailgun sends the raw message where the address ends like this.
  {
    method: "POST",
    path: "/inbound/:name/mime",
    handler: (exchange, params) => receive(exchange, params["name"] ?? ""),
  },
];

async function receive(exchange: Exchange, name: string): Promise<Response> {
  const { core, request, url } = exchange;
  const { logger } = core.options;
  const provider = core.options.inbound?.providers.find((one) => one.name === name);
  if (!provider) throw new ApiError("not_found");
  const body = await bodyOf(request, provider);
  if (!body) {
    logger.warn(`inbound ${name}: a mail of more than ${MAX_MAIL_BYTES / 1024 / 1024} MB was refused`);
    return said(provider.stops, "too large");
  }
  const received = await provider
    .receive({ headers: request.headers, url, body, now: core.clock.now() })
    .catch((cause: unknown) => {
      logger.error(`inbound ${name}: ${traceOf(cause)}`);
      throw new ApiError("unavailable", { headers: { "retry-after": "60" }, cause });
    });
  switch (received.is) {
    case "forged":
      logger.warn(`inbound ${name}: a request without a valid signature or password was refused`);
      return said(received.status, "refused");
    case "unreadable":
      logger.warn(`inbound ${name}: a request could not be read: ${received.reason.slice(0, 200)}`);
      return said(received.status, "unreadable");
    case "nothing":
      return said(200, "ignored");
    case "bounces":
      return said(200, await report(exchange, name, "provider", received.bounces, received.event));
    case "mail": {
      const bounces = reportIn(received.mail);
      if (bounces) {
        const event = received.event ?? received.mail.messageId;
        return said(200, await report(exchange, name, "report", bounces, event));
      }
      const result = await acceptMail(core, received.mail, received.event);
      core.telemetry.count("form_backend.inbound", { provider: name, result });
      return said(200, result);
    }
  }
}

async function report(
  { core }: Exchange,
  name: string,
  from: "provider" | "report",
  bounces: readonly Bounce[],
  event: string | null,
): Promise<string> {
  if (event !== null && !(await takeEvent(core, name, event))) return "repeated";
  let known = 0;
  for (const bounce of bounces) if (await bounced(core, name, bounce, from)) known++;
  const result = known > 0 ? "bounced" : "unknown";
  core.telemetry.count("form_backend.inbound", { provider: name, result });
  return result;
}

/** Null for a body that is too large. */
const bodyOf = (request: Request, { name }: InboundProvider): Promise<Buffer | null> =>
  readBody(request, name === "raw" ? MAX_MAIL_BYTES : MOST_BYTES).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "payload_too_large") return null;
    throw error;
  });

const said = (status: number, result: string): Response => jsonResponse({ result }, status);
