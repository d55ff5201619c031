import { sameSecret } from "../../lib/secret.ts";
import { SIGNATURE_HEADER } from "../../lib/signature-header.ts";
import type { Submission } from "../../model/submissions.ts";
import { serviceSignature, standardSignature } from "./sign.ts";

/** The body of a webhook request. */
export interface WebhookEvent {
  /** Name of the event, such as `submission.created`. */
  type: string;
  /** Time of the event, ISO 8601 UTC; the same on every attempt. */
  timestamp: string;
  /** The submission as it was when the event happened. */
  data: Omit<Submission, "read">;
}

/** Headers as any server hands them over: a web `Headers`, or node's plain object (names in any case). */
export type IncomingHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

export interface VerifyOptions {
  /** Allowed difference between the request's time and now, in seconds; default 300. */
  toleranceSeconds?: number;
  /** Epoch ms taken as now; default the machine's clock. */
  now?: number;
  /** The name the sender gave its signature header; default `X-Service-Signature`. */
  header?: string;
}

/**
 * Checks that a webhook request comes from this service and is recent. Returns its parsed body. Pass the body exactly as it
 * arrived: parsing and serialising it changes its bytes. `secret` may be a list while a receiver changes over. Throws an Error
 * if a header is missing, the time is outside the tolerance, no signature matches, or the body is not JSON.
 *
 * @example const event = verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET);
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: IncomingHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now(), header = SIGNATURE_HEADER }: VerifyOptions = {},
): WebhookEvent {
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new TypeError("[form-backend] verifyWebhook: pass the raw body (a string or bytes), not a parsed one.");
  }
  const given: unknown = secret;
  const secrets = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === "string" && one !== "");
  if (secrets.length === 0)
    throw new TypeError(
      "[form-backend] verifyWebhook: pass the webhook's secret as the third argument; it is missing or empty, as from a variable that is not set.",
    );
  if (typeof headers !== "object" || headers === null)
    throw new TypeError("[form-backend] verifyWebhook: pass the request's headers as the second argument.");

  const standard = read(headers, "webhook-signature");
  const {
    timestamp,
    given: signatures,
    expected,
  } = standard === undefined ? readService(headers, header) : readStandard(headers, standard);
  if (!(Math.abs(now / 1_000 - timestamp) <= toleranceSeconds)) {
    throw new Error(`[form-backend] Webhook refused: its time differs from now by more than ${toleranceSeconds} s.`);
  }
  const matches = secrets.some((one) => {
    const signature = expected(one, rawBody);
    return signatures.some((candidate) => sameSecret(candidate, signature));
  });
  if (!matches) throw new Error("[form-backend] Webhook refused: no signature matches the body and secret.");
  try {
    return JSON.parse(typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody)) as WebhookEvent;
  } catch (cause) {
    throw new Error("[form-backend] Webhook refused: the body is not JSON.", { cause });
  }
}

interface Claim {
  timestamp: number;
  given: string[];
  expected: (secret: string, body: string | Uint8Array) => string;
}

function readStandard(headers: IncomingHeaders, signature: string): Claim {
  const id = required(headers, "webhook-id");
  const timestamp = seconds(required(headers, "webhook-timestamp"));
  // Compared as text: decoding would accept several spellings of one signature.
  const given = Array.from(signature.matchAll(/(?<![^ ,])v1,([^ ,]+)/g), ([, value]) => value!);
  return { timestamp, given, expected: (secret, body) => standardSignature(secret, id, timestamp, body) };
}

function readService(headers: IncomingHeaders, name: string): Claim {
  const parts = required(headers, name).split(/[ ,]+/);
  const values = (key: string) =>
    parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1));
  const timestamp = seconds(values("t")[0] ?? "");
  return { timestamp, given: values("v1"), expected: (secret, body) => serviceSignature(secret, timestamp, body) };
}

function seconds(text: string): number {
  // Leading zeros are refused, or one signed time would have two spellings.
  if (!/^[1-9]\d{0,11}$/.test(text))
    throw new Error("[form-backend] Webhook refused: its time is not in unix seconds.");
  return Number(text);
}

function required(headers: IncomingHeaders, name: string): string {
  const value = read(headers, name);
  if (value === undefined) throw new Error(`[form-backend] Webhook refused: the header ${name} is missing.`);
  return value;
}

function read(headers: IncomingHeaders, name: string): string | undefined {
  if (typeof headers.get === "function") return (headers as Headers).get(name) ?? undefined;
  const wanted = name.toLowerCase();
  const entry = Object.entries(headers).find(([key, value]) => key.toLowerCase() === wanted && value !== undefined);
  return Array.isArray(entry?.[1]) ? entry[1].join(" ") : (entry?.[1] as string | undefined);
}
