import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { type AppSite, startAppSite } from "./_app-site.ts";
import { buildApp } from "./_frameworks.ts";

export interface Enhanced {
  readonly site: AppSite;
  readonly page: Page;
  /** Opens the page, again too, and calls `enhance` with these options. */
  open(options?: object): Promise<Page>;
  told(): Promise<string | null>;
}

/** A page with a form, before each test anew; `enhance` is called by `open`. */
export function enhancedForm(fields: string, browser: () => Browser): Enhanced {
  let script: string;
  let site: AppSite;
  let page: Page;
  beforeAll(async () => {
    script = readFileSync(await buildApp("test/services/surfaces/browser/apps/enhance-client.mjs", "client"), "utf8");
  });
  beforeEach(async () => {
    site = await startAppSite(script, async (url) => `<form action="${url}" method="post">${fields}</form>`);
    page = await (await browser().newContext()).newPage();
  });
  afterEach(async () => {
    await page.context().close();
    await site.close();
  });
  return {
    get site() {
      return site;
    },
    get page() {
      return page;
    },
    async open(options = {}) {
      await page.goto(site.origin);
      await page.evaluate(`enhance(${JSON.stringify(options)})`);
      return page;
    },
    told: () => page.textContent("[data-form-backend-status]"),
  };
}
