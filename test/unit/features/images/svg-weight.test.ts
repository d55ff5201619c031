import { describe, expect, it } from "vitest";
import { readSvg } from "../../../../src/features/images/svg.ts";
import { scanSvg } from "../../../../src/features/images/svg-scan.ts";

const svg = (inner: string): string => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inner}</svg>`;
const fault = async (inner: string): Promise<string | undefined> => {
  const scanned = await scanSvg(svg(inner));
  return "fault" in scanned ? scanned.fault : undefined;
};
const times = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join("");
/** Level n stands for `wide` of level n - 1. */
const levels = (
  count: number,
  wide: number,
  part: (n: number, below: string) => string,
  below: (n: number) => string,
): string => times(count, (n) => part(n, n === 0 ? "<rect width='1' height='1'/>" : times(wide, () => below(n - 1))));

describe("an SVG that would be drawn for ever", () => {
  it.each([
    [
      "use in use",
      levels(
        9,
        10,
        (n, inner) => `<g id="a${n}">${inner}</g>`,
        (n) => `<use href="#a${n}"/>`,
      ),
    ],
    [
      "use in use by xlink",
      levels(
        9,
        10,
        (n, inner) => `<g id="a${n}">${inner}</g>`,
        (n) => `<use xlink:href="#a${n}"/>`,
      ),
    ],
    [
      "symbols in definitions that are used",
      `<defs>${levels(
        9,
        10,
        (n, inner) => `<symbol id="a${n}">${inner}</symbol>`,
        (n) => `<use href="#a${n}"/>`,
      )}</defs><use href="#a8"/>`,
    ],
    [
      "patterns in patterns",
      `${levels(
        6,
        1,
        (n, inner) => `<pattern id="p${n}">${inner}</pattern>`,
        (n) => `<rect fill="url(#p${n})"/>`,
      )}<rect fill="url(#p5)"/>`,
    ],
    [
      "patterns in patterns by style",
      `<style>${times(6, (n) => `.c${n}{fill:u\\rl( "#p${n}")}`)}</style>${levels(
        6,
        1,
        (n, inner) => `<pattern id="p${n}">${inner}</pattern>`,
        (n) => `<rect class="x c${n}"/>`,
      )}<rect class="c5"/>`,
    ],
    [
      "masks in masks",
      `${levels(
        18,
        2,
        (n, inner) => `<mask id="m${n}">${inner}</mask>`,
        (n) => `<rect mask="url('#m${n}')"/>`,
      )}<rect style="mask:url(#m17)"/>`,
    ],
    [
      "many filters",
      `<filter id="f">${"<feGaussianBlur stdDeviation='9'/>".repeat(60)}</filter>${times(60, () => '<rect filter="url(#f)"/>')}`,
    ],
    ["noise without end", '<filter id="f"><feTurbulence numOctaves="1000000"/></filter><rect filter="url(#f)"/>'],
    ["a huge matrix", '<filter id="f"><feConvolveMatrix order="900 900"/></filter><rect filter="url(#f)"/>'],
    [
      "a marker at each of many points",
      `<marker id="m">${times(100, () => "<rect/>")}</marker><path marker-mid="url(#m)" d="M0 0${" L1 1".repeat(3000)}"/>`,
    ],
    [
      "style for all",
      `<filter id="f">${"<feFlood/>".repeat(50)}</filter><style>svg > * { filter: url(#f) }</style>${times(60, () => "<g/>")}`,
    ],
  ])("is refused: %s", async (_, inner) => {
    expect(await fault(inner)).toMatch(/^stands for too many elements/);
    expect(await readSvg(Buffer.from(svg(inner)))).toHaveProperty("fault");
  });

  it.each([
    ["a use of what it is in", '<g id="a"><use href="#a"/></g>'],
    ["two that use each other", '<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'],
    ["a pattern of itself", '<pattern id="p"><rect fill="url(#p)"/></pattern><rect fill="url(#p)"/>'],
    [
      "by an animation",
      '<pattern id="p"><rect><animate attributeName="fill" to="url(#p)"/></rect></pattern><rect fill="url(#p)"/>',
    ],
  ])("is refused: %s", async (_, inner) => {
    expect(await fault(inner)).toMatch(/^refers to itself/);
  });

  it("is weighed in steps that grow with its size alone", async () => {
    const style = times(2_000, (n) => `.c${n}{fill:url(#a)}`);
    expect(await fault(`<style>${style}</style>${times(2_000, () => "<g/>")}`)).toMatch(/too much style/);
    const one = "<style>g,g,g,g,g{fill:url(#a) url(#b)}</style>";
    expect(await fault(`${times(501, () => one)}<g/>`)).toMatch(/too much style/);
    expect(await fault(`<style>${"x ".repeat(150_000)}</style>`)).toMatch(/too much style/);
    expect(await fault(`<style>${"x ".repeat(100_000)}</style>`)).toBeUndefined();
    expect(await fault(`<g style="fill:url(${" ".repeat(60_000)}"/>`)).toBeUndefined();
    expect(await fault(`<filter id="f"><feMorphology radius="${"1 ".repeat(30_000)}"/></filter>`)).toBeUndefined();
    const deep = times(250, (n) => `<g id="d${n}">${n > 0 ? `<use href="#d${n - 1}"/>` : ""}</g>`);
    expect(await fault(deep), "a long chain is no wide one").toBeUndefined();
  });
});

describe("an SVG as programs write it", () => {
  it.each([
    [
      "gradients by class",
      `<defs><style>.a{fill:url(#g)}.b{fill:url(#h)}</style><linearGradient id="g"><stop/></linearGradient><linearGradient id="h" href="#g"/></defs>${times(500, () => '<path class="a"/><path class="b"/>')}`,
    ],
    ["icons that are used", `<symbol id="i"><path/><path/></symbol>${times(1_000, () => '<use href="#i"/>')}`],
    [
      "a shadow on each card",
      `<filter id="s"><feOffset/><feGaussianBlur stdDeviation="3"/><feMerge><feMergeNode/></feMerge></filter>${times(100, () => '<g filter="url(#s)"><rect/></g>')}`,
    ],
    [
      "arrows",
      `<marker id="m"><path d="M0 0L1 1"/></marker>${times(200, () => '<path marker-end="url(#m)" d="M0 0L5 5L9 9"/>')}`,
    ],
    ["a link to its top and moving parts", '<g id="top"><a href="#top"><text>up</text></a><animate href="#top"/></g>'],
    [
      "a texture",
      '<filter id="t"><feTurbulence baseFrequency="0.9" numOctaves="4"/></filter><pattern id="p"><rect filter="url(#t)"/></pattern><rect fill="url(#p)"/>',
    ],
  ])("is taken: %s", async (_, inner) => {
    expect(await fault(inner)).toBeUndefined();
  });
});
