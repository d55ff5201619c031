import { RE2JS } from "re2js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { compilePattern } from "../../../src/lib/pattern.ts";
import { patternWeight } from "../../../src/lib/pattern-weight.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a pattern that would take long to compile is refused before", () => {
  it.each([
    ["repeats that the engine writes out", "(x{1000})?".repeat(50), "repeat counts"],
    ["repeats in repeats", "((((x{9}){10}){10})?)".repeat(20), "repeat counts"],
    ["a repeat of a long group", "((abcdefghij){22}){22}", "repeat counts"],
    ["repeats of groups with names, flags and classes", "(?P<n>(?i:[[:alpha:]\\]]\\x{41}){22}){200}", "repeat counts"],
    ["wide ranges without case", `(?i)${"[a-\u{1e943}]".repeat(60)}`, "classes"],
    ["wide ranges without case, as escapes", `(?i)[${"a-\\x{ffff}".repeat(50)}]`, "classes"],
    ["Unicode classes in a class", `[${"\\pL\\PL".repeat(84)}]`, "classes"],
    ["Unicode classes side by side", "\\pL\\PN".repeat(60), "classes"],
  ])("%s", async (_, source, what) => {
    const compile = vi.spyOn(RE2JS, "compile");
    expect(await compilePattern(source)).toEqual({
      error: expect.stringMatching(`^is too complex a pattern; use .*${what}`),
    });
    expect(compile).not.toHaveBeenCalled();
  });
});

it.each([
  "^[A-Z]{2}\\d+$",
  "^.{0,240}$",
  "^.{490}$",
  "^(?:a|b|c|d|e|f){1,200}$",
  "^\\p{L}[\\p{L} '-]{0,99}$",
  "(?i)^[^\\x{80}-\\x{10ffff}]+$",
  "(?i)[😀-🙏]{3}",
  "\\Q(x{1000})\\E\\{1000\\}[{1000}]",
  "^[]a-z]+[^]]*$",
  "\\pL{100}",
])("%s is taken as it always was", async (source) => {
  expect(await compilePattern(source)).toMatchObject({ cost: expect.any(Number) });
});

it("the estimate is never far below what the engine makes of it", async () => {
  for (const source of [
    "a{490}",
    "(a|b){120}",
    "((a{5}){5}){5}",
    "[a-z]{1,120}[a-z ]{1,120}",
    "(?:abc|de){0,70}",
    "\\Qabc\\E{90}",
  ]) {
    const pattern = (await compilePattern(source)) as { cost: number };
    expect(2 * patternWeight(source).size, source).toBeGreaterThan(pattern.cost - 10);
  }
});
