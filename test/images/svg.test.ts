import { describe, expect, it } from "vitest";
import { readSvg } from "../../src/images/svg.ts";
import { svg } from "./_images.ts";

const faultOf = (file: Uint8Array): string | null => {
  const read = readSvg(file);
  return read && "fault" in read ? read.fault : null;
};
const raw = (text: string) => Buffer.from(text);
const DATA_PNG = "data:image/png;base64,iVBORw0KGgo=";

describe("an SVG that is taken", () => {
  it.each<[string, Buffer]>([
    ["an XML declaration", raw(`<?xml version="1.0" encoding="UTF-8"?>\n<svg width="30" height="20"/>`)],
    [
      "a byte order mark and comments",
      raw(`\uFEFF<?xml version="1.0"?><!-- by hand --><svg width='30px' height="20.4"></svg>\n<!-- end -->`),
    ],
    ["a prefix", raw('<s:svg xmlns:s="http://www.w3.org/2000/svg" width="30" height="20"><s:path d="M0 0"/></s:svg>')],
    [
      "references and CDATA",
      svg("<title>A &amp; B &#x3c; &#60;</title><style><![CDATA[.a > .b { fill: red }]]></style>"),
    ],
    [
      "references to its own parts",
      svg(
        '<defs><g id="a"/></defs><use xlink:href="#a"/><use href=" #a"/><rect fill="url(#g)" style="filter:url( \'#f\' )"/>',
      ),
    ],
    ["a raster image within", svg(`<image xlink:href="${DATA_PNG}"/><style>.a{background:url(${DATA_PNG})}</style>`)],
    ["an animation", svg('<circle r="1"><animate attributeName="r" values="1;2" dur="1s"/></circle>')],
    [
      "editors' metadata",
      svg(
        '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><cc:Work xmlns:cc="http://creativecommons.org/ns#" rdf:about=""/></rdf:RDF></metadata>',
      ),
    ],
    [
      "words that only look alike",
      svg('<text inkscape:label="Metadata: x">on click, javascript: the data:text of a script</text>'),
    ],
  ])("has %s", (_, file) => {
    expect(readSvg(file)).toEqual({ width: 30, height: 20 });
  });

  it.each([
    ["", null, null],
    ['width="100%" height="20"', null, 20],
    ['width="3cm" height="2em"', null, null],
    ['width="12.6" height="7px"', 13, 7],
    ['width="0.5in" height="" viewBox="0 0 1 1"', null, null],
  ])("with %j measures %s × %s", (attributes, width, height) => {
    expect(readSvg(svg("", attributes))).toEqual({ width, height });
  });
});

describe("an SVG that is refused", () => {
  it.each<[string, string]>([
    ["<script>alert(1)</script>", "the element <script>"],
    ["<SCRIPT>alert(1)</SCRIPT>", "the element <script>"],
    ['<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>', "the element <script>"],
    ['<script href="#a"/>', "the element <script>"],
    ["<foreignObject><p/></foreignObject>", "the element <foreignobject>"],
    ["<iframe/>", "the element <iframe>"],
    ["<embed/>", "the element <embed>"],
    ["<object/>", "the element <object>"],
    ['<g onload="alert(1)"/>', "the attribute onload"],
    ['<g OnClick="alert(1)"/>', "the attribute OnClick"],
    ["<g\n  onmouseover\n =\n 'x'/>", "the attribute onmouseover"],
    ['<a href="javascript:alert(1)"/>', "may run"],
    ['<a xlink:href="&#106;ava&#x9;script:alert(1)"/>', "may run"],
    ['<a href=" JaVa\nScRiPt:alert(1)"/>', "may run"],
    ['<a href="vbscript:x"/>', "may run"],
    ['<a href="data:text/html;base64,PHNjcmlwdD4="/>', "may run"],
    ['<use href="data:image/svg+xml;base64,PHN2Zz4=#a"/>', "may run"],
    ['<a href="https://evil.example/"/>', "links to https://evil.example/"],
    ['<a href="//evil.example/"/>', "links to //evil.example/"],
    ['<image href="logo.png"/>', "links to logo.png"],
    [
      '<image x:href="http://evil.example/a.png" xmlns:x="http://www.w3.org/1999/xlink"/>',
      "links to http://evil.example/a.png",
    ],
    ['<set attributeName="href" to="https://evil.example/"/>', "animates the attribute href"],
    ['<animate attributeName="xlink:href" values="javascript:alert(1)"/>', "animates the attribute xlink:href"],
    ['<set attributeName="onclick" to="alert(1)"/>', "animates the attribute onclick"],
    ['<set attributeName="x" to="javascript:alert(1)"/>', "may run"],
    ['<rect fill="url(https://evil.example/a.svg#b)"/>', "loads https://evil.example/a.svg#b"],
    ['<rect style="fill:URL( &quot;//evil.example/x&quot; )"/>', "loads //evil.example/x"],
    ['<rect style="fill:\\75 rl(//evil.example/x)"/>', "loads //evil.example/x"],
    ["<style>@import 'https://evil.example/a.css';</style>", "style that loads"],
    ["<style>@im<!-- -->port 'https://evil.example/a.css';</style>", "style that loads"],
    ["<style>@im<![CDATA[port 'https://evil.example/a.css';]]></style>", "style that loads"],
    ["<style>@im<g/>port 'https://evil.example/a.css';</style>", "style that loads"],
    ['<style>a{content:"/*";fill:url(//evil.example)}b{content:"*/"}</style>', "loads //evil.example"],
    ["<style>a{fill:url(#a);stroke:url( x.svg )}</style>", "loads x.svg"],
    ["<style>.a{background:u\\72l(https://evil.example/)}</style>", "loads https://evil.example/"],
    ["<style>.a{background:url(data:text/html,x)}</style>", "loads data:text/html,x"],
    ['<g xmlns:h="http://www.w3.org/1999/xhtml"><h:p/></g>', "holds HTML"],
    ['<g xml:base="https://evil.example/"/>', "xml:base"],
    ["<?xml-stylesheet href='a.css'?>", "processing instruction"],
    ["<text>&xxe;</text>", "the unknown reference &xxe;"],
    ["<text>&constructor;</text>", "the unknown reference"],
    ["<text>a & b</text>", "the unknown reference"],
    ["<text>&#x110000;</text>", "no character"],
    ["<g>", "not well-formed"],
    ["</g>", "not well-formed"],
    ["<g></a>", "not well-formed"],
    ["<g a=1/>", "not well-formed"],
    ['<g a="1"b="2"/>', "not well-formed"],
    ['<g a="1" a="2"/>', "not well-formed"],
    ['<g a="<"/>', "not well-formed"],
    ["<g / >", "not well-formed"],
    ["< g/>", "not well-formed"],
    ["<!-- a -- b -->", "not well-formed"],
    ["<!-- a", "not well-formed"],
    ["<![CDATA[ a", "not well-formed"],
  ])("holds %s", (inside, fault) => {
    expect(faultOf(svg(inside))).toContain(fault);
  });

  it.each<[string, Buffer, string]>([
    ["a document type", raw('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><svg/>'), "document type"],
    ["entities", raw('<!DOCTYPE svg [<!ENTITY a "<script/>">]><svg>&a;</svg>'), "document type"],
    ["a document type behind the declaration", raw('<?xml version="1.0"?><!DOCTYPE svg><svg/>'), "document type"],
    ["another encoding by name", raw('<?xml version="1.0" encoding="utf-7"?><svg>+ADw-script+AD4-</svg>'), "UTF-8"],
    ["bytes of another encoding", Buffer.from("<svg><text>\xe9</text></svg>", "latin1"), "UTF-8"],
    ["a handler at its root", svg("", 'onload="alert(1)"'), "the attribute onload"],
    ["two roots", raw("<svg/><svg/>"), "well-formed"],
    ["text behind its root", raw("<svg/>alert(1)"), "well-formed"],
    ["another root", raw("<!-- a --><html><svg/></html>"), "well-formed"],
    ["no root", raw("<!-- a -->"), "well-formed"],
  ])("has %s", (_, file, fault) => {
    expect(faultOf(file)).toContain(fault);
  });

  it.each<[string, Uint8Array]>([
    ["UTF-16", Buffer.from(`\uFEFF<svg onload="alert(1)"/>`, "utf16le")],
    ["HTML", raw("<!doctype html><svg/>")],
    ["text", raw("svg")],
    ["gzip", Buffer.from([0x1f, 0x8b, 8])],
  ])("%s is none at all", (_, file) => {
    expect(readSvg(file) === null || faultOf(file) !== null).toBe(true);
  });

  it.each<[string, string]>([
    ["comments", `<!--${"-".repeat(1)}${" -".repeat(2_400_000)}`],
    ["an unclosed tag", `<g ${" ".repeat(4_900_000)}`],
    ["attributes", `<g ${Array.from({ length: 400_000 }, (_, i) => `a${i}="1"`).join(" ")}/>`],
    ["a long name", `<g ${"a".repeat(4_900_000)}`],
    ["ampersands", `<text>${"&amp;".repeat(950_000)}</text>`],
    ["depth", "<g>".repeat(1_500_000)],
    ["url(", `<style>${"url(#a".repeat(800_000)}</style>`],
    ["style comments", `<style>${"/* ".repeat(1_600_000)}</style>`],
    ["empty url()", `<style>${"url(".repeat(1_200_000)}</style>`],
    ["spaces in style", `<style>url${" ".repeat(4_800_000)}</style>`],
    ["escapes", `<style>${"\\0".repeat(2_400_000)}</style>`],
  ])("of 5 MB of %s costs less than 5 s", (_, inside) => {
    const file = svg(inside);
    const start = performance.now();
    readSvg(file);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
