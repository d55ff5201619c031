import { describe, expect, it } from "vitest";
import { isEmail } from "../../../src/lib/email.ts";

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
