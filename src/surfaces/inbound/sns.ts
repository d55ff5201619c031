import { createVerify, X509Certificate } from "node:crypto";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { type Json, textOf } from "./json.ts";

/** The hosts of Amazon's notifications: nobody else can have a certificate or a subscription there. */
const HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?$/;
const FETCH_MS = 10_000;
const KEPT = 20;

/** The members that are signed, in this order. */
const signedOf: Readonly<Record<string, readonly string[]>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

/** True for an address of Amazon's own notification service, over https. */
export function isAmazon(url: string): boolean {
  if (!canParseUrl(url)) return false;
  const { protocol, hostname, port, username } = new URL(url);
  return protocol === "https:" && port === "" && username === "" && HOST.test(hostname);
}

/** Checks the signature of an SNS message by its certificate, which is fetched only from Amazon. */
export function snsVerifier(
  certificate: (url: string) => Promise<string> | string = fetched,
): (message: Json) => Promise<boolean> {
  const known = new Map<string, string>();
  return async (message) => {
    const url = textOf(message, "SigningCertURL");
    const members = signedOf[textOf(message, "Type")];
    const version = textOf(message, "SignatureVersion");
    if (!members || !isAmazon(url) || !url.endsWith(".pem") || (version !== "1" && version !== "2")) return false;
    const pem = known.get(url) ?? (await certificate(url));
    const signed = members
      .filter((name) => message[name] !== undefined)
      .map((name) => `${name}\n${textOf(message, name)}\n`)
      .join("");
    const verify = createVerify(version === "1" ? "RSA-SHA1" : "RSA-SHA256").update(signed);
    const isGood = verify.verify(new X509Certificate(pem).publicKey, textOf(message, "Signature"), "base64");
    if (isGood && known.size < KEPT) known.set(url, pem);
    return isGood;
  };
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok)
    throw new Error(`[form-backend] the certificate of Amazon's notifications answered ${response.status}`);
  return response.text();
}
