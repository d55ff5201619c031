import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { describeBrowser } from "../../_support/browser.ts";
import { UNREACHABLE } from "../../_support/install.ts";
import { notRun } from "../../_support/not-run.ts";
import { built, ROOT, type RunningExample, startExample } from "../e2e/_example.ts";

const FIELDS = { name: "Ann <b>Lee</b>", email: "ann@example.org", message: "Hello" };

built();
for (const name of ["nuxt", "nitro"]) {
  const dir = await mkdtemp(join(tmpdir(), `form-backend-example-${name}-`));
  afterAll(() => rm(dir, { recursive: true, force: true }));
  // It installs and builds the framework first, so it is started before the tests, whose time is short.
  const example = await startExample(name, dir).catch((error: Error) => {
    if (!UNREACHABLE.test(error.message)) throw error;
    return null;
  });
  if (example) inTheBrowser(name, example);
  else notRun(`examples/${name}: the package registry can't be reached`);
}

function inTheBrowser(name: string, example: RunningExample): void {
  afterAll(() => example.end("SIGKILL"));
  describeBrowser(`examples/${name}`, (browser) => {
    const stored = (): number => example.printed().split("Ann <b>Lee</b>").length - 1;
    const open = async (context: BrowserContext) => {
      const page = await context.newPage();
      await page.goto(example.site, { waitUntil: "networkidle" });
      for (const [field, value] of Object.entries(FIELDS)) await page.fill(`[name="${field}"]`, value);
      return page;
    };

    it("names its one command", () => {
      const readme = readFileSync(join(ROOT, "examples", name, "README.md"), "utf8");
      expect(readme).toContain(`npm install && npm run example ${name}\n`);
    });

    it("takes the form without JavaScript", async () => {
      const context = await browser().newContext({ javaScriptEnabled: false });
      const page = await open(context);
      const before = stored();
      await page.click("button");
      await page.waitForLoadState();
      expect(await page.textContent("h1")).toBe("Thank you!");
      await expect.poll(stored).toBeGreaterThan(before);
      await context.close();
    });

    if (name === "nuxt") {
      it("stays on its page with JavaScript, and says what is wrong at the field", async () => {
        const context = await browser().newContext();
        const page = await open(context);
        const before = stored();
        await page.fill('[name="email"]', "ann");
        await page.click("button");
        await page.waitForSelector(".form-backend-error");
        expect(await page.getAttribute('[name="email"]', "aria-invalid")).toBe("true");
        expect(await page.inputValue('[name="message"]')).toBe(FIELDS.message);

        await page.fill('[name="email"]', FIELDS.email);
        await page.click("button");
        await page.waitForSelector("form h2");
        expect(await page.textContent("form h2")).toBe("We have got it");
        expect(await page.textContent("[data-form-backend-status]")).toContain("Thank you!");
        expect(page.url()).toBe(`${example.site}/`);
        await expect.poll(stored).toBeGreaterThan(before);
        await context.close();
      });
    }

    it("ends with status 0 when it is told to", async () => {
      expect(await example.end("SIGTERM")).toEqual({ code: 0, signal: null });
    });
  });
}
