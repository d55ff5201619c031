import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deriveKey, KID_LENGTH, toSecret } from "../../../src/lib/secrets.ts";
import { createSigner } from "../../../src/lib/signer.ts";

const [old, next] = [toSecret("the old secret of the signer tests"), toSecret("the new secret of the signer tests")];
const signer = (...secrets: (typeof old)[]) => createSigner(() => secrets, "test");

describe("a signer", () => {
  it("names the secret in the signature, and takes that of each secret that is listed", () => {
    const signature = signer(old).sign("text");
    expect(signature.slice(0, KID_LENGTH)).toBe(old.kid);
    expect(signer(next, old).verify("text", signature)).toBe(true);
    expect(signer(next).verify("text", signature)).toBe(false);
    expect(signer(next, old).verify("another", signature)).toBe(false);
    expect(signer(next, old).sign("text").slice(0, KID_LENGTH)).toBe(next.kid);
  });

  it("refuses a signature of one secret under the name of another", () => {
    const signature = next.kid + signer(old).sign("text").slice(KID_LENGTH);
    expect(signer(next, old).verify("text", signature)).toBe(false);
  });

  it("takes signatures from before secrets had names", () => {
    const unnamed = createHmac("sha256", deriveKey(old.text, "test")).update("text").digest("base64url");
    expect(signer(next, old).verify("text", unnamed)).toBe(true);
    expect(signer(next).verify("text", unnamed)).toBe(false);
  });

  it("conceals a text alike whatever the order of the secrets, and differently for each purpose", () => {
    const name = signer(next, old).conceal("text");
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(signer(old, next).conceal("text")).toBe(name);
    expect(signer(next, old).conceal("another")).not.toBe(name);
    expect(createSigner(() => [next, old], "other").conceal("text")).not.toBe(name);
  });
});
