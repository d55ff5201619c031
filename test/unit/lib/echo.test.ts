import { describe, expect, it } from "vitest";
import { withoutEcho, withoutValues } from "../../../src/lib/echo.ts";

describe("a text without what it repeats", () => {
  it.each([
    ["a run of 12 characters", "an echo of abcdefghijkl!", "abcdefghijkl", "an echo of […]!"],
    ["no run of 11", "an echo of abcdefghijk!", "abcdefghijk", "an echo of abcdefghijk!"],
    ["another case and other spaces", "bad: HELLO\n  Dear Visitor.", "hello dear visitor", "bad: […]."],
    ["JSON in JSON's escapes", String.raw`bad: zo\u00eb says \"hi\"; no`, 'Zoë says "hi"', "bad: […]; no"],
    ["JSON that was read", 'bad: Zoë says "hi"; no', String.raw`{"a":"Zo\u00eb says \"hi\""}`, "bad: […]; no"],
    ["a URL's escapes", "bad: zo%C3%AB%20says%20hi%20all. no", "zoë says hi all", "bad: […]. no"],
    ["HTML's escapes", "bad: &lt;b&gt;bold &#38; so on&#x2e; no", "<b>bold & so on.", "bad: […] no"],
    ["letters of several parts", "bad: cafe\u0301 cre\u0300me ole\u0301. no", "café crème olé", "bad: […]. no"],
    ["runs that overlap", "bad: abcabcabcabcabcabcabcabcabc. no", "abcabcabcabcabc", "bad: […]. no"],
    [
      "the start of a text that was cut",
      'HTTP 422: {"name":"Ann Unheard-of of Smallvil',
      "ann unheard-of of smallville",
      'HTTP 422: {"name":"[…]',
    ],
    ["capitals with a sigma at their end", "bad: ΓΕΩΡΓΙΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ. no", "ΓΕΩΡΓΙΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ", "bad: […]. no"],
    ["broken escapes", "100% of %zz &nosuch; \\", "nothing in common here", "100% of %zz &nosuch; \\"],
  ])("leaves out %s", (_, text, source, left) => {
    expect(withoutEcho(text, ["another source", source])).toBe(left);
  });

  it("takes time linear in the length of both, whatever they repeat", () => {
    for (const unit of ["x", "%41", "\\", "&amp;", "lorem ipsum ", "e\u0301", "%"]) {
      const source = unit.repeat(1_000_000 / unit.length);
      const started = performance.now();
      withoutEcho(unit.repeat(1_024 / unit.length), [source]);
      expect(performance.now() - started, unit).toBeLessThan(3_000);
    }
  });
});

describe("a text without values", () => {
  it.each([
    ["of any length", "Ann, ann@example.com, 4711", ["Ann", "ann@example.com", "4711"], "••, ••, ••"],
    ["in another case", "for ÖZLEM and İpek", ["özlem", "İPEK"], "for •• and ••"],
    ["the longest first", "Annabel and Ann", ["Ann", "Annabel"], "•• and ••"],
    ["none", "as it was", [], "as it was"],
  ])("leaves out %s", (_, text, values, left) => {
    expect(withoutValues(text, values, "••")).toBe(left);
  });

  it("takes time linear in the length of both, however long the values are", () => {
    const alike = Array.from({ length: 30 }, (_, n) => `${"a".repeat(33_000)}${n}`);
    const short = Array.from({ length: 500 }, (_, n) => `aaaaaaa${n}`);
    const text = "a".repeat(200_000);
    expect(withoutValues(text, [...alike, ...short], "•")).toBe("•");
    expect(withoutValues(`${text}b`, short, "•")).toBe(`${text}b`);
  });
});
