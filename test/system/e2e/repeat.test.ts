import { afterEach, beforeEach, expect, test } from "vitest";
import { describeBrowser } from "../../_support/browser.ts";
import { type FormSite, startFormSite } from "./_site.ts";

describeBrowser("a post that is sent again", (browser) => {
  let site: FormSite;
  beforeEach(async () => {
    site = await startFormSite();
  });
  afterEach(() => site.close());

  test("keeps its key while the first one is still running, or its answer is lost", async () => {
    const page = await (await browser().newContext()).newPage();
    await page.goto(`${site.origin}/import`);
    const keys: (string | undefined)[] = [];
    const statuses = [409, 502, 422, 422];
    await page.route("**/forms/f/**", (route) => {
      const body = route.request().postData() ?? "";
      keys.push(/name="_idempotency_key"\s+(\S+)/.exec(body)?.[1]);
      const code = statuses.shift() ?? 500;
      return route.fulfill({
        status: code,
        json: { code, status: "error", title: "", message: `${code}, ${keys.length}` },
      });
    });
    for (const told of ["409, 1", "502, 2", "422, 3", "422, 4"]) {
      await page.click("button");
      await expect.poll(() => page.locator("[data-form-backend-status]").textContent()).toBe(told);
    }
    const [running, lost, answered, next] = keys;
    expect(running).toMatch(/^[0-9a-z]{10,}$/);
    expect([lost, answered]).toEqual([running, running]);
    expect(next).not.toBe(answered);
    await page.context().close();
  });
});
