import { describe, expect, it } from "vitest";
import { scanSvg } from "../../../src/images/svg-scan.ts";

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
  ])("%s is refused, in a sheet and in an attribute", (css) => {
    expect(scanSvg(svg(`<style>${css}</style>`))).toHaveProperty("fault");
    expect(scanSvg(svg(`<g style='${css.replaceAll("'", "")}'/>`))).toHaveProperty("fault");
  });

  it("may refer to the image itself", () => {
    expect(scanSvg(svg("<style>a { fill: url(#b) }</style>"))).not.toHaveProperty("fault");
  });
});
