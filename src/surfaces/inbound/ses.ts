import type { Bounce, Received } from "../../model/inbound.ts";
import type { InboundProvider } from "../api/kernel.ts";
import { asObject, inner, type Json, listOf, objectIn, textOf } from "./json.ts";
import { required } from "./options.ts";
import { parseMail } from "./parse.ts";
import { isAmazon, snsVerifier } from "./sns.ts";

export interface SesInboundOptions {
  /** The ARN of the topic that SES notifies. Others are refused, whoever has signed them. */
  readonly topicArn: string;
  /** Reads an object of S3: needed where SES stores mails there, as it must for those above 150 KB. */
  readonly read?: (bucket: string, key: string) => Promise<Uint8Array> | Uint8Array;
  /** Returns the certificate of a signature in PEM. Default: fetches it from Amazon. */
  readonly certificate?: (url: string) => Promise<string> | string;
}

const CONFIRM_MS = 10_000;

/**
 * Receives mail, bounces and complaints from Amazon SES over an SNS topic, at `/inbound/ses`, and confirms the topic's subscription. A
 * message that Amazon has not signed for this topic gets 401. Throws a TypeError for a missing option.
 *
 * @example
 * sesInbound({ topicArn: "arn:aws:sns:eu-west-1:123456789012:mail" })
 */
export function sesInbound(options: SesInboundOptions): InboundProvider {
  const { topicArn, read, certificate } = required("sesInbound", options, ["topicArn"]);
  const isSigned = snsVerifier(certificate);
  return {
    name: "ses",
    stops: 413,
    async receive({ body }): Promise<Received> {
      const message = objectIn(body);
      if (!message || textOf(message, "TopicArn") !== topicArn) return { is: "forged", status: 401 };
      if (!(await isSigned(message).catch(() => false))) return { is: "forged", status: 401 };
      if (textOf(message, "Type") === "SubscriptionConfirmation") {
        const url = textOf(message, "SubscribeURL");
        if (!isAmazon(url)) return { is: "forged", status: 401 };
        const { ok, status } = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(CONFIRM_MS) });
        if (!ok) throw new Error(`[form-backend] Amazon answered ${status} to the confirmation of ${topicArn}`);
        return { is: "nothing" };
      }
      if (textOf(message, "Type") !== "Notification") return { is: "nothing" };
      const event = textOf(message, "MessageId");
      const told = objectIn(textOf(message, "Message"));
      switch (textOf(told, "notificationType") || textOf(told, "eventType")) {
        case "Received":
          return received(told, event);
        case "Bounce":
          return { is: "bounces", bounces: bouncesOf(told), event };
        case "Complaint":
          return { is: "bounces", bounces: complaintsOf(told), event };
        default:
          return { is: "nothing" };
      }
    },
  };

  async function received(told: Json | null, event: string): Promise<Received> {
    const receipt = inner(told, "receipt");
    const action = inner(receipt, "action");
    const content = textOf(told, "content");
    const encoding = textOf(action, "encoding") === "BASE64" ? "base64" : "utf8";
    const bytes =
      content !== ""
        ? Buffer.from(content, encoding)
        : await read?.(textOf(action, "bucketName"), textOf(action, "objectKey"));
    if (!bytes)
      return { is: "unreadable", status: 413, reason: "the mail is in S3, and sesInbound has no option `read`" };
    const envelope = {
      recipients: listOf(receipt, "recipients").map(String),
      returnPath: textOf(inner(told, "mail"), "source"),
      dmarc: textOf(inner(receipt, "dmarcVerdict"), "status").toLowerCase() || undefined,
    };
    try {
      return { is: "mail", mail: await parseMail(bytes, envelope), event };
    } catch (error) {
      return { is: "unreadable", status: 413, reason: String(error) };
    }
  }
}

const idsOf = (told: Json | null): string[] => {
  const mail = inner(told, "mail");
  return [textOf(mail, "messageId"), textOf(inner(mail, "commonHeaders"), "messageId")];
};

function bouncesOf(told: Json | null): Bounce[] {
  const bounce = inner(told, "bounce");
  const kind = textOf(bounce, "bounceType") === "Permanent" ? "hard" : "soft";
  return listOf(bounce, "bouncedRecipients").map((one) => {
    const recipient = asObject(one);
    const reason = textOf(recipient, "diagnosticCode") || textOf(bounce, "bounceSubType");
    return { kind, email: textOf(recipient, "emailAddress"), ids: idsOf(told), reason };
  });
}

function complaintsOf(told: Json | null): Bounce[] {
  const complaint = inner(told, "complaint");
  const reason = textOf(complaint, "complaintFeedbackType");
  // Somebody took a mail out of the spam folder.
  if (reason === "not-spam") return [];
  return listOf(complaint, "complainedRecipients").map((one) => ({
    kind: "complaint",
    email: textOf(asObject(one), "emailAddress"),
    ids: idsOf(told),
    reason,
  }));
}
