import { createHash } from "node:crypto";
import { sameSecret } from "../../lib/secret.ts";
import type { Received } from "../../model/inbound.ts";
import type { InboundProvider } from "../api/kernel.ts";
import { required } from "./options.ts";
import { parseMail } from "./parse.ts";
import { dmarcIn } from "./postmark.ts";

export interface RawInboundOptions {
  /** Sent as `Authorization: Bearer …`. */
  readonly secret: string;
}

/**
 * Receives raw messages (`message/rfc822`) at `/inbound/raw`, from a pipe of Postfix or Exim, or `email()` of Cloudflare. `?to=` and
 * `?from=` are the addresses of the envelope. 401 without the secret. Throws a TypeError for a missing option.
 *
 * @example
 * rawInbound({ secret: process.env.INBOUND_SECRET })
 */
export function rawInbound(options: RawInboundOptions): InboundProvider {
  const { secret } = required("rawInbound", options, ["secret"]);
  return {
    name: "raw",
    stops: 413,
    async receive({ headers, url, body }): Promise<Received> {
      const token = /^Bearer +(.*\S) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
      if (!sameSecret(token, secret)) return { is: "forged", status: 401 };
      if (body.length === 0) return { is: "unreadable", status: 400, reason: "the body is empty" };
      try {
        const mail = await parseMail(body, {
          recipients: url.searchParams.getAll("to"),
          returnPath: url.searchParams.get("from") ?? undefined,
        });
        const dmarc = dmarcIn(mail.headers.find(([name]) => name === "authentication-results")?.[1]);
        const event = mail.messageId ? null : createHash("sha256").update(body).digest("hex");
        return { is: "mail", mail: { ...mail, dmarc }, event };
      } catch (error) {
        return { is: "unreadable", status: 400, reason: String(error) };
      }
    },
  };
}
