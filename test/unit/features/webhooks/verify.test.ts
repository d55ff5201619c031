import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newSecret, signatures } from "../../../../src/features/webhooks/sign.ts";
import { verifyWebhook } from "../../../../src/features/webhooks/verify.ts";

const secret = newSecret();
const timestamp = 1_795_236_625;
const now = timestamp * 1_000;
const body = '{"type":"submission.created","timestamp":"2026-11-21T04:16:00.123Z","data":{"name":"Zoë 😀"}}';
const headers = signatures({ id: "msg_0123456789abcdef01234567", timestamp, body, secrets: [secret] });
const { "X-Service-Signature": service, ...standard } = headers;

describe("what verifyWebhook accepts", () => {
  test.each([
    ["a plain object", headers],
    [
      "node's lower-case names",
      Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value])),
    ],
    [
      "other spellings of the names",
      Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value])),
    ],
    ["a web Headers", new Headers(headers)],
    ["values in lists", Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, [value]]))],
    ["the Standard Webhooks headers alone", standard],
    ["the service header alone", { "X-Service-Signature": service }],
    ["the service header beside an absent one", { "webhook-signature": undefined, "X-Service-Signature": service }],
  ])("%s", (_case, given) => {
    expect(verifyWebhook(body, given, secret, { now })).toEqual(JSON.parse(body));
    expect(verifyWebhook(Buffer.from(body), given, secret, { now })).toEqual(JSON.parse(body));
  });

  test("a service header under the sender's own name", () => {
    const renamed = signatures({ id: "msg_1", timestamp, body, secrets: [secret], headerName: "X-Acme-Signature" });
    const only = { "x-acme-signature": renamed["X-Acme-Signature"] };
    expect(verifyWebhook(body, only, secret, { now, header: "X-Acme-Signature" }).type).toBe("submission.created");
    expect(() => verifyWebhook(body, only, secret, { now })).toThrow("the header X-Service-Signature is missing");
  });

  test("signature headers that a proxy split into lines or joined with commas", () => {
    const [first, second] = [
      signatures({ id: "msg_1", timestamp, body, secrets: [newSecret()] }),
      signatures({ id: "msg_1", timestamp, body, secrets: [secret] }),
    ];
    const given = { ...second, "webhook-signature": [first["webhook-signature"]!, second["webhook-signature"]!] };
    expect(verifyWebhook(body, given, secret, { now })).toBeTruthy();
    const joined = { ...second, "webhook-signature": given["webhook-signature"].join(", ") };
    expect(verifyWebhook(body, joined, secret, { now })).toBeTruthy();
  });

  test("any of several secrets", () => {
    expect(verifyWebhook(body, headers, [newSecret(), secret], { now })).toBeTruthy();
    expect(() => verifyWebhook(body, headers, [newSecret(), newSecret()], { now })).toThrow("no signature matches");
  });

  test("the tolerance is 300 s both ways, to the second, and can be changed", () => {
    for (const distance of [-300_000, 300_000])
      expect(verifyWebhook(body, headers, secret, { now: now + distance })).toBeTruthy();
    for (const distance of [-300_001, 300_001]) {
      expect(() => verifyWebhook(body, headers, secret, { now: now + distance })).toThrow("more than 300 s");
    }
    expect(verifyWebhook(body, headers, secret, { now: now + 3_600_000, toleranceSeconds: 3_600 })).toBeTruthy();
    expect(() => verifyWebhook(body, headers, secret, { now: now + 2_000, toleranceSeconds: 1 })).toThrow(
      "more than 1 s",
    );
    expect(() => verifyWebhook(body, headers, secret, { now: Number.NaN })).toThrow("more than 300 s");
  });

  test("the machine's clock by default", () => {
    const fresh = signatures({ id: "msg_1", timestamp: Math.floor(Date.now() / 1_000), body, secrets: [secret] });
    expect(verifyWebhook(body, fresh, secret)).toBeTruthy();
    expect(() =>
      verifyWebhook(body, signatures({ id: "msg_1", timestamp: 1_000_000_000, body, secrets: [secret] }), secret),
    ).toThrow("differs from now");
  });
});

describe("what verifyWebhook refuses", () => {
  const { "webhook-id": _id, ...withoutId } = standard;
  const { "webhook-timestamp": _time, ...withoutTime } = standard;

  test.each([
    ["no headers at all", {}, "the header X-Service-Signature is missing"],
    ["no webhook-id", withoutId, "the header webhook-id is missing"],
    ["no webhook-timestamp", withoutTime, "the header webhook-timestamp is missing"],
    ["a time with leading zeros", { ...standard, "webhook-timestamp": `0${timestamp}` }, "not in unix seconds"],
    ["a time in milliseconds", { ...standard, "webhook-timestamp": `${now}` }, "not in unix seconds"],
    ["a time that is a word", { "X-Service-Signature": service!.replace(/t=\d+/, "t=now") }, "not in unix seconds"],
    [
      "a service header without a time",
      { "X-Service-Signature": service!.replace(/t=\d+,/, "") },
      "not in unix seconds",
    ],
    ["a service header without a signature", { "X-Service-Signature": `t=${timestamp}` }, "no signature matches"],
    ["an empty signature", { ...standard, "webhook-signature": "v1," }, "no signature matches"],
    [
      "another version",
      { ...standard, "webhook-signature": standard["webhook-signature"]!.replace("v1", "v2") },
      "no signature matches",
    ],
    [
      "the service signature as the standard one",
      { ...standard, "webhook-signature": `v1,${service!.split("v1=")[1]}` },
      "no signature matches",
    ],
    [
      "a wrong standard signature beside a right service one",
      { ...headers, "webhook-signature": "v1,AAAA" },
      "no signature matches",
    ],
    [
      "upper-case hex",
      { "X-Service-Signature": service!.toUpperCase().replace("T=", "t=").replace("V1=", "v1=") },
      "no signature matches",
    ],
    [
      "unpadded base64",
      { ...standard, "webhook-signature": standard["webhook-signature"]!.replace("=", "") },
      "no signature matches",
    ],
  ])("%s", (_case, given, message) => {
    expect(() => verifyWebhook(body, given, secret, { now })).toThrow(message);
  });

  test("a body that was parsed already, with a hint", () => {
    expect(() => verifyWebhook(JSON.parse(body) as string, headers, secret, { now })).toThrow("pass the raw body");
  });

  test.each([[""], [[]], [[""]]])("no secret: %j", (none) => {
    expect(() => verifyWebhook(body, headers, none, { now })).toThrow("pass the webhook's secret");
  });

  test.each([[null], [undefined], ["a text"]])("no headers: %j", (none) => {
    expect(() => verifyWebhook(body, none as never, secret, { now })).toThrow("pass the request's headers");
  });

  test("a signed body that is not JSON, with what is wrong with it", () => {
    const signed = signatures({ id: "msg_1", timestamp, body: "{", secrets: [secret] });
    expect(() => verifyWebhook("{", signed, secret, { now })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("the body is not JSON"),
        cause: expect.any(SyntaxError),
      }),
    );
  });

  test("every single-bit change of a header", () => {
    const flip = (text: string, bit: number) =>
      text.slice(0, bit >> 3) +
      String.fromCharCode(text.charCodeAt(bit >> 3) ^ (1 << (bit & 7))) +
      text.slice((bit >> 3) + 1);
    const refused = (given: Record<string, string>) =>
      expect(() => verifyWebhook(body, given, secret, { now })).toThrow("[form-backend] Webhook refused");
    for (const [name, value] of Object.entries(standard)) {
      for (let bit = 0; bit < value.length * 8; bit++) refused({ ...standard, [name]: flip(value, bit) });
    }
    for (let bit = 0; bit < service!.length * 8; bit++) refused({ "X-Service-Signature": flip(service!, bit) });
  });

  test("any headers a stranger may send, always with an Error and never with another fault", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("webhook-id", "webhook-timestamp", "webhook-signature", "x-service-signature", "get"),
          fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined)),
        ),
        (given) => {
          expect(() => verifyWebhook(body, given, secret, { now })).toThrow(/^\[form-backend\] Webhook refused: /);
        },
      ),
    );
  });
});
