import { expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { enhancedForm } from "./_enhanced.ts";

const fields = `<label>Name <input name="name"></label><label>Email <input name="email"></label>
  <input type="radio" name="topic" value="praise" checked aria-label="Praise"><input name="off" disabled><button>Send</button>`;

describeBrowser("enhance with `availability`", (browser) => {
  const it = enhancedForm(fields, browser);
  const set = (availability: object) =>
    it.site.backend.forms.update(it.site.form.id, { settings: { availability: { public: true, ...availability } } });
  const said = () => it.page.textContent("[data-form-backend-availability]", { timeout: 5_000 });
  const disabled = () => it.page.locator("input:disabled, button:disabled").count();
  const send = async (name: string): Promise<void> => {
    await it.page.fill("[name=name]", name);
    await it.page.fill("[name=email]", `${name.toLowerCase()}@example.com`);
    await it.page.focus("button");
    await it.page.keyboard.press("Enter");
  };

  test("says how many places are left, and disables the form with the last one", async () => {
    await set({ limit: 2 });
    await it.open({ availability: true });
    await expect.poll(said).toBe("2 places left");
    expect(await disabled()).toBe(1);
    await send("Ann");
    await expect.poll(said).toBe("1 place left");
    await send("Bo");
    await expect.poll(said).toBe("All places of this form are taken.");
    await expect.poll(disabled).toBe(5);
    expect(await it.told()).toMatch(/^Thank you!/);
    expect(await it.page.evaluate("document.activeElement.hasAttribute('data-form-backend-availability')")).toBe(true);
  });

  test("disables the form when it closes, and gives it back", async () => {
    await set({ closes_at: new Date(Date.now() + 2_500).toISOString() });
    await it.open({ availability: true });
    expect(await disabled()).toBe(1);
    await expect.poll(disabled, { timeout: 10_000 }).toBe(5);
    expect(await said()).toBe("This form does not accept submissions at this time.");
    await it.page.evaluate("undo()");
    expect(await disabled()).toBe(1);
  });

  test("leaves a form alone that does not tell, and one that did not ask", async () => {
    await set({ limit: 1, public: false });
    const asked: number[] = [];
    it.page.on("response", (response) => {
      if (response.url().includes("/availability")) asked.push(response.status());
    });
    await it.open({ availability: true });
    await expect.poll(() => asked).toEqual([404]);
    await send("Ann");
    await expect.poll(it.told).toMatch(/^Thank you!/);
    await expect.poll(() => asked).toEqual([404, 404]);
    expect(await it.page.locator("[data-form-backend-availability]").count()).toBe(0);
    expect(await disabled()).toBe(1);
    await set({ limit: 5 });
    await it.open({});
    await send("Bo");
    await expect.poll(it.told).toMatch(/^Thank you!/);
    expect(asked).toEqual([404, 404]);
  });
});
