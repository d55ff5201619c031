import { describe, expect, test } from "vitest";
import { type Palette, paletteOf, type Scheme } from "../../../../src/features/pages/palette.ts";
import { fancy } from "../../../../src/features/pages/themes/fancy.ts";
import { formal } from "../../../../src/features/pages/themes/formal.ts";
import { sweet } from "../../../../src/features/pages/themes/sweet.ts";
import { contrast, foreground, isGrey, mix, readable } from "../../../../src/lib/colour.ts";
import { runs } from "../../../_support/runs.ts";

/** WCAG 2.2: what is text against what lies under it (4.5), and the edges of controls against the card (3). */
const pairs: [front: keyof Palette, back: keyof Palette, ratio: number][] = [
  ["text", "card", 4.5],
  ["muted", "card", 4.5],
  ["error", "card", 4.5],
  ["accent", "card", 4.5],
  ["on_primary", "primary", 4.5],
  ["on_secondary", "secondary", 4.5],
  ["primary_edge", "card", 3],
  ["secondary_edge", "card", 3],
];

/** A fixed sequence, so that a failure can be run again. */
function randomColours(count: number): string[] {
  let state = 20_261_121;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
  return Array.from({ length: count }, () => `#${next().toString(16).padStart(6, "0")}`);
}

const RANDOM = runs(200, 1_000);
const colours = [
  ...randomColours(RANDOM),
  "#000000",
  "#ffffff",
  "#fff",
  "#000",
  "#777777",
  "#767676",
  "#ff0000",
  "#00ff00",
  "#0000ff",
  "#ffff00",
  "#00ffff",
  "#ff00ff",
];

describe.each(Object.entries({ fancy, formal, sweet }))("%s", (_, theme) => {
  test.each<Scheme>(["light", "dark"])(
    `%s: everything can be read with any of ${RANDOM} random colours and the extremes`,
    (scheme) => {
      const lowest = new Map<string, number>();
      for (const [at, primary] of colours.entries()) {
        const secondary = colours[(at * 7 + 3) % colours.length] ?? "#ffffff";
        for (const pair of [
          { primary, secondary },
          { primary, secondary: "#ffffff" },
          { primary, secondary: primary },
        ]) {
          const palette = paletteOf(scheme, pair, theme.surfaces(scheme, pair));
          for (const [front, back, ratio] of pairs) {
            const found = contrast(palette[front], palette[back]);
            expect(found, `${front} on ${back} with ${JSON.stringify(pair)}`).toBeGreaterThanOrEqual(ratio);
            lowest.set(front, Math.min(lowest.get(front) ?? 21, found));
          }
          for (const value of Object.values(palette)) expect(value).toMatch(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i);
        }
      }
      // Colours that are barely legal are among them, so the check above decides something.
      expect(lowest.get("on_primary")).toBeLessThan(4.8);
    },
  );

  test("stays light in light mode and dark in dark mode", () => {
    for (const primary of colours) {
      const pair = { primary, secondary: "#ffffff" };
      expect(contrast(theme.surfaces("light", pair).card, "#000000"), primary).toBeGreaterThan(15);
      expect(contrast(theme.surfaces("dark", pair).card, "#ffffff"), primary).toBeGreaterThan(12);
    }
  });
});

describe("colours", () => {
  test("contrast as WCAG defines it", () => {
    expect(contrast("#000", "#fff")).toBe(21);
    expect(contrast("#ffffff", "#FFFFFF")).toBe(1);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
    expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
    expect(contrast("#f00", "#ffffff")).toBeCloseTo(4.0, 1);
  });

  test("black or white on a colour, whichever reads better, is never below 4.58", () => {
    for (const colour of colours) {
      const chosen = contrast(foreground(colour), colour);
      expect(chosen, colour).toBeGreaterThanOrEqual(4.58);
      expect(chosen).toBe(Math.max(contrast("#000", colour), contrast("#fff", colour)));
    }
  });

  test("a readable shade is the colour itself where that suffices, and keeps its hue where not", () => {
    expect(readable("#2563eb", "#ffffff", 4.5)).toBe("#2563eb");
    expect(contrast(readable("#facc15", "#ffffff", 4.5), "#ffffff")).toBeGreaterThanOrEqual(4.5);
    expect(readable("#facc15", "#ffffff", 4.5)).not.toBe("#000000");
    for (const background of colours)
      expect(contrast(readable(background, background, 4.5), background), background).toBeGreaterThanOrEqual(4.5);
  });

  test("mix and isGrey", () => {
    expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
    expect(mix("#f00", "#00f", 0)).toBe("#ff0000");
    expect(mix("#f00", "#00f", 1)).toBe("#0000ff");
    expect([isGrey("#fff"), isGrey("#111827"), isGrey("#2563eb")]).toEqual([true, true, false]);
  });
});
