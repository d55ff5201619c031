import fc from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import { newSecret, signatures } from "../../../../src/features/webhooks/sign.ts";
import { verifyWebhook } from "../../../../src/features/webhooks/verify.ts";
import { runs } from "../../../_support/runs.ts";

const stripe = new Stripe("sk_test_unused");
const BODIES = runs(200, 1_000);
const now = () => Math.floor(Date.now() / 1_000);

/** JSON with every plane of Unicode, as the sender's own JSON.stringify writes it. */
const body = fc
  .record({
    type: fc.string({ unit: "binary" }),
    data: fc.jsonValue({ stringUnit: "binary" }),
    astral: fc.constantFrom("😀", "𝒳é", "𠮷"),
  })
  .map((value) => JSON.stringify(value));
const id = fc.stringMatching(/^msg_[0-9a-f]{24}$/);
const secret = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`);

/** Each verifier that a receiver may already use; all throw on a bad signature. */
const verifiers = {
  standardwebhooks: (raw: Buffer, headers: Record<string, string>, key: string) =>
    new StandardWebhook(key).verify(raw, headers),
  svix: (raw: Buffer, headers: Record<string, string>, key: string) => new SvixWebhook(key).verify(raw, headers),
  stripe: (raw: Buffer, headers: Record<string, string>, key: string) =>
    stripe.webhooks.constructEvent(raw, headers["X-Service-Signature"]!, key),
  "our own, both headers": (raw: Buffer, headers: Record<string, string>, key: string) =>
    verifyWebhook(raw, headers, key),
  "our own, service header": (raw: Buffer, headers: Record<string, string>, key: string) =>
    verifyWebhook(raw, { "X-Service-Signature": headers["X-Service-Signature"] }, key),
};

function flipBit(bytes: Uint8Array, position: number): Buffer {
  const flipped = Buffer.from(bytes);
  const bit = position % (flipped.length * 8);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
}

describe("other libraries verify what we sign (F16)", () => {
  test.each(Object.entries(verifiers))(
    `%s: ${BODIES} bodies verify, and none with one bit changed`,
    (_name, verify) => {
      fc.assert(
        fc.property(id, secret, body, fc.nat(), (webhookId, key, text, position) => {
          const raw = Buffer.from(text);
          const headers = signatures({ id: webhookId, timestamp: now(), body: text, secrets: [key] });
          expect(verify(raw, headers, key)).toEqual(JSON.parse(text));
          expect(() => verify(flipBit(raw, position), headers, key)).toThrow();
        }),
        { numRuns: BODIES },
      );
    },
  );

  test.each(Object.entries(verifiers))(
    "%s: the old and the new secret verify during a rotation, a third does not",
    (_name, verify) => {
      const [current, old, other] = [newSecret(), newSecret(), newSecret()];
      const raw = Buffer.from('{"a":"😀"}');
      const headers = signatures({ id: "msg_1", timestamp: now(), body: raw, secrets: [current, old] });
      expect(verify(raw, headers, current)).toEqual({ a: "😀" });
      expect(verify(raw, headers, old)).toEqual({ a: "😀" });
      expect(() => verify(raw, headers, other)).toThrow();
    },
  );
});

test("a new secret is whsec_ and the base64 of 32 bytes, and never the same", () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  for (const one of secrets) {
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(one.slice(6), "base64")).toHaveLength(32);
  }
  expect(new Set(secrets).size).toBe(100);
});

test("the headers have exactly the documented form", () => {
  // Computed with `openssl dgst -sha256 -mac HMAC`, independently of node:crypto.
  const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
  expect(
    signatures({
      id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
      timestamp: 1_795_236_625,
      body: '{"test":"€"}',
      secrets: [secret],
    }),
  ).toEqual({
    "webhook-id": "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
    "webhook-timestamp": "1795236625",
    "webhook-signature": "v1,eGkviMyOYJHwRDitzwSquNU9DSdKAF23im+yRX3uoWs=",
    "X-Service-Signature": "t=1795236625,v1=9e2a2002e8a67a2016fd50d57f632a498eab8cf442ed62c2e268dcd924076705",
  });
});

test("several secrets sign in order, under the host's header name, for text and bytes alike", () => {
  const secrets = [newSecret(), newSecret(), newSecret()];
  const input = { id: "msg_1", timestamp: 1_795_236_625, secrets, headerName: "X-Acme-Signature" };
  const headers = signatures({ ...input, body: "é😀" });
  expect(headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44} v1,\S{44}$/);
  expect(headers["X-Acme-Signature"]).toMatch(/^t=1795236625(,v1=[0-9a-f]{64}){3}$/);
  expect(Object.keys(headers)).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature", "X-Acme-Signature"]);
  expect(signatures({ ...input, body: new TextEncoder().encode("é😀") })).toEqual(headers);
});
