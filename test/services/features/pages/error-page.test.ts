import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Check } from "../../../../src/model/rules.ts";
import ar from "../../../../src/texts/locales/ar.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { type Site, startSite } from "./_site.ts";

/** The members of an element that are read in the browser; the tests are typed without the DOM. */
interface Control {
  readonly localName: string;
  getAttribute(name: string): string | null;
}

const CV = { name: "cv.txt", mimeType: "text/plain", buffer: Buffer.from("My whole life") };

const required: Partial<Check> = { type: "required" };
const rules = [
  { field: "email", checks: [{ type: "email" }] },
  { field: "terms", checks: [required] },
  { field: "plan", checks: [required, { type: "one_of", value: "free,team" }] },
  { field: "size", checks: [required, { type: "one_of", value: "XS,S,M,L,XL,XXL,3XL" }] },
  { field: "message", checks: [{ type: "min_length", value: "20" }] },
] as { field: string; checks: Check[] }[];

const inputs = `
  <input type="hidden" name="campaign" value="spring &amp; &quot;summer&quot;">
  <input name="name"><input name="email"><textarea name="message"></textarea>
  <input type="checkbox" name="terms"><input type="checkbox" name="news" value="weekly">
  <input type="radio" name="plan" value="free"><input type="radio" name="plan" value="team">
  <select name="size"><option value=""></option><option>S</option><option>M</option></select>
  <input type="password" name="password"><input type="file" name="cv"><input type="file" name="photo">`;

/** A control in the page, whose types this program does not know. */
interface Control {
  readonly localName: string;
  getAttribute(name: string): string | null;
}

describeBrowser("the error page in the browser", (browser) => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.close());

  /** The page with the form, opened in a browser of its own. */
  async function open(endpoint: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser().newContext(options);
    const page = await context.newPage();
    const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Contact</title><form method="post" enctype="multipart/form-data" action="${endpoint}">${inputs}<button>Send</button></form>`;
    await page.route(`${site.origin}/contact`, (route) => route.fulfill({ contentType: "text/html", body }));
    await page.goto(`${site.origin}/contact`);
    return page;
  }

  const seen = (page: Page): Promise<string[]> =>
    page
      .locator("input:not([type=hidden]), select, textarea")
      .evaluateAll((all) =>
        (all as unknown as Control[]).map(
          (one) => `${one.getAttribute("type") ?? one.localName} ${one.getAttribute("name")}`,
        ),
      );

  test("without script: checkbox, radio, list, text, password and file are asked for again, hidden and right ones are kept", async () => {
    const form = await site.backend.forms.create({ name: "Contact", validation: { rules } });
    const page = await open(form.endpoint, { javaScriptEnabled: false });
    await page.fill("[name=name]", "Zoë “Z” <Li>");
    await page.fill("[name=email]", "nonsense");
    await page.fill("[name=message]", "too\nshort");
    await page.check("[name=news]");
    await page.fill("[name=password]", "hunter2");
    await page.setInputFiles("[name=cv]", CV);
    await page.click("button");
    expect(await page.textContent("h1")).toBe("Please check your entries");
    expect(await seen(page)).toEqual([
      "input email",
      "textarea message",
      "select size",
      "password password",
      "checkbox terms",
      "radio plan",
      "radio plan",
      "file cv",
    ]);
    expect(await page.content()).not.toContain("hunter2");
    expect((await site.backend.submissions.list(form.id)).data).toEqual([]);

    await page.getByLabel("email").fill("zoe@example.com");
    await page.getByLabel("message").fill("long enough to be read,\nin two lines");
    await page.getByLabel("size").selectOption("M");
    await page.getByLabel("password").fill("hunter3");
    await page.getByLabel("terms").check();
    await page.getByRole("radio", { name: "team" }).check();
    await page.getByLabel("cv").setInputFiles(CV);
    await page.getByRole("button", { name: "Send again" }).click();
    await page.waitForURL(`${form.endpoint}/thanks/**`);
    const { data } = await site.backend.submissions.list(form.id);
    expect(data.map(({ fields }) => fields)).toEqual([
      [
        { key: "campaign", value: 'spring & "summer"' },
        { key: "name", value: "Zoë “Z” <Li>" },
        { key: "email", value: "zoe@example.com" },
        { key: "message", value: "long enough to be read,\r\nin two lines" },
        { key: "news", value: "weekly" },
        { key: "size", value: "M" },
        { key: "password", value: "hunter3" },
        { key: "terms", value: "on" },
        { key: "plan", value: "team" },
      ],
    ]);
    expect(data[0]?.attachments).toMatchObject([{ key: "cv" }]);
    await page.context().close();
  });

  for (const colorScheme of ["light", "dark"] as const)
    for (const theme of ["fancy", "formal", "sweet"] as const)
      test(`${theme}, ${colorScheme}: axe-core finds nothing, and 320 px are enough, with long and hostile labels`, async () => {
        const form = await site.backend.forms.create({
          name: "Contact",
          validation: { rules },
          after_submit: { page: { theme, mode: "system", primary_color: "#facc15" } },
        });
        const labels = { email: "W".repeat(120), plan: "<img src=x onerror=alert(1)> البريد الإلكتروني" };
        const url = `${site.origin}/forms/v1/forms/${form.id}/settings`;
        const headers = { authorization: `Bearer ${site.backend.key}`, "content-type": "application/json" };
        expect((await fetch(url, { method: "PATCH", headers, body: JSON.stringify({ labels }) })).status).toBe(200);
        const page = await open(form.endpoint, { colorScheme, viewport: { width: 320, height: 640 } });
        await page.fill("[name=email]", "nonsense".repeat(9));
        await page.setInputFiles("[name=cv]", CV);
        await page.click("button");
        await page.waitForSelector("h1");
        expect(await faultsOf(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
        if (process.env["SHOTS"]) {
          await page.screenshot({ path: `${process.env["SHOTS"]}/${theme}-${colorScheme}-320.png`, fullPage: true });
          await page.setViewportSize({ width: 1200, height: 900 });
          await page.screenshot({ path: `${process.env["SHOTS"]}/${theme}-${colorScheme}-1200.png`, fullPage: true });
        }
        await page.context().close();
      }, 300_000);

  test("on a page from right to left, Latin labels stand above the right edge of their controls", async () => {
    const arabic = await startSite({ locales: [ar] });
    const form = await arabic.backend.forms.create({ name: "Contact", validation: { rules } });
    const context = await browser().newContext({ locale: "ar", viewport: { width: 320, height: 640 } });
    const page = await context.newPage();
    const body = `<!doctype html><title>x</title><form method="post" action="${form.endpoint}"><input name="email" value="nonsense"><button>Send</button></form>`;
    await page.route(`${arabic.origin}/contact`, (route) => route.fulfill({ contentType: "text/html", body }));
    await page.goto(`${arabic.origin}/contact`);
    await page.click("button");
    await page.waitForSelector("h1");
    const ends =
      await page.evaluate(`Array.from(document.querySelectorAll(".field > label:not(.choice), legend"), (label) => {
      const range = document.createRange();
      range.selectNodeContents(label);
      return [label.textContent, Math.round(label.getBoundingClientRect().right - range.getBoundingClientRect().right)];
    })`);
    expect(ends).toEqual(["email", "plan", "size"].map((name) => [name, 0]));
    await context.close();
    await arabic.close();
  });
});
