import { expect, it } from "vitest";
import { escapeHtml, html } from "../../../src/lib/html.ts";

it("text is safe as text and in attributes of either quote", () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;`)).toBe("&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;");
});

it("markup is put together by escaping every value that is not markup itself", () => {
  const link = html`<a href="${'"><script>'}">${"<b>"}</a>`;
  expect(html`${link}${[link]}${false}${null}${undefined}${0}`.html).toBe(`${link.html}${link.html}0`);
  expect(link.html).toBe('<a href="&quot;&gt;&lt;script&gt;">&lt;b&gt;</a>');
});
