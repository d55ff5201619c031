import { createHmac, randomBytes } from "node:crypto";
import { SIGNATURE_HEADER } from "../../lib/signature-header.ts";

const PREFIX = "whsec_";

/** A new webhook secret: `whsec_` and the base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

/** The input of a signature. */
export interface SignatureInput {
  /** The delivery's `webhook-id`; contains no dot. */
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  /** Exactly the bytes that are sent. */
  body: string | Uint8Array;
  /** The current secret, then each older one that still signs during a rotation. */
  secrets: readonly string[];
  /** Name of the second signature header; default `X-Service-Signature`. */
  headerName?: string;
}

/** The signature headers of one attempt: Standard Webhooks, and the `t=…,v1=…` form under `headerName`. */
export function signatures({
  id,
  timestamp,
  body,
  secrets,
  headerName = SIGNATURE_HEADER,
}: SignatureInput): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => `v1,${standardSignature(secret, id, timestamp, body)}`).join(" "),
    [headerName]: [
      `t=${timestamp}`,
      ...secrets.map((secret) => `v1=${serviceSignature(secret, timestamp, body)}`),
    ].join(","),
  };
}

/** Base64 HMAC-SHA256 of `id.timestamp.body`, as standardwebhooks.com defines it: the key is the decoded secret. */
export function standardSignature(secret: string, id: string, timestamp: number, body: string | Uint8Array): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}

/** Hex HMAC-SHA256 of `timestamp.body`; the key is the secret's text, so this is never a valid value of the other signature. */
export function serviceSignature(secret: string, timestamp: number, body: string | Uint8Array): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}
