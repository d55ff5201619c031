import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { beforeAll, describe } from "vitest";
import { headlessChromium } from "../../scripts/chromium.mjs";
import { atEndOfFile } from "./cleanup.ts";
import { notRun } from "./not-run.ts";

export const hasChromium = existsSync(headlessChromium);

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: headlessChromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
  });

/** Tests in a Chromium, which `browser` gives them. All tests of a file share one: each start takes seconds. */
export function describeBrowser(name: string, body: (browser: () => Browser) => void): void {
  if (hasChromium) describe(name, () => inBrowser(body));
  else notRun(`${name}: ${headlessChromium} is missing (CHROMIUM_PATH may name another one)`);
}

let started: Promise<Browser> | undefined;

function inBrowser(body: (browser: () => Browser) => void): void {
  let browser: Browser;
  beforeAll(async () => {
    if (!started) {
      const starting = launch();
      started = starting;
      atEndOfFile(async () => {
        started = undefined;
        await (await starting).close();
      });
    }
    browser = await started;
  });
  body(() => browser);
}

export const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Faults that axe-core finds in the page in its present view. */
export async function faultsOf(page: Page, tags: readonly string[] = [...WCAG, "best-practice"]): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (values) => {
    const { violations } = await (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run({
      runOnly: { type: "tag", values: [...values] },
      // The same faults in half of the time: nothing is gathered of what is right, and no rule in use reads style sheets.
      resultTypes: ["violations"],
      preload: { assets: ["media"] },
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, tags);
}
