import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { inTurn } from "../../../_support/runs.ts";
import { openShop, type Shop } from "./_shop.ts";

const PATIENT_MS = 180_000;
const WIDTHS = [320, 1280];
const schemes = ["light", "dark"] as const;

const pages: Readonly<Record<string, (shop: Shop) => string>> = {
  spam: () => "?status=spam",
  "reasons of spam": ({ spam }) => `/s/${spam[0]}?tab=spam`,
  "deliveries of a submission": ({ message }) => `/s/${message}?tab=delivery`,
  deliveries: () => "/deliveries",
  "deliveries of a webhook": ({ failing }) => `/deliveries?webhook=${failing}&status=retrying`,
  "deliveries that there are none of": ({ webhook }) => `/deliveries?webhook=${webhook}&status=failed`,
  delivery: ({ delivery }) => `/deliveries/${delivery}`,
  recovery: () => "/deliveries/recover",
  webhooks: () => "/webhooks",
  "tile of a spreadsheet": () => "/webhooks/new?kind=google_sheets",
  "tile of an HTTP API": () => "/webhooks/new?kind=http",
  "tile of a preset": () => "/webhooks/new?kind=trello",
  webhook: ({ webhook }) => `/webhooks/${webhook}`,
  "webhook that fails": ({ failing }) => `/webhooks/${failing}`,
  "question before a webhook is deleted": ({ webhook }) => `/webhooks/${webhook}?confirm=delete`,
};

describeBrowser("deliveries, webhooks and spam in the browser", (browser) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop({ locales: [de, ar] });
  });
  afterAll(() => shop?.close());

  /** A page that counts what breaks its content security policy, and what asks for attention. */
  async function opened(options: Parameters<ReturnType<typeof browser>["newPage"]>[0] = {}) {
    const page = await browser().newPage(options);
    const wrong: string[] = [];
    page.on("dialog", (dialog) => {
      wrong.push(dialog.message());
      void dialog.dismiss();
    });
    page.on("console", (line) => line.type() === "error" && wrong.push(line.text()));
    page.on("pageerror", (error) => wrong.push(error.message));
    return { page, wrong };
  }

  test.each(["de", "ar"])(
    "nothing overflows in %s, at both widths",
    async (locale) => {
      const { page, wrong } = await opened({ locale });
      for (const [n, [name, path]] of Object.entries(pages).entries()) {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(shop.at(path(shop)));
          expect(await page.getAttribute("html", "lang"), name).toBe(locale);
          expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(width);
        }
        if (inTurn(n, Number(locale === "ar"))) expect(await faultsOf(page), name).toEqual([]);
      }
      expect(wrong).toEqual([]);
      await page.close();
    },
    PATIENT_MS,
  );

  test.each(Object.entries(pages))(
    "%s: readable for all, in both schemes and at both widths",
    async (name, path) => {
      const nth = Object.keys(pages).indexOf(name);
      const { page, wrong } = await opened();
      for (const [dark, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme });
        for (const [wide, width] of WIDTHS.entries()) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(shop.at(path(shop)));
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
          if (inTurn(nth, dark, wide)) expect(await faultsOf(page)).toEqual([]);
        }
      }
      expect(wrong).toEqual([]);
      await page.close();
    },
    PATIENT_MS,
  );

  /** Without JavaScript, each button loads a page. The click alone may be over before its request was answered. */
  const leave = (page: Page, what: Locator) => Promise.all([page.waitForNavigation(), what.click()]);
  const press = (page: Page, name: string) => leave(page, page.getByRole("button", { name, exact: true }).first());

  test(
    "without JavaScript, a webhook is created, tested, paused, changed and deleted",
    async () => {
      const { page, wrong } = await opened({ javaScriptEnabled: false });
      await page.goto(shop.at("/webhooks"));
      await leave(page, page.getByRole("link", { name: "Your own program" }));
      await page.getByLabel("Address").fill("https://hooks.example.com/new");
      await press(page, "Create the webhook");
      expect(await page.locator("[data-secret]").textContent()).toMatch(/^whsec_/);
      await leave(page, page.getByRole("link", { name: "Continue" }));
      await press(page, "Test");
      expect(await page.getByRole("status").textContent()).toContain("The test arrived");
      await press(page, "Pause");
      await press(page, "Resume");
      await press(page, "Rotate secret");
      expect(await page.locator("[data-secret]").textContent()).toMatch(/^whsec_/);
      await leave(page, page.getByRole("link", { name: "Continue" }));
      await page.getByLabel("Description").fill("Another one");
      await press(page, "Save");
      expect(await page.getByLabel("Description").inputValue()).toBe("Another one");
      await leave(page, page.getByRole("link", { name: "Delete" }));
      await press(page, "Delete");
      expect(await page.getByText("https://hooks.example.com/new").count()).toBe(0);
      expect(wrong).toEqual([]);
      await page.close();
    },
    PATIENT_MS,
  );

  test(
    "without JavaScript, spam is released with and without what was missed, and a delivery is sent again",
    async () => {
      const { backend, spam, message } = shop;
      const { page, wrong } = await opened({ javaScriptEnabled: false });
      const calls = () => backend.webhookCalls.length;
      const before = calls();
      await page.goto(shop.at(`/s/${spam[0]}?tab=spam`));
      await press(page, "Not spam");
      await backend.clock.advance(1_000);
      expect(calls()).toBe(before);
      await page.goto(shop.at("?status=spam"));
      await page.locator(`[data-submission-id="${spam[1]}"] input[type=checkbox]`).check();
      await press(page, "Not spam, and send what was missed");
      await page.getByText("would send 1 email and 2 webhooks").waitFor();
      await backend.clock.advance(1_000);
      expect(calls()).toBe(before);
      await press(page, "Confirm");
      await backend.clock.advance(1_000);
      expect(calls()).toBe(before + 2);
      backend.answerWebhooks(200);
      await page.goto(shop.at(`/s/${message}?tab=delivery`));
      const failing = page.locator(`[data-delivery-id="${shop.delivery}"]`);
      await leave(page, failing.getByRole("button", { name: "Send again", exact: true }));
      await backend.clock.advance(1_000);
      await page.reload();
      expect(await failing.locator(".pill").first().textContent()).toBe("Delivered");
      expect(wrong).toEqual([]);
      await page.close();
    },
    PATIENT_MS,
  );
});
