import { expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { enhancedForm } from "./_enhanced.ts";

const fields = `<label>Name <input name="name"></label><label>Email <input name="email"></label>
  <input type="radio" name="topic" value="praise" checked aria-label="Praise"><button>Send</button>`;

describeBrowser("enhance with `source`", (browser) => {
  const it = enhancedForm(fields, browser);
  const send = async (): Promise<void> => {
    await it.page.fill("[name=name]", "Ann");
    await it.page.fill("[name=email]", "ann@example.com");
    await it.page.click("button");
    await expect.poll(it.told).toMatch(/^Thank you!/);
  };
  const newest = async () => (await it.site.backend.submissions.list(it.site.form.id)).data[0];
  const enable = () => it.site.backend.forms.update(it.site.form.id, { settings: { source: { enabled: true } } });

  test("tells the first page, the referrer and the latest campaign of the visit, and sets no cookie", async () => {
    await enable();
    const first = `${it.site.origin}/?utm_source=news&utm_campaign=spring&secret=1&gclid=abc`;
    await it.page.goto(first, { referer: "https://search.example/" });
    await it.page.evaluate("enhance({ source: true })");
    await it.page.goto(`${it.site.origin}/?utm_campaign=summer&utm_term=${"x".repeat(600)}`);
    await it.page.evaluate("enhance({ source: true })");
    await send();
    expect((await newest())?.source).toEqual({
      landing_page: `${it.site.origin}/`,
      referrer: "https://search.example/",
      utm_source: "news",
      utm_campaign: "summer",
      utm_term: "x".repeat(500),
      gclid: "abc",
    });
    expect(await it.page.context().cookies()).toEqual([]);
    expect(await it.page.evaluate("localStorage.length")).toBe(0);
  });

  test("gathers nothing unless it is switched on", async () => {
    await enable();
    await it.page.goto(`${it.site.origin}/?utm_source=news`);
    await it.page.evaluate("enhance({})");
    await send();
    expect((await newest())?.source).toBeUndefined();
    expect(await it.page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("sends it with a form that has the attribute `data-source`, also where the browser sends it itself", async () => {
    await enable();
    await it.page.goto(`${it.site.origin}/?utm_source=news`);
    await it.page.evaluate("document.querySelector('form').setAttribute('data-source', '')");
    await it.page.fill("[name=name]", "Ann");
    await it.page.fill("[name=email]", "ann@example.com");
    await it.page.evaluate("HTMLFormElement.prototype.submit.call(document.querySelector('form'))");
    await expect.poll(newest).toMatchObject({ source: { utm_source: "news" } });
  });
});
