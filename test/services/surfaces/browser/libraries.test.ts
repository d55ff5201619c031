import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { type AppSite, startAppSite } from "./_app-site.ts";
import { buildApp, vueFiles } from "./_frameworks.ts";

const apps = {
  "TanStack Form": "tanstack-form-client.tsx",
  "react-hook-form": "react-hook-form-client.tsx",
  "vee-validate": "vee-validate-client.ts",
  "React 19's useActionState": "react-action.tsx",
};

for (const [name, file] of Object.entries(apps)) {
  describeBrowser(`a form by ${name}`, (browser) => {
    let script: string;
    let site: AppSite;
    let page: Page;
    beforeAll(async () => {
      script = readFileSync(
        await buildApp(`test/services/surfaces/browser/apps/${file}`, "client", {}, [vueFiles("vue")]),
        "utf8",
      );
    });
    beforeEach(async () => {
      site = await startAppSite(script, async () => "");
      const rules = [{ field: "email", checks: [{ type: "required" as const }, { type: "email" as const }] }];
      await site.backend.forms.update(site.form.id, { validation: { rules } });
      page = await (await browser().newContext()).newPage();
      await page.goto(site.origin);
    });
    afterEach(async () => {
      await page.context().close();
      await site.close();
    });
    const told = (): Promise<string | null> => page.textContent("[role=status]");

    test("shows what the endpoint says at the field, keeps what was typed, and is sent once corrected", async () => {
      await page.fill("[name=name]", "Ann");
      await page.fill("[name=email]", "nonsense");
      await page.click("button");
      const message = "The email must be a valid email address.";
      await expect.poll(() => page.locator("[name=email][aria-invalid=true]").count()).toBe(1);
      const described = await page.getAttribute("[name=email]", "aria-describedby");
      expect(await page.textContent(`[id="${described}"]`)).toBe(message);
      await expect.poll(told).toBe(message);
      expect([await page.inputValue("[name=name]"), await page.inputValue("[name=email]")]).toEqual([
        "Ann",
        "nonsense",
      ]);
      expect(await faultsOf(page)).toEqual([]);
      await page.fill("[name=email]", "ann@example.com");
      await page.click("button");
      await expect.poll(told).toContain("Your submission has been received.");
      expect(await site.stored()).toEqual([{ name: "Ann", email: "ann@example.com" }]);
    });

    test("sent again after its answer was lost, it is stored once", async () => {
      let times = 0;
      await page.route("**/forms/f/**", async (route) => {
        if (++times > 1) return route.continue();
        await route.fetch();
        await route.abort("connectionreset");
      });
      await page.fill("[name=name]", "Ann");
      await page.fill("[name=email]", "ann@example.com");
      await page.click("button");
      await expect.poll(told).toBe("Something went wrong. Please try again.");
      await page.click("button");
      await expect.poll(told).toContain("Your submission has been received.");
      expect([times, (await site.stored()).length]).toEqual([2, 1]);
    });
  });
}
