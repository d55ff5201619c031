import { expect, test } from "vitest";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";

const rules = [
  { field: "name", checks: [{ type: "required" as const }] },
  { field: "email", checks: [{ type: "required" as const }, { type: "email" as const }] },
  { field: "topic", checks: [{ type: "required" as const }, { type: "one_of" as const, value: "Sales, Help" }] },
  { field: "terms", checks: [{ type: "required" as const }] },
];

describeBrowser("the HTML of a form", (browser) => {
  const open = async (markup: string) => {
    const page = await (await browser().newContext({ javaScriptEnabled: true })).newPage();
    await page.setContent(
      `<!doctype html><html lang="en"><head><title>Contact</title></head><body><main><h1>Contact</h1>${markup}</main></body></html>`,
    );
    return page;
  };

  test("has no fault that axe finds, with and without errors", async () => {
    const backend = createTestBackend();
    const { id } = await backend.forms.create({ name: "Contact", validation: { rules } });
    const plain = await open(await backend.forms.html(id));
    expect(await faultsOf(plain)).toEqual([]);
    await plain.context().close();
    const errors = { name: "Please give a name.", topic: "Please choose.", terms: "Please agree." };
    const page = await open(await backend.forms.html(id, { errors, values: { email: "ann@example.com" } }));
    expect(await faultsOf(page)).toEqual([]);
    await page.context().close();
    await backend.close();
  });

  test("gives the summary the focus without a script of its own, and leads to each field", async () => {
    const backend = createTestBackend();
    const { id } = await backend.forms.create({ name: "Contact", validation: { rules } });
    const page = await open(await backend.forms.html(id, { errors: { name: "No name.", topic: "No topic." } }));
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("form-error-summary");
    await page.click("text=No topic.");
    expect(await page.evaluate("document.activeElement.value")).toBe("Sales");
    await page.click("text=No name.");
    expect(await page.evaluate("document.activeElement.name")).toBe("name");
    await page.context().close();
    await backend.close();
  });
});
