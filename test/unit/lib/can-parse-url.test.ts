import { expect, test } from "vitest";
import { canParseUrl } from "../../../src/lib/can-parse-url.ts";

test.each([
  ["https://example.com/a b", undefined, true],
  ["/a", undefined, false],
  ["/a", "https://example.com", true],
  ["/a", new URL("https://example.com"), true],
  ["https://", undefined, false],
  ["", undefined, false],
  ["", "https://example.com", true],
  ["https://[::1", undefined, false],
])("canParseUrl(%j, %s) is %s", (text, base, expected) => expect(canParseUrl(text, base)).toBe(expected));

// `URL.canParse` of Node 20 and 22 fails here: its compiled form reads the bytes of such text as UTF-8.
test("letters such as ü are read alike after 100,000 calls", () => {
  const refused = (url: string): number => {
    let count = 0;
    for (let call = 0; call < 50_000; call++) if (!canParseUrl(url)) count++;
    return count;
  };
  expect(refused("https://example.com/")).toBe(0);
  expect(refused("https://münchen.example/")).toBe(0);
});
