import { sameSecret } from "../../lib/secret.ts";
import type { Bounce, InboundMail, Received } from "../../model/inbound.ts";
import type { InboundProvider } from "../api/kernel.ts";
import { asObject, type Json, listOf, objectIn, textOf } from "./json.ts";
import { required } from "./options.ts";
import { answersOf, idsIn } from "./parse.ts";

export interface PostmarkInboundOptions {
  /** The user of the address that Postmark calls: `https://user:password@…/inbound/postmark`. */
  readonly user: string;
  /** The password of that address. */
  readonly password: string;
}

/** Notices of Postmark that say nothing against an address. */
const HARMLESS = new Set(["AutoResponder", "ChallengeVerification", "OpenRelayTest", "Subscribe", "Unsubscribe"]);
const HARD = new Set(["HardBounce", "BadEmailAddress"]);

/**
 * Receives mail, bounces and complaints from Postmark, at `/inbound/postmark`. Postmark signs nothing, so the address has a user and a
 * password; 403 for others, at which it does not repeat. Throws a TypeError for a missing option.
 *
 * @example
 * postmarkInbound({ user: "postmark", password: process.env.POSTMARK_PASSWORD })
 */
export function postmarkInbound(options: PostmarkInboundOptions): InboundProvider {
  const { user, password } = required("postmarkInbound", options, ["user", "password"]);
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  return {
    name: "postmark",
    stops: 403,
    async receive({ headers, body }): Promise<Received> {
      if (!sameSecret(headers.get("authorization") ?? "", expected)) return { is: "forged", status: 403 };
      const message = objectIn(body);
      if (!message) return { is: "unreadable", status: 403, reason: "its body is no JSON" };
      const type = textOf(message, "RecordType");
      if (type === "Bounce" || type === "SpamComplaint") {
        const bounce = bounceOf(message, type);
        return bounce
          ? { is: "bounces", bounces: [bounce], event: `${type} ${textOf(message, "ID")}` }
          : { is: "nothing" };
      }
      if (type !== "" && type !== "Inbound") return { is: "nothing" };
      return { is: "mail", mail: mailOf(message), event: textOf(message, "MessageID") || null };
    },
  };
}

function bounceOf(message: Json, record: string): Bounce | null {
  const type = textOf(message, "Type");
  if (HARMLESS.has(type)) return null;
  const complaint = record === "SpamComplaint" || type === "SpamComplaint";
  const hard = HARD.has(type) || message["Inactive"] === true;
  return {
    kind: complaint ? "complaint" : hard ? "hard" : "soft",
    email: textOf(message, "Email"),
    ids: [textOf(message, "MessageID")],
    reason: textOf(message, "Description") || type,
  };
}

function mailOf(message: Json): InboundMail {
  const full = (name: string): string[] => listOf(message, name).map((one) => textOf(asObject(one), "Email"));
  const headers = listOf(message, "Headers").map((one) => {
    const header = asObject(one);
    return [textOf(header, "Name").toLowerCase(), textOf(header, "Value")] as const;
  });
  const header = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1];
  const [to, cc] = [full("ToFull"), full("CcFull")];
  const path = header("return-path");
  return {
    messageId: idsIn(header("message-id"))[0] ?? null,
    from: textOf(asObject(message["FromFull"]), "Email") || textOf(message, "From"),
    recipients: [textOf(message, "OriginalRecipient"), ...to, ...cc, ...full("BccFull")],
    to,
    cc,
    subject: textOf(message, "Subject"),
    text: textOf(message, "TextBody"),
    html: textOf(message, "HtmlBody"),
    answers: answersOf(header("in-reply-to"), header("references")),
    headers,
    files: listOf(message, "Attachments").map((one) => {
      const file = asObject(one);
      return {
        name: textOf(file, "Name"),
        mime_type: textOf(file, "ContentType"),
        content: Buffer.from(textOf(file, "Content"), "base64"),
      };
    }),
    returnPath: path === undefined ? undefined : path.trim().replace(/^<|>$/g, ""),
    dmarc: dmarcIn(header("authentication-results")),
  };
}

/** The verdict in the header of RFC 8601. */
export const dmarcIn = (results: string | undefined): string | undefined =>
  /\bdmarc=([a-z]{1,20})/i.exec((results ?? "").slice(0, 4_096))?.[1]?.toLowerCase();
