import { createHmac } from "node:crypto";
import { sameSecret } from "../../lib/secret.ts";
import { type InboundMail, MAX_MAIL_BYTES, type Received } from "../../model/inbound.ts";
import type { InboundProvider } from "../api/kernel.ts";
import { addressIn, asObject, inner, type Json, listOf, objectIn, textOf } from "./json.ts";
import { required } from "./options.ts";
import { answersOf, idsIn } from "./parse.ts";
import { dmarcIn } from "./postmark.ts";

export interface ResendInboundOptions {
  /** The signing secret of the webhook, `whsec_…`. */
  readonly secret: string;
  /** An API key that may read received mail: the webhook itself has no text and no files. */
  readonly apiKey: string;
  /** Default: Resend's own API. */
  readonly apiUrl?: string;
}

const LATE_S = 300;
const API_MS = 20_000;
/** The most files of one mail that are fetched. */
const MOST_FILES = 50;

/**
 * Receives mail, bounces and complaints from Resend, at `/inbound/resend`. A request without a good signature (Svix, the same as Standard
 * Webhooks) gets 401. Throws a TypeError for a missing option.
 *
 * @example
 * resendInbound({ secret: process.env.RESEND_WEBHOOK_SECRET, apiKey: process.env.RESEND_API_KEY })
 */
export function resendInbound(options: ResendInboundOptions): InboundProvider {
  const {
    secret,
    apiKey,
    apiUrl = "https://api.resend.com",
  } = required("resendInbound", options, ["secret", "apiKey"]);
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return {
    name: "resend",
    stops: 413,
    async receive({ headers, body, now }): Promise<Received> {
      const read = (name: string): string => headers.get(`svix-${name}`) ?? headers.get(`webhook-${name}`) ?? "";
      const [id, timestamp] = [read("id"), read("timestamp")];
      const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
      const given = Array.from(read("signature").matchAll(/(?<![^ ,])v1,([^ ,]+)/g), ([, one]) => one as string);
      const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1_000 - Number(timestamp)) <= LATE_S;
      if (id === "" || !isRecent || !given.some((one) => sameSecret(one, expected)))
        return { is: "forged", status: 401 };
      const event = objectIn(body);
      if (!event) return { is: "unreadable", status: 400, reason: "its body is no JSON" };
      const data = inner(event, "data");
      switch (textOf(event, "type")) {
        case "email.received":
          return { is: "mail", mail: await mailOf(data), event: id };
        case "email.bounced":
        case "email.complained":
          return { is: "bounces", bounces: bouncesOf(textOf(event, "type"), data), event: id };
        default:
          return { is: "nothing" };
      }
    },
  };

  async function get(path: string): Promise<Json> {
    const response = await fetch(`${apiUrl}${path}`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(API_MS),
    });
    const found = response.ok ? asObject(await response.json()) : null;
    if (!found) throw new Error(`[form-backend] Resend answered ${response.status} to GET ${path}`);
    return found;
  }

  async function mailOf(data: Json): Promise<InboundMail> {
    const path = `/emails/receiving/${encodeURIComponent(textOf(data, "email_id"))}`;
    const mail = await get(path);
    const headers = Object.entries(inner(mail, "headers")).map(
      ([name, value]) => [name.toLowerCase(), String(value)] as const,
    );
    const header = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1];
    const addresses = (name: string): string[] => listOf(mail, name).map((one) => addressIn(String(one)));
    const files = [];
    let room = MAX_MAIL_BYTES;
    for (const one of listOf(mail, "attachments").slice(0, MOST_FILES)) {
      const file = asObject(one);
      const known = textOf(file, "download_url");
      const url =
        known || textOf(await get(`${path}/attachments/${encodeURIComponent(textOf(file, "id"))}`), "download_url");
      const content = await bytesOf(url, room);
      room -= content.length;
      files.push({ name: textOf(file, "filename"), mime_type: textOf(file, "content_type"), content });
    }
    return {
      messageId: idsIn(textOf(mail, "message_id"))[0] ?? (textOf(mail, "message_id") || null),
      from: addressIn(textOf(mail, "from")),
      recipients: [
        ...addresses("to"),
        ...addresses("cc"),
        ...addresses("bcc"),
        ...listOf(data, "received_for").map(String),
      ],
      to: addresses("to"),
      cc: addresses("cc"),
      subject: textOf(mail, "subject"),
      text: textOf(mail, "text"),
      html: textOf(mail, "html"),
      answers: answersOf(header("in-reply-to"), header("references")),
      headers,
      files,
      returnPath: header("return-path")?.trim().replace(/^<|>$/g, ""),
      dmarc: dmarcIn(header("authentication-results")),
    };
  }

  /** The bytes of a file. The address is Resend's, over https, or below `apiUrl`. */
  async function bytesOf(url: string, room: number): Promise<Uint8Array> {
    if (!url.startsWith("https://") && !url.startsWith(`${apiUrl}/`)) return new Uint8Array();
    const response = await fetch(url, { signal: AbortSignal.timeout(API_MS) });
    if (!response.ok) throw new Error(`[form-backend] Resend answered ${response.status} for a file`);
    if (Number(response.headers.get("content-length")) > room) return new Uint8Array();
    const bytes = new Uint8Array(await response.arrayBuffer());
    return bytes.length > room ? new Uint8Array() : bytes;
  }
}

const bouncesOf = (type: string, data: Json) => {
  const bounce = inner(data, "bounce");
  return listOf(data, "to").map((email) => ({
    kind:
      type === "email.complained"
        ? ("complaint" as const)
        : textOf(bounce, "type") === "Permanent"
          ? ("hard" as const)
          : ("soft" as const),
    email: addressIn(String(email)),
    ids: [textOf(data, "email_id"), textOf(data, "message_id")],
    reason: textOf(bounce, "message") || textOf(bounce, "subType"),
  }));
};
