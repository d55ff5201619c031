import { domainToASCII } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { domainOf, isEmail } from "../../../src/lib/email.ts";
import { runs } from "../../_support/runs.ts";

describe("isEmail", () => {
  it.each([
    "a@x.co",
    "o'neil+tag@sub.example.com",
    "a/b=c%@x.co",
    "ü@bücher.example",
    "a@例え.jp",
    "a@xn--bcher-kva.example",
  ])("takes %s", (text) => expect(isEmail(text)).toBe(true));

  it.each([
    ...[
      "",
      "a",
      "@x.co",
      "a@",
      "a@x",
      "a@1.2",
      "a@x.co.",
      "a@.x.co",
      "a..b@x.co",
      "a b@x.co",
      "a@b@x.co",
      "A <a@x.co>",
      "a@x.co, b@x.co",
    ],
    // What a URL's host would drop or be cut at.
    ...["\n", "\r\n", "\t", " ", "/", "/b", "?b", "#b", "\\b", ":", ":25", "%00"].map((rest) => `a@x.co${rest}`),
    ...["a@x\n.co", "a@x%2eco", "a@[127.0.0.1]", "a@x.co\r\n/Bcc: b"],
  ])("refuses %j", (text) => expect(isEmail(text)).toBe(false));
});

describe("domainOf", () => {
  it("is the DNS name that the host parser of URLs makes, whether that parser was asked or not", () => {
    const label = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."abzAZ019-xXnN"), maxLength: 6 }),
      fc.constantFrom("xn--bcher-kva", "XN--a", "0x1", "255", "bücher", "例え", "ｅｘ", "a\u00ADb"),
    );
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
        expect(domainOf(`ann@${labels.join(".")}`)).toBe(domainToASCII(labels.join(".")));
      }),
      { numRuns: runs(2_000, 100_000) },
    );
  });
});
