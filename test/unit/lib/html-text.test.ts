import { expect, test } from "vitest";
import { textOfHtml } from "../../../src/lib/html-text.ts";
import { cpuTime } from "../../_support/cpu.ts";

const cases: [html: string, text: string][] = [
  ["", ""],
  ["plain", "plain"],
  ["<p>a</p><p>b</p>", "a\n\nb"],
  ["a<br>b<br/>c", "a\nb\nc"],
  ["<div>a</div>\n\n  <div>b</div>", "a\nb"],
  ["<div>a</div><div></div><div>b</div><br><br>c", "a\nb\n\nc"],
  ["a   \n  b", "a b"],
  ["<table><tr><td>name</td><td>Ada</td></tr><tr><td>x</td><td>y</td></tr></table>", "name Ada\nx y"],
  ["<ul><li>one</li><li>two</li></ul>", "- one\n- two"],
  ["<h1>Title</h1>text", "Title\n\ntext"],
  ["<head><title>no</title></head><style>p{}</style><script>alert(1)</script>yes", "yes"],
  ["<!-- no --><!--[if mso]>no<![endif]-->yes", "yes"],
  ["&lt;b&gt; &amp;amp; &quot;x&quot; &#39;y&#39; &#x41;&#66; &nbsp;z &unknown;", "<b> &amp; \"x\" 'y' AB z &unknown;"],
  ['<a href="https://example.com/?a=1&amp;b=2">here</a>', "here (https://example.com/?a=1&b=2)"],
  ["<a href=https://example.com>https://example.com</a>", "https://example.com"],
  ["<a href='mailto:a@b.c'>write</a> <a name=x>y</a>", "write y"],
  ["1 < 2 and <3", "1 < 2 and <3"],
  ["<P>İyi günler</P><STYLE>p{}</STYLE><p>İİ merhaba</p>", "İyi günler\n\nİİ merhaba"],
  ["<p", ""],
  ["a<style>never closed", "a"],
  ["bell&#7;\u0007 &#55296;&#99999999; &#1114112;", "bell \uFFFD&#99999999; \uFFFD"],
];
test.each(cases)("%j", (html, text) => expect(textOfHtml(html)).toBe(text));

test("no markup takes long", () => {
  for (const part of [
    "<a ",
    "<a href='http://x'>",
    "<!--",
    "<style>",
    "</",
    "<",
    "&",
    "&#",
    "<li>",
    "\n ",
    "<p><div>",
  ]) {
    const before = cpuTime();
    textOfHtml(part.repeat(1_000_000 / part.length));
    expect(cpuTime() - before, part).toBeLessThan(2_000);
  }
});

test("markup of many megabytes is read no further than mail programs show it", () => {
  const text = textOfHtml("<".repeat(6_000_000));
  expect(text).toHaveLength(256 * 1024 + 2);
  expect(text.endsWith("<\n…")).toBe(true);
});
