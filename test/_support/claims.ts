import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** A promise of a page, in its own words, and a check that shows it. */
export interface Claim {
  readonly page: string;
  readonly sentence: string;
  readonly check: () => Promise<void>;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

/** Declares a test of each claim. */
export function checked(claims: readonly Claim[]): void {
  describe.each(claims)("$page: $sentence", ({ page, sentence, check }) => {
    it("stands on the page", () => {
      expect(oneLine(readFileSync(page, "utf8"))).toContain(oneLine(sentence));
    });

    it("is so", check);
  });
}
