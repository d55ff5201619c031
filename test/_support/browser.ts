import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { notRun } from "./not-run.ts";

export const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
  });

/** Tests in one Chromium, which `browser` gives them. */
export function describeBrowser(name: string, body: (browser: () => Browser) => void): void {
  if (hasChromium) describe(name, () => inBrowser(body));
  else notRun(`${name}: ${CHROMIUM} is missing (CHROMIUM_PATH may name another one)`);
}

function inBrowser(body: (browser: () => Browser) => void): void {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  body(() => browser);
}

export const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What is wrong with the page as it stands, by axe-core. */
export async function faultsOf(page: Page, tags: readonly string[] = [...WCAG, "best-practice"]): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (values) => {
    const { violations } = await (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run({
      runOnly: { type: "tag", values: [...values] },
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, tags);
}
