import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { textFinder } from "../../../src/lib/text-finder.ts";

it("finds what `includes` finds", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "😀", "\ud83d") });
  fc.assert(
    fc.property(letters, letters, letters, fc.nat({ max: 30 }), (wanted, before, after, times) => {
      const long = wanted.repeat(times);
      for (const text of [before + long + after, before + long.slice(1) + after, before])
        expect(textFinder(long)(text)).toBe(text.includes(long));
    }),
    { numRuns: 1_000 },
  );
});

it("reads each character of a hostile text a few times at most", () => {
  const wanted = `${"a".repeat(2_500)}b${"a".repeat(2_499)}`;
  const find = textFinder(wanted);
  const read = vi.spyOn(String.prototype, "charCodeAt");
  expect(find("a".repeat(20_000))).toBe(false);
  expect(read.mock.calls.length).toBeLessThan(5 * 20_000);
  read.mockRestore();
});
