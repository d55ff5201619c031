import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import ar from "../../../../src/texts/locales/ar.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { inTurn } from "../../../_support/runs.ts";
import { type InboxSite, startInbox } from "./_site.ts";

const PATIENT_MS = 120_000;
const DAY = 86_400_000;
const HOSTILE = `"><img src=x onerror=alert(1)>`;

/** Opens the part of the settings that a control stands in. */
async function unfold(page: Page, name: string): Promise<void> {
  const control = page.locator(`[name="${name}"]`);
  const folded = page.locator("details.fold:not([open])", { has: control }).locator("summary");
  if ((await folded.count()) > 0) await folded.click();
}

describeBrowser("what a form's own submissions say of its settings", (browser) => {
  let site: InboxSite;
  let busy: string;
  beforeAll(async () => {
    site = await startInbox({}, { locales: [ar] });
    const { backend } = site;
    const { id } = await backend.forms.create({ name: "Orders" });
    busy = id;
    await backend.forms.update(id, {
      settings: { labels: { [HOSTILE]: HOSTILE, "حقل لا يصل": "x" } },
      self_email_notification: { subject: "From {{naem}}" },
    });
    for (let day = 0; day < 8; day++) {
      for (let i = 0; i < 5; i++)
        await backend.submit(id, {
          fields: {
            name: HOSTILE,
            [day < 6 ? "email" : "e-mail"]: "a@example.com",
            message: "Where is my cake? ".repeat(30),
          },
        });
      await backend.clock.advance(DAY);
    }
    await backend.clock.advance(2 * DAY);
  }, PATIENT_MS);
  afterAll(() => site?.close());

  for (const locale of ["en", "ar"]) {
    test(
      `axe finds nothing in a check-up, a banner and the result of a trial, and nothing overflows: ${locale}`,
      async () => {
        const paths = ["", "/stats/checkup", "/stats", "/spam/backtest", "/spam/backtest?without=phrases"];
        for (const [dark, colorScheme] of (["light", "dark"] as const).entries()) {
          const { page, faults, go, close } = await site.open(browser(), { locale, colorScheme });
          for (const [wide, width] of [320, 1280].entries()) {
            const turn = dark + wide + Number(locale === "ar");
            await page.setViewportSize({ width, height: 800 });
            for (const [n, path] of paths.entries()) {
              await go(`/f/${busy}${path}`);
              if (inTurn(turn, n)) expect(await faultsOf(page), path).toEqual([]);
              expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(width);
            }
            await go(`/f/${busy}/settings/spam`);
            await unfold(page, "settings.spam.words");
            await page.fill('[name="settings.spam.words"]', "cake");
            await page.click("[formtarget=trial]");
            const frame = page.frameLocator("iframe[name=trial]");
            await frame.locator(".found").waitFor();
            if (inTurn(turn)) expect(await faultsOf(page), "trial").toEqual([]);
            const inner = page.frame({ name: "trial" });
            expect(await inner?.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
          }
          expect(faults).toEqual([]);
          await close();
        }
      },
      PATIENT_MS,
    );
  }

  test(
    "without JavaScript and with the keyboard alone, spam settings are tried, kept on the page, and saved",
    async () => {
      for (const javaScriptEnabled of [false, true]) {
        const { page, faults, go, close } = await site.open(browser(), { javaScriptEnabled });
        await go(`/f/${busy}/settings/spam`);
        await unfold(page, "settings.spam.words");
        await page.focus('[name="settings.spam.words"]');
        await page.keyboard.press("Control+A");
        await page.keyboard.type(javaScriptEnabled ? "cake" : "Where is");
        await page.focus("[formtarget=trial]");
        await page.keyboard.press("Enter");
        const frame = page.frameLocator("iframe[name=trial]");
        await frame.getByText("40 in the inbox would be spam").waitFor();
        expect(await page.inputValue('[name="settings.spam.words"]')).toBe(javaScriptEnabled ? "cake" : "Where is");
        const [opened] = await Promise.all([
          page.context().waitForEvent("page"),
          frame.locator(".found a").first().click(),
        ]);
        await opened.waitForLoadState();
        expect(opened.url()).toContain(`/f/${busy}/s/`);
        await opened.close();
        await page.bringToFront();
        await page.focus(".narrow button.primary");
        await page.keyboard.press("Enter");
        await page.getByText("1 setting was saved.").waitFor();
        expect(faults).toEqual([]);
        await close();
      }
      expect((await site.backend.forms.get(busy)).settings.spam.words).toEqual(["cake"]);
      await site.backend.forms.update(busy, { settings: { spam: { words: [] } } });
    },
    PATIENT_MS,
  );

  test(
    "a rule that is not saved says without JavaScript how many it would have refused",
    async () => {
      const { page, go, close } = await site.open(browser(), { javaScriptEnabled: false });
      await go(`/f/${busy}/settings/validation`);
      const rule = page.locator(".rule").first();
      await rule.locator("input").first().fill("email");
      await rule.locator("select").first().selectOption("required");
      await page.click("[formtarget=trial]");
      await page
        .frameLocator("iframe[name=trial]")
        .getByText("Of 40 submissions, 10 would have been refused.")
        .waitFor();
      expect((await site.backend.forms.get(busy)).validation.rules).toEqual([]);
      await close();
    },
    PATIENT_MS,
  );
});
