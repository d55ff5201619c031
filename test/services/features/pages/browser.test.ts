import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser, faultsOf, WCAG } from "../../../_support/browser.ts";
import { inTurn } from "../../../_support/runs.ts";
import { type Site, startSite } from "./_site.ts";

const themes = ["fancy", "formal", "sweet"] as const;
const schemes = ["light", "dark"] as const;

const WIDTH = "document.documentElement.scrollWidth";

const formOf = (action: string, fields: Record<string, string>): string =>
  `<form method="post" action="${action}">${Object.entries(fields)
    .map(([name, value]) => `<textarea name="${name}">${value}</textarea>`)
    .join("")}<button>Send</button></form>`;

const LONG = `${"A headline that goes on ".repeat(8)}${"Unbreakable".repeat(20)}`;
const rules = [
  { field: "email", checks: [{ type: "email" as const }] },
  { field: LONG.slice(0, 150), checks: [{ type: "required" as const }] },
];
const colours: [primary: string, secondary: string][] = [
  ["#2563eb", "#ffffff"],
  ["#facc15", "#fde68a"],
  ["#ffffff", "#ff00ff"],
  ["#050505", "#808080"],
];

describeBrowser("pages and mails in the browser", (browser) => {
  let site: Site;
  let other: Site;
  beforeAll(async () => {
    [site, other] = await Promise.all([startSite(), startSite()]);
  });
  afterAll(async () => {
    await site?.close();
    await other?.close();
  });

  /** The page that the form answers, shown under its own headers. */
  async function show(page: Page, look: object, kind: "thanks" | "error" | "endpoint" = "thanks"): Promise<void> {
    const form = await site.backend.forms.create({
      name: "Contact",
      after_submit: { page: { download_button: { text: "Download", url: `${site.origin}/file` }, ...look } },
      validation: { rules: kind === "error" ? rules : [] },
    });
    if (kind === "endpoint") return void (await page.goto(form.endpoint));
    const fields = { email: "nonsense", message: "two\nlines", ["x".repeat(150)]: "y".repeat(70) };
    await page.goto(`${site.origin}/thanks`);
    await page.setContent(formOf(form.endpoint, fields));
    await page.click("button");
    await page.waitForURL(`${form.endpoint}**`);
    await page.waitForLoadState();
  }

  test("axe-core finds what is wrong where something is", async () => {
    const page = await browser().newPage();
    await page.setContent('<p style="color:#999;background:#fff">grey on white</p><input>');
    const found = (await faultsOf(page, WCAG)).map((fault) => fault.split(":")[0]);
    expect(found).toEqual(expect.arrayContaining(["color-contrast", "document-title", "html-has-lang", "label"]));
    await page.close();
  });

  for (const [nth, theme] of themes.entries()) {
    test(`${theme}: axe-core finds nothing in any mode, scheme and colour, and 320 px are enough`, async () => {
      for (const scheme of schemes) {
        const page = await browser().newPage({ viewport: { width: 320, height: 640 }, colorScheme: scheme });
        const violations: string[] = [];
        page.on("console", (message) => message.type() === "error" && violations.push(message.text()));
        for (const [n, [primary_color, secondary_color]] of colours.entries()) {
          let look = nth + n + Number(scheme === "dark");
          for (const mode of scheme === "light" ? (["light", "dark", "system"] as const) : (["system"] as const)) {
            for (const kind of mode === "system" ? (["thanks", "error"] as const) : (["thanks"] as const)) {
              const label = `${theme} ${mode} ${scheme} ${kind} ${primary_color} ${secondary_color}`;
              await show(
                page,
                {
                  theme,
                  mode,
                  headline: LONG.slice(0, 300),
                  message: LONG.repeat(3),
                  primary_color,
                  secondary_color,
                  return_button: { text: LONG.slice(0, 100) },
                },
                kind,
              );
              expect(await page.locator("h1").count(), label).toBe(1);
              // Each look in two of the four colours, which are others in the next theme.
              if (inTurn(look++)) expect(await faultsOf(page), label).toEqual([]);
              expect(await page.evaluate(WIDTH), label).toBeLessThanOrEqual(320);
            }
          }
        }
        expect(violations.filter((text) => /Content Security Policy/.test(text))).toEqual([]);
        await page.close();
      }
    }, 120_000);
  }

  test("modes: light and dark stay what they are, system follows the reader", async () => {
    const backgrounds: Record<string, unknown> = {};
    for (const scheme of schemes) {
      const page = await browser().newPage({ colorScheme: scheme });
      for (const mode of ["light", "dark", "system"] as const) {
        await show(page, { theme: "formal", mode });
        backgrounds[`${mode} ${scheme}`] = await page.evaluate(
          'getComputedStyle(document.querySelector("main")).backgroundColor',
        );
      }
      await page.close();
    }
    const [light, dark] = ["rgb(255, 255, 255)", "rgb(20, 26, 40)"];
    expect(backgrounds).toEqual({
      "light light": light,
      "light dark": light,
      "dark light": dark,
      "dark dark": dark,
      "system light": light,
      "system dark": dark,
    });
  });

  test("the endpoint's page", async () => {
    for (const scheme of schemes) {
      const page = await browser().newPage({ viewport: { width: 320, height: 640 }, colorScheme: scheme });
      await show(page, {}, "endpoint");
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(WIDTH)).toBeLessThanOrEqual(320);
      await page.close();
    }
  });

  test("without script: the error page's form sends again, and the redirect to another site goes through its CSP", async () => {
    const form = await site.backend.forms.create({
      name: "Contact",
      validation: { rules: [{ field: "email", checks: [{ type: "email" }] }] },
      after_submit: { redirect: { success_url: `${other.origin}/thanks` } },
    });
    const context = await browser().newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.setContent(formOf(form.endpoint, { email: "nonsense", message: "kept" }));
    await page.click("button");
    await page.waitForURL(`${form.endpoint}**`);
    // What was right goes along unseen.
    expect(await page.locator('input[type="hidden"][name="message"]').getAttribute("value")).toBe("kept");
    const email = page.getByLabel("email");
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator(`#${await email.getAttribute("aria-describedby")}`).textContent()).toBe(
      "The email must be a valid email address.",
    );
    await email.fill("ada@example.com");
    await page.getByRole("button", { name: "Send again" }).click();
    await page.waitForURL(`${other.origin}/thanks`);
    const { data } = await site.backend.submissions.list(form.id);
    expect(data.map(({ fields }) => fields)).toEqual([
      [
        { key: "email", value: "ada@example.com" },
        { key: "message", value: "kept" },
      ],
    ]);
    await context.close();
  });

  for (const theme of ["fancy", "formal"] as const) {
    test(`${theme} mails: axe-core finds nothing, light or dark, and 320 px are enough`, async () => {
      const page = await browser().newPage({ viewport: { width: 320, height: 640 } });
      for (const [n, [primary_color]] of colours.entries()) {
        const form = await site.backend.forms.create({
          name: "Contact form with a name that is rather long",
          self_email_notification: { recipients: ["owner@example.com"], template: { theme } },
          auto_response: { enabled: true, template: { theme } },
          after_submit: { page: { primary_color } },
        });
        const before = site.backend.mails.length;
        await site.backend.submit(form.id, {
          fields: { email: `ada${n}@${theme}.example`, [`long_${"x".repeat(100)}`]: "y".repeat(300), message: LONG },
        });
        await site.backend.tick();
        const mails = site.backend.mails.slice(before);
        expect(mails).toHaveLength(2);
        for (const [i, { html, to }] of mails.entries()) {
          for (const [dark, colorScheme] of schemes.entries()) {
            const label = `${theme} ${colorScheme} ${primary_color} ${to.address}`;
            await page.emulateMedia({ colorScheme });
            await page.setContent(html);
            if (inTurn(n, i, dark)) expect(await faultsOf(page, WCAG), label).toEqual([]);
            expect(await page.evaluate(WIDTH), label).toBeLessThanOrEqual(320);
          }
        }
      }
      await page.close();
    }, 300_000);
  }
});
