import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { openShop, type Shop } from "./_shop.ts";

describeBrowser("settings without JavaScript", (browser) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });
  afterAll(() => shop?.close());

  test("each section is saved, and a fault stands beside its control", async () => {
    const context = await browser().newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const edits: Readonly<Record<string, readonly [label: string, value: string]>> = {
      general: ["Key", "contact"],
      spam: ["Allowed websites", "https://example.com"],
      notification: ["Subject", "New: {{name}}"],
      reply: ["Sender's name", "Corner Bakery"],
      "after-submit": ["Headline", "Thanks!"],
      storage: ["Days to keep submissions", "365"],
    };
    const saved = page.getByRole("status").getByText("1 setting was saved.");
    for (const [section, [label, value]] of Object.entries(edits)) {
      await page.goto(shop.at(`/settings/${section}`));
      const control = page.getByLabel(label, { exact: true });
      const folded = page.locator("details.fold:not([open])", { has: control }).locator("summary");
      if ((await folded.count()) > 0) await folded.click();
      await control.fill(value);
      await page.getByRole("button", { name: "Save" }).click();
      await saved.waitFor();
      expect(await control.inputValue(), section).toBe(value);
    }
    await page.goto(shop.at("/settings/validation"));
    await page.locator('[name="validation.rules.0.field"]').fill("email");
    await page.locator('[name="validation.rules.0.checks.0.type"]').selectOption("email");
    await page.getByRole("button", { name: "Save" }).click();
    await saved.waitFor();
    await page.goto(shop.at("/settings/notification"));
    await page.getByLabel("Recipients").fill("nobody");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nothing was saved yet.").waitFor();
    expect(await page.getByLabel("Recipients").getAttribute("aria-invalid")).toBe("true");
    expect((await shop.backend.forms.get(shop.form)).validation.rules).toHaveLength(1);
    await context.close();
  }, 120_000);

  test("a routing rule is added, tried and shown with the submission that it matched", async () => {
    const context = await browser().newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await shop.backend.forms.update(shop.form, {
      self_email_notification: { recipients: ["sales@example.com", "help@example.com"] },
    });
    await page.goto(shop.at("/settings/routing"));
    const rule = "settings.routing.rules.0";
    await page.locator(`[name="${rule}.if.0.field"]`).fill("topic");
    await page.locator(`[name="${rule}.if.0.value"]`).fill("sales");
    const group = page.getByRole("group", { name: "New rule" });
    await group.getByLabel("sales@example.com").selectOption("To");
    await group.getByLabel("help@example.com").selectOption("Cc, seen by all");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("1 setting was saved.").waitFor();
    await page.getByRole("group", { name: "Rule 1" }).waitFor();
    const { id } = await shop.backend.submit(shop.form, { fields: { topic: "sales", email: "ann@example.com" } });
    await page.goto(`${shop.at(`/s/${id}`)}?tab=delivery`);
    await page.getByText("Rule 1 matched.").waitFor();
    await page.getByText("Cc: help@example.com").waitFor();
    await context.close();
  }, 300_000);

  test("the check of the endpoint asks it from outside", async () => {
    const context = await browser().newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(shop.at("/install"));
    await page.getByRole("button", { name: "Check the address" }).click();
    await page.getByText("The endpoint responds and accepts submissions.").waitFor();
    await page.getByLabel("Address of your page").fill("shop.example/contact");
    await page.getByRole("button", { name: "Check the page" }).click();
    await page.getByText("Pages of https://shop.example").waitFor();
    await context.close();
  }, 300_000);
});
