import { describe, expect, it } from "vitest";
import { readSvg } from "../../../../src/features/images/svg.ts";
import { scanSvg } from "../../../../src/features/images/svg-scan.ts";
import { attacks, exports } from "../../../_support/svgs.ts";
import { svg } from "./_images.ts";

const raw = (text: string) => Buffer.from(text);
const DATA_PNG = "data:image/png;base64,iVBORw0KGgo=";
const ROOT = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

/** What is kept of a drawing, between the tags of its root. */
async function kept(inside: string): Promise<string> {
  const read = await readSvg(svg(inside));
  if (!read || "fault" in read) throw new Error(read ? read.fault : "it is no SVG");
  const [, inner] = /^<svg [^>]*>(.*)<\/svg>$/s.exec(Buffer.from(read.bytes).toString()) ?? [];
  return inner ?? expect.unreachable("the result is no SVG");
}
async function faultOf(file: Uint8Array): Promise<string | null> {
  const read = await readSvg(file);
  return read && "fault" in read ? read.fault : null;
}

describe("an SVG that is kept", () => {
  it.each<[string, string]>([
    ["a plain drawing", '<path d="M0 0L9 9" fill="none"></path>'],
    ["names in two cases", '<linearGradient id="a" gradientUnits="userSpaceOnUse"></linearGradient>'],
    ["text with references", "<text>A &amp; B &lt; C</text>"],
    ["style", "<style>.a &gt; .b { fill: red }</style>"],
    ["references to its own parts", '<use xlink:href="#a"></use><use href=" #a"></use><rect fill="url(#g)"></rect>'],
    ["style with such references", "<rect style=\"filter:url( '#f' )\"></rect>"],
    ["a raster image within", `<image xlink:href="${DATA_PNG}"></image><style>.a{background:url(${DATA_PNG})}</style>`],
    ["an animation", '<circle r="1"><animate attributeName="r" values="1;2" dur="1s"></animate></circle>'],
    ["words that only look alike", "<text>on click, javascript: the data:text of a script</text>"],
    ["its language and its spaces", '<text xml:lang="de" xml:space="preserve"> a  b </text>'],
  ])("has %s as it was", async (_, inside) => {
    expect(await kept(inside)).toBe(inside);
  });

  it.each(exports)("comes from %s", async (_, file) => {
    const read = await readSvg(raw(file));
    if (!read || "fault" in read) throw new Error(read?.fault);
    const text = Buffer.from(read.bytes).toString();
    expect(text.startsWith(ROOT)).toBe(true);
    expect(text).not.toMatch(
      /<!|<\?|script|\bon\w+=|metadata|foreignObject|[< ](inkscape|sodipodi|serif|rdf|cc|i|x|s):|adobe|corel/i,
    );
    // Cleaning once is enough.
    expect(await readSvg(read.bytes)).toEqual(read);
  });

  it.each([
    ["", null, null],
    ['width="100%" height="20"', null, 20],
    ['width="3cm" height="2em"', null, null],
    ['width="12.6" height="7px"', 13, 7],
    ['width="0.5in" height="" viewBox="0 0 1 1"', null, null],
  ])("with %j measures %s × %s", async (attributes, width, height) => {
    expect(await readSvg(svg("", attributes))).toMatchObject({ width, height });
  });

  it.each<[string, string]>([
    [
      "a byte order mark, comments and one quote",
      `\uFEFF<?xml version="1.0"?><!-- by hand --><svg width='30px' height="20.4"></svg>\n<!-- end -->`,
    ],
    ["no namespace, which a browser would not draw", '<svg width="30" height="20"/>'],
    ["an end that is missing", '<svg width="30" height="20"><g>'],
    ["text behind its root", '<svg width="30" height="20"/>alert(1)'],
    ["an element that was not closed right", '<svg width="30" height="20"><g></a></svg>'],
  ])("has %s, and is whole afterwards", async (_, text) => {
    const read = await readSvg(raw(text));
    expect(read).toMatchObject({ width: 30, height: 20 });
    expect(Buffer.from((read as { bytes: Uint8Array }).bytes).toString()).toMatch(
      new RegExp(`^${ROOT} width="30(px)?" height="20(\\.4)?">(<g></g>)?</svg>$`),
    );
  });
});

describe("taken out of an SVG", () => {
  it.each<[string, string]>([
    ["<script>alert(1)</script>", ""],
    ["<SCRIPT>alert(1)</SCRIPT>", ""],
    ['<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>', ""],
    ["<g><script><![CDATA[</script>]]></script></g>", "<g></g>"],
    ["<foreignObject><p>text</p><g/></foreignObject>", ""],
    ["<metadata><g/></metadata>", ""],
    ["<iframe/><embed/><object><g/></object><img/>", ""],
    ["<unknown>text<g/></unknown>", "<g></g>"],
    ['<g onload="alert(1)"/>', "<g></g>"],
    ['<g OnClick="alert(1)"/>', "<g></g>"],
    ["<g\n  onmouseover\n =\n 'x'/>", "<g></g>"],
    ['<a href="javascript:alert(1)"/>', "<a></a>"],
    ['<a xlink:href="&#106;ava&#x9;script:alert(1)"/>', "<a></a>"],
    ['<a href=" JaVa\nScRiPt:alert(1)"/>', "<a></a>"],
    ['<a href="vbscript:x"/>', "<a></a>"],
    ['<a href="data:text/html;base64,PHNjcmlwdD4="/>', "<a></a>"],
    ['<use href="data:image/svg+xml;base64,PHN2Zz4=#a"/>', "<use></use>"],
    ['<a href="https://evil.example/">x</a>', "<a>x</a>"],
    ['<a href="//evil.example/"/>', "<a></a>"],
    ['<image href="logo.png" width="9"/>', '<image width="9"></image>'],
    ['<image x:href="http://evil.example/a.png" xmlns:x="http://www.w3.org/1999/xlink"/>', "<image></image>"],
    ['<use x:href="#a"/>', '<use xlink:href="#a"></use>'],
    ['<set attributeName="href" to="#a"/>', '<set to="#a"></set>'],
    ['<animate attributeName="xlink:href" values="javascript:alert(1)"/>', "<animate></animate>"],
    ['<set attributeName="onclick" to="alert(1)"/>', '<set to="alert(1)"></set>'],
    ['<rect fill="url(https://evil.example/a.svg#b)"/>', "<rect></rect>"],
    ['<rect style="fill:URL( &quot;//evil.example/x&quot; )"/>', "<rect></rect>"],
    ['<rect style="fill:\\75 rl(//evil.example/x)"/>', "<rect></rect>"],
    ['<g xmlns="http://www.w3.org/1999/xhtml" xmlns:h="http://www.w3.org/1999/xhtml"><h:p/></g>', "<g></g>"],
    ['<g xml:base="https://evil.example/"/>', "<g></g>"],
    ["<?xml-stylesheet href='a.css'?><!-- a --><!DOCTYPE a>", ""],
    ['<g id="" class="a"/>', '<g class="a"></g>'],
    ["<text><![CDATA[<b>&amp;</b>]]></text>", "<text>&lt;b&gt;&amp;amp;&lt;/b&gt;</text>"],
    ["<style>&lt;/style>&lt;g/></style>", "<style>&lt;/style&gt;&lt;g/&gt;</style>"],
    ["<style><![CDATA[</style><g/><style>]]></style>", "<style>&lt;/style&gt;&lt;g/&gt;&lt;style&gt;</style>"],
    ["<css-text>a{}</css-text>", ""],
    ["<text>&nbsp;&xxe;&constructor;</text>", "<text>&amp;nbsp;&amp;xxe;&amp;constructor;</text>"],
    ['<g __proto__="a" constructor="b" id="c"/>', '<g id="c"></g>'],
  ])("%s leaves %s", async (inside, expected) => {
    expect(await kept(inside)).toBe(expected);
  });

  it("nothing that the scanner would refuse is left of an attack, or the attack is refused", async () => {
    let cleaned = 0;
    for (const attack of attacks) {
      const read = await readSvg(raw(attack.trim()));
      if (!read || "fault" in read) continue;
      cleaned++;
      const text = Buffer.from(read.bytes).toString();
      expect(await scanSvg(text)).not.toHaveProperty("fault");
      const tags = (text.match(/<[^>]*>/g) ?? []).join().replace(/"[^"]*"/g, '""');
      expect(tags).not.toMatch(/<(script|img|iframe)|\son\w+=/i);
      expect(text).not.toMatch(/href="(?!#|data:image\/png)/);
      expect(text).not.toMatch(/<!|<\?/);
    }
    expect(cleaned).toBeGreaterThan(attacks.length / 2);
  });
});

describe("an SVG that is refused", () => {
  it.each<[string, string]>([
    ["<style>@import 'https://evil.example/a.css';</style>", "style that loads"],
    ["<style>@im<![CDATA[port 'https://evil.example/a.css';]]></style>", "style that loads"],
    ['<style>a{content:"/*";fill:url(//evil.example)}b{content:"*/"}</style>', "loads //evil.example"],
    ["<style>a{fill:url(#a);stroke:url( x.svg )}</style>", "loads x.svg"],
    ["<style>.a{background:u\\72l(https://evil.example/)}</style>", "loads https://evil.example/"],
    ["<style>.a{background:url(data:text/html,x)}</style>", "loads data:text/html,x"],
    ["<style><g/></style>", "markup inside <style>"],
    ["<title><g/></title>", "markup inside <title>"],
    ["<text>&#1;</text>", "not well-formed"],
    ["<text>\u0001</text>", "not well-formed"],
    [`${"<g>".repeat(300)}`, "nested too deeply"],
    ["<g/>".repeat(20_001), "more than 20000 tags"],
  ])("holds %s", async (inside, fault) => {
    expect(await faultOf(svg(inside))).toContain(fault);
  });

  it.each<[string, Buffer, string]>([
    ["entities", raw('<!DOCTYPE svg [<!ENTITY a "<script/>">]><svg>&a;</svg>'), "declares entities"],
    [
      "entities that grow",
      raw(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg><text>&b;</text></svg>`),
      "declares entities",
    ],
    [
      "an entity that names a file",
      raw('<!DOCTYPE svg [<!entity a SYSTEM "file:///etc/passwd">]><svg/>'),
      "declares entities",
    ],
    [
      "the entities of Illustrator's own data",
      raw('<!DOCTYPE svg PUBLIC "a" "b" [\n\t<!ENTITY ns_svg "x">\n]><svg/>'),
      "export it without",
    ],
    ["another encoding by name", raw('<?xml version="1.0" encoding="utf-7"?><svg>+ADw-script+AD4-</svg>'), "UTF-8"],
    ["bytes of another encoding", Buffer.from("<svg><text>\xe9</text></svg>", "latin1"), "UTF-8"],
    ["two roots", raw("<svg/><svg/>"), "well-formed"],
    ["another root", raw("<!-- a --><html><svg/></html>"), "first element is not <svg>"],
    ["HTML around it", raw("<!doctype html><svg/>"), "first element is not <svg>"],
    ["no root", raw("<!-- a -->"), "first element is not <svg>"],
    ["a comment without an end", raw("<!-- a <svg/>"), "first element is not <svg>"],
  ])("has %s", async (_, file, fault) => {
    expect(await faultOf(file)).toContain(fault);
  });

  it.each<[string, Uint8Array]>([
    ["UTF-16", Buffer.from(`\uFEFF<svg onload="alert(1)"/>`, "utf16le")],
    ["HTML", raw("<html><svg/></html>")],
    ["text", raw("svg")],
    ["gzip", Buffer.from([0x1f, 0x8b, 8])],
  ])("%s is none at all", async (_, file) => {
    expect(await readSvg(file)).toBeNull();
  });

  it.each<[string, string]>([
    ["comments", `<!--${"-".repeat(1)}${" -".repeat(2_400_000)}`],
    ["unclosed comments", `${"<!--".repeat(50_000)}${"-".repeat(4_000_000)}`],
    ["unclosed document types", `${"<!DOCTYPE".repeat(50_000)}${"x".repeat(4_000_000)}`],
    ["an unclosed tag", `<g ${" ".repeat(4_900_000)}`],
    ["attributes", `<g ${Array.from({ length: 400_000 }, (_, i) => `a${i}="1"`).join(" ")}/>`],
    ["as many attributes as are read", `<g ${Array.from({ length: 90_000 }, (_, i) => `a${i}="1"`).join(" ")}/>`],
    ["a long name", `<g ${"a".repeat(4_900_000)}`],
    ["a long name of a link", `<use ${"a".repeat(4_900_000)}:href="#a"/>`],
    ["one text", `<text>${"a".repeat(4_900_000)}</text>`],
    ["one embedded image", `<image href="data:image/png;base64,${"A".repeat(4_900_000)}"/>`],
    ["ampersands", `<text>${"&amp;".repeat(950_000)}</text>`],
    ["depth", "<g>".repeat(1_500_000)],
    ["depth that is read", "<g>".repeat(90_000)],
    ["one path", `<path d="${"M0 0 ".repeat(990_000)}"/>`],
    ["url(", `<style>${"url(#a".repeat(800_000)}</style>`],
    ["style comments", `<style>${"/* ".repeat(1_600_000)}</style>`],
    ["empty url()", `<style>${"url(".repeat(1_200_000)}</style>`],
    ["spaces in style", `<style>url${" ".repeat(4_800_000)}</style>`],
    ["escapes", `<style>${"\\0".repeat(2_400_000)}</style>`],
  ])(
    "of 5 MB of %s ends",
    async (_, inside) => {
      // Nothing here may grow with the square of the file: that would be hours, and the time of the test is its mark.
      const read = await readSvg(svg(inside));
      // Cleaned, or refused for its weight; never taken for something else than an SVG.
      const verdict = read && ("fault" in read ? read.fault : read.bytes.length > 0 && "cleaned");
      expect(verdict).toMatch(/^(cleaned|has more than 20000 tags and attributes|holds too much style)/);
    },
    20_000,
  );
});

describe("the scanner, which judges what is left, refuses", () => {
  it.each<[string, string]>([
    ["<script>alert(1)</script>", "the element <script>"],
    ["<SCRIPT>alert(1)</SCRIPT>", "the element <script>"],
    ['<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>', "the element <script>"],
    ['<script href="#a"/>', "the element <script>"],
    ["<foreignObject><p/></foreignObject>", "the element <foreignobject>"],
    ["<iframe/>", "the element <iframe>"],
    ['<g onload="alert(1)"/>', "the attribute onload"],
    ["<g\n  onmouseover\n =\n 'x'/>", "the attribute onmouseover"],
    ['<a href="javascript:alert(1)"/>', "may run"],
    ['<a xlink:href="&#106;ava&#x9;script:alert(1)"/>', "may run"],
    ['<use href="data:image/svg+xml;base64,PHN2Zz4=#a"/>', "may run"],
    ['<a href="https://evil.example/"/>', "links to https://evil.example/"],
    ['<image x:href="http://evil.example/a.png"/>', "links to http://evil.example/a.png"],
    ['<set attributeName="href" to="https://evil.example/"/>', "animates the attribute href"],
    ['<set attributeName="x" to="javascript:alert(1)"/>', "may run"],
    ['<rect fill="url(https://evil.example/a.svg#b)"/>', "loads https://evil.example/a.svg#b"],
    ["<style>@im<!-- -->port 'https://evil.example/a.css';</style>", "style that loads"],
    ['<g xmlns:h="http://www.w3.org/1999/xhtml"><h:p/></g>', "holds HTML"],
    ['<g xml:base="https://evil.example/"/>', "xml:base"],
    ["<?xml-stylesheet href='a.css'?>", "processing instruction"],
    ["<!DOCTYPE svg>", "document type"],
    ["<text>&xxe;</text>", "the unknown reference &xxe;"],
    ["<text>a & b</text>", "the unknown reference"],
    ["<text>&#x110000;</text>", "no character"],
    ["<g>", "not well-formed"],
    ["</g>", "not well-formed"],
    ["<g></a>", "not well-formed"],
    ["<g a=1/>", "not well-formed"],
    ['<g a="1"b="2"/>', "not well-formed"],
    ['<g a="1" a="2"/>', "not well-formed"],
    ['<g a="<"/>', "not well-formed"],
    ["<g a/>", "not well-formed"],
    ["<g / >", "not well-formed"],
    ["< g/>", "not well-formed"],
    ["<!-- a -- b -->", "not well-formed"],
    ["<![CDATA[ a", "not well-formed"],
    ["\u0000", "not well-formed"],
  ])("%s", async (inside, fault) => {
    expect(await scanSvg(svg(inside).toString())).toEqual({ fault: expect.stringContaining(fault) });
  });
});
