import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { type Site, startSite } from "./_site.ts";

describeBrowser("the thank-you page in the browser", (browser) => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.close());

  for (const javaScriptEnabled of [true, false]) {
    test(`reloading it, and going back and forth, sends nothing again, ${javaScriptEnabled ? "with" : "without"} script`, async () => {
      const form = await site.backend.forms.create({ name: "Contact" });
      const context = await browser().newContext({ javaScriptEnabled });
      const page = await context.newPage();
      const posts: string[] = [];
      page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
      await page.route(`${site.origin}/contact`, (route) =>
        route.fulfill({
          contentType: "text/html",
          body: `<form method="post" action="${form.endpoint}"><input name="name"><button>Send</button></form>`,
        }),
      );
      await page.goto(`${site.origin}/contact`);
      await page.fill("[name=name]", "Ann");
      await page.click("button");
      await page.waitForURL(`${form.endpoint}/thanks/**`);
      for (let i = 0; i < 2; i++) {
        await page.reload();
        expect(await page.textContent("h1")).toBe("Thank you!");
      }
      await page.goBack();
      expect(page.url()).toBe(`${site.origin}/contact`);
      await page.goForward();
      expect(await page.textContent("h1")).toBe("Thank you!");
      if (javaScriptEnabled) expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("link", { name: "Return" }).click();
      expect(page.url()).toBe(`${site.origin}/contact`);
      expect(posts).toEqual([form.endpoint]);
      expect((await site.backend.forms.get(form.id)).submissions.all_time).toBe(1);
      await context.close();
    });
  }
});
