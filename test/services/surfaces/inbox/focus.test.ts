import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

/** Controls of a page that are looked at. */
const MOST = 120;
/** A ring may stand so far from its control. */
const AROUND = 6;

interface Place {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The control with the focus, as far as the window shows it; null behind the last one. */
const focused = (page: Page): Promise<Place | null> =>
  page.evaluate(`(() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const [x, y] = [Math.max(0, left - ${AROUND}), Math.max(0, top - ${AROUND})];
    const width = Math.min(innerWidth, right + ${AROUND}) - x;
    const height = Math.min(innerHeight, bottom + ${AROUND}) - y;
    return { name: one.outerHTML.slice(0, 120), x, y, width, height };
  })()`);

describeBrowser("the focus in the inbox", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox();
  });
  afterAll(() => site?.close());

  for (const colorScheme of ["light", "dark"] as const)
    for (const [name, path] of [
      ["a list", () => `/f/${site.formId}`],
      ["a submission", () => `/f/${site.formId}/s/${site.ids[0]}`],
      ["the choice of columns", () => `/f/${site.formId}/export/columns`],
      ["settings", () => `/f/${site.formId}/settings/general`],
    ] as const)
      test(`changes pixels at each control of ${name}: ${colorScheme}`, async () => {
        const { page, go, close } = await site.open(browser(), { colorScheme, reducedMotion: "reduce" });
        await go(path());
        const unseen: string[] = [];
        let seen = 0;
        for (; seen < MOST; seen++) {
          await page.keyboard.press("Tab");
          const place = await focused(page);
          if (!place) break;
          if (place.width <= 0 || place.height <= 0) {
            unseen.push(`out of sight: ${place.name}`);
            continue;
          }
          const clip = { x: place.x, y: place.y, width: place.width, height: place.height };
          const shot = () => page.screenshot({ clip, animations: "disabled" });
          const before = await shot();
          // The next Tab goes on from here.
          await page.evaluate("document.activeElement.blur()");
          if (before.equals(await shot())) unseen.push(place.name);
        }
        expect(seen).toBeGreaterThan(10);
        expect(unseen).toEqual([]);
        await close();
      });
});
