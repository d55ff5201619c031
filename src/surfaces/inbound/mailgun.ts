import { createHmac } from "node:crypto";
import { sameSecret } from "../../lib/secret.ts";
import type { InboundMail, InboundRequest, Received } from "../../model/inbound.ts";
import type { InboundProvider } from "../api/kernel.ts";
import { addressIn, inner, type Json, objectIn, textOf } from "./json.ts";
import { required } from "./options.ts";
import { answersOf, idsIn, parseMail } from "./parse.ts";
import { dmarcIn } from "./postmark.ts";

export interface MailgunInboundOptions {
  /** The HTTP webhook signing key, which is not the API key. */
  readonly signingKey: string;
}

/** The code of a mail that Mailgun gives up after failures for the moment. It calls this permanent, and the address may be sound. */
const TOO_OLD = "602";
/** A signature is refused if it is older, so that a recorded request is worth nothing. */
const LATE_MS = 120_000;

/**
 * Receives mail, bounces and complaints from Mailgun, at `/inbound/mailgun`: of a route, also one whose address ends in `/mime`, and of
 * webhooks. A request without a good signature gets 406, at which Mailgun does not repeat. Throws a TypeError for a missing option.
 *
 * @example
 * mailgunInbound({ signingKey: process.env.MAILGUN_SIGNING_KEY })
 */
export function mailgunInbound(options: MailgunInboundOptions): InboundProvider {
  const { signingKey } = required("mailgunInbound", options, ["signingKey"]);
  const isSigned = (timestamp: string, token: string, signature: string, now: number): boolean => {
    const expected = createHmac("sha256", signingKey)
      .update(timestamp + token)
      .digest("hex");
    if (!/^\d{1,12}$/.test(timestamp) || token === "" || !sameSecret(signature, expected)) return false;
    return Math.abs(now - Number(timestamp) * 1_000) <= LATE_MS;
  };
  return {
    name: "mailgun",
    stops: 406,
    async receive(request): Promise<Received> {
      const { headers, body, now } = request;
      if (/^application\/json\b/i.test(headers.get("content-type") ?? "")) {
        const message = objectIn(body);
        const signed = inner(message, "signature");
        const [timestamp, token, signature] = [
          textOf(signed, "timestamp"),
          textOf(signed, "token"),
          textOf(signed, "signature"),
        ];
        return isSigned(timestamp, token, signature, now)
          ? eventOf(inner(message, "event-data"), token)
          : { is: "forged", status: 406 };
      }
      const form = await formOf(request);
      if (!form) return { is: "forged", status: 406 };
      const text = (name: string): string => {
        const value = form.get(name);
        return typeof value === "string" ? value : "";
      };
      const token = text("token");
      if (!isSigned(text("timestamp"), token, text("signature"), now)) return { is: "forged", status: 406 };
      const mime = text("body-mime");
      const envelope = { recipients: text("recipient").split(",").map(addressIn), returnPath: text("sender") };
      try {
        const mail = mime === "" ? await mailOf(form, text) : await parseMail(new TextEncoder().encode(mime), envelope);
        return { is: "mail", mail, event: token };
      } catch (error) {
        return { is: "unreadable", status: 406, reason: String(error) };
      }
    },
  };
}

async function formOf({ headers, body }: InboundRequest): Promise<FormData | null> {
  const type = headers.get("content-type") ?? "";
  return new Response(body as Uint8Array<ArrayBuffer>, { headers: { "content-type": type } })
    .formData()
    .catch(() => null);
}

async function mailOf(form: FormData, text: (name: string) => string): Promise<InboundMail> {
  const headers = headersIn(text("message-headers"));
  const header = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1];
  const addresses = (value: string): string[] => (value === "" ? [] : value.split(",").map(addressIn));
  const files = [];
  for (const [, value] of form) {
    if (typeof value === "string") continue;
    files.push({ name: value.name, mime_type: value.type, content: new Uint8Array(await value.arrayBuffer()) });
  }
  return {
    messageId: idsIn(text("Message-Id") || header("message-id"))[0] ?? null,
    from: addressIn(text("from") || text("sender")),
    recipients: addresses(text("recipient")),
    to: addresses(text("To") || header("to") || ""),
    cc: addresses(text("Cc") || header("cc") || ""),
    subject: text("subject"),
    text: text("body-plain"),
    html: text("body-html"),
    answers: answersOf(text("In-Reply-To") || header("in-reply-to"), text("References") || header("references")),
    headers,
    files,
    returnPath: text("sender"),
    dmarc: dmarcIn(header("authentication-results")),
  };
}

/** `message-headers`: a list of pairs, as JSON. */
function headersIn(json: string): [string, string][] {
  try {
    const list: unknown = JSON.parse(json);
    if (!Array.isArray(list)) return [];
    return list
      .slice(0, 1_000)
      .flatMap((pair: unknown) =>
        Array.isArray(pair) ? [[String(pair[0]).toLowerCase(), String(pair[1])] as [string, string]] : [],
      );
  } catch {
    return [];
  }
}

function eventOf(data: Json, token: string): Received {
  const event = textOf(data, "event");
  const failed = event === "failed";
  if (!failed && event !== "complained") return { is: "nothing" };
  const status = inner(data, "delivery-status");
  const isOld = textOf(data, "reason") === "old" || textOf(status, "code") === TOO_OLD;
  const isHard = textOf(data, "severity") === "permanent" && !isOld;
  return {
    is: "bounces",
    event: textOf(data, "id") || token,
    bounces: [
      {
        kind: failed ? (isHard ? "hard" : "soft") : "complaint",
        email: textOf(data, "recipient"),
        ids: [textOf(inner(inner(data, "message"), "headers"), "message-id")],
        reason: textOf(status, "description") || textOf(status, "message") || textOf(data, "reason"),
      },
    ],
  };
}
