import { describe, expect, it } from "vitest";
import { scanSteps, scanSvg } from "../../../../src/features/images/svg-scan.ts";

const svg = (inner: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;

describe("style of an SVG", () => {
  it.each([
    ['@import "https://evil.example/a.css";'],
    ['@im\\port "https://evil.example/a.css";'],
    ['@\\69mport "https://evil.example/a.css";'],
    ['a { background: image-set("https://evil.example/a.png" 1x) }'],
    ['a { background: -webkit-image-set("https://evil.example/a.png" 1x) }'],
    ["a { width: expression(alert(1)) }"],
    ["a { -moz-binding: url(#x) }"],
    ["a { fill: url(https://evil.example/a.svg) }"],
    ["a { fill: u\\rl(https://evil.example/a.svg) }"],
    ["a { fill: \\75 rl(//evil.example/a.svg) }"],
    ["a { fill: url( ' https://evil.example/a.svg') }"],
  ])("%s is refused, in a sheet and in an attribute", async (css) => {
    expect(await scanSvg(svg(`<style>${css}</style>`))).toHaveProperty("fault");
    expect(await scanSvg(svg(`<g style='${css.replaceAll("'", "")}'/>`))).toHaveProperty("fault");
  });

  it("may refer to the image itself", async () => {
    expect(await scanSvg(svg("<style>a { fill: url(#b) }</style>"))).not.toHaveProperty("fault");
  });
});

describe("long values", () => {
  const long = "7 ".repeat(40_000);
  it.each([
    [`<path d="M0 0L${long}"/>`],
    [`<image href="data:image/png;base64,${"A".repeat(80_000)}"/>`],
    [`<text><title>${long}</title></text>`],
  ])("%.20s is taken", async (inner) => {
    expect(await scanSvg(svg(inner))).not.toHaveProperty("fault");
  });

  it.each([
    [`<path d="url(#a)${long}"/>`],
    [`<path d="\\75rl(#a)${long}"/>`],
    [`<path style="fill:red;${long}"/>`],
    [`<image href="#${long}"/>`],
    [`<image href="data:image/svg+xml;base64,${"A".repeat(80_000)}"/>`],
    [`<image href="data:image/png;base64,${"A".repeat(80_000)}'"/>`],
    [`<path on="${long}"/>`],
  ])("%.20s is refused", async (inner) => {
    expect(await scanSvg(svg(inner))).toEqual({ fault: expect.stringContaining("has too long a value") });
  });
});

it("a drawing of many elements is scanned and weighed in as many steps", () => {
  const count = (inner: string): number => Array.from(scanSteps(svg(inner))).length;
  expect(count('<path d="M0 0h9"/>'.repeat(5_000))).toBeGreaterThanOrEqual(50);
  const styled = Array.from({ length: 100 }, (_, n) => `.c${n}{fill:url(#a)}`).join("");
  expect(count(`<style>${styled}</style>${"<g/>".repeat(5_000)}`)).toBeGreaterThanOrEqual(250);
});
