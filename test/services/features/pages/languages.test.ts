import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locale } from "../../../../src/index.ts";
import { wordsOf } from "../../../../src/texts/locales/_words.ts";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import fr from "../../../../src/texts/locales/fr.ts";
import he from "../../../../src/texts/locales/he.ts";
import ja from "../../../../src/texts/locales/ja.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { inTurn } from "../../../_support/runs.ts";
import { type Site, startSite } from "./_site.ts";

const locales = [de, ja, ar, he, fr];
const seen = [de, ja, ar];
const widths = [320, 1280];
const schemes = ["light", "dark"] as const;
/** A folder for pictures of every page and mail that is looked at here; none are made without it. */
const SHOTS = process.env["SCREENSHOTS"];

const LABELS: Readonly<Record<string, Record<string, string>>> = {
  de: { email: "E-Mail-Adresse", message: "Ihre Nachricht", topic: "Thema" },
  ja: { email: "メールアドレス", message: "お問い合わせ内容", topic: "ご用件" },
  ar: { email: "البريد الإلكتروني", message: "رسالتكم", topic: "الموضوع" },
};

describeBrowser("pages and mails in the languages of visitors", (browser) => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ locales });
  });
  afterAll(() => site?.close());

  const formWith = (settings: object, more: object = {}) =>
    site.backend.forms.create({
      name: "Kontakt",
      after_submit: { page: { mode: "system", theme: "fancy" } },
      validation: {
        rules: [
          { field: "email", checks: [{ type: "required" }, { type: "email" }] },
          { field: "message", checks: [{ type: "min_length", value: "20" }] },
          { field: "topic", checks: [{ type: "required" }] },
        ],
      },
      self_email_notification: { recipients: ["owner@example.com"] },
      auto_response: { enabled: true },
      settings,
      ...more,
    });

  const fill = async (page: Page, endpoint: string, fields: Record<string, string>): Promise<void> => {
    await page.goto(`${site.origin}/thanks`);
    await page.setContent(
      `<form method="post" action="${endpoint}">${Object.entries(fields)
        .map(([name, value]) => `<input name="${name}" value="${value}">`)
        .join("")}<button>x</button></form>`,
    );
    await page.click("button");
    await page.waitForURL(`${endpoint}**`);
    await page.waitForLoadState();
  };

  const overflow = (page: Page): Promise<number> =>
    page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  const shoot = async (page: Page, name: string): Promise<void> => {
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  };
  const look = (locale: Locale) => async (at: (page: Page, name: string, view: number) => Promise<void>) => {
    for (const [wide, width] of widths.entries()) {
      for (const [dark, colorScheme] of schemes.entries()) {
        const context = await browser().newContext({
          viewport: { width, height: 700 },
          colorScheme,
          locale: locale.tag,
        });
        await at(await context.newPage(), `${locale.tag}-${width}-${colorScheme}`, wide + dark);
        await context.close();
      }
    }
  };

  for (const [nth, locale] of seen.entries()) {
    const words = wordsOf(locale);

    test(`${locale.tag}: the error page speaks it, fits at 320 and 1280 px, light and dark`, async () => {
      const { endpoint } = await formWith({ labels: LABELS[locale.tag] ?? {} });
      await look(locale)(async (page, name, view) => {
        await fill(page, endpoint, { email: "nonsense", message: "kurz" });
        expect(
          await page.evaluate("document.documentElement.lang + ' ' + getComputedStyle(document.body).direction"),
        ).toBe(`${locale.tag} ${locale.dir}`);
        const text = await page.innerText("main");
        expect(text).toContain(words.titles.validation_failed());
        expect(text).toContain(words.validation.email({ field: LABELS[locale.tag]?.["email"] ?? "" }));
        expect(text).toContain(words.validation.required({ field: LABELS[locale.tag]?.["topic"] ?? "" }));
        expect(text).toContain(words.page.send_again());
        expect(await overflow(page)).toBe(0);
        if (inTurn(nth, view)) expect(await faultsOf(page)).toEqual([]);
        await shoot(page, `error-${name}`);
      });
    });

    for (const theme of ["fancy", "formal"] as const) {
      test(`${locale.tag}: mails of the theme ${theme} speak it and fit`, async () => {
        const { id } = await formWith(
          { language: locale.tag, labels: LABELS[locale.tag] ?? {} },
          {
            self_email_notification: { recipients: ["owner@example.com"], template: { theme } },
            auto_response: { enabled: true, template: { theme } },
            validation: { rules: [] },
          },
        );
        const before = site.backend.mails.length;
        await site.backend.submit(id, {
          fields: {
            email: `${theme}@${locale.tag}.example.com`,
            topic: "Rückfrage",
            message: "Hallo, مرحبا, こんにちは.\nhttps://example.com/a",
          },
          files: [{ key: "cv", name: "lebenslauf.txt", content: new TextEncoder().encode("x".repeat(2_000)) }],
        });
        await site.backend.tick();
        const mails = site.backend.mails.slice(before);
        expect(mails).toHaveLength(2);
        await look(locale)(async (page, name) => {
          for (const { subject, html } of mails) {
            await page.setContent(html);
            expect(await page.evaluate("getComputedStyle(document.body).direction"), subject).toBe(locale.dir);
            expect(await overflow(page), subject).toBe(0);
            const kind = subject === words.defaults.reply_subject() ? "reply" : "owner";
            await shoot(page, `${kind}-${theme}-${name}`);
          }
        });
      });
    }
  }

  test("Arabic without JavaScript: refused, corrected, sent, thanked, from right to left", async () => {
    const { id, endpoint } = await formWith({ labels: LABELS["ar"] ?? {} });
    const context = await browser().newContext({
      javaScriptEnabled: false,
      locale: "ar",
      viewport: { width: 320, height: 640 },
    });
    const page = await context.newPage();
    await fill(page, endpoint, { email: "nonsense", message: "مرحبًا، هذه رسالة طويلة بما يكفي." });
    const words = wordsOf(ar);
    expect(await page.innerText("h1")).toBe(words.titles.validation_failed());
    await page.fill('[name="email"]', "ada@example.com");
    await page.click(`text=${words.page.send_again()}`);
    await page.waitForLoadState();
    expect(await page.innerText("main")).toContain(words.validation.required({ field: "الموضوع" }));
    const topic = page.locator('[name="topic"]');
    if ((await topic.getAttribute("type")) === "checkbox") await topic.check();
    else await topic.fill("سؤال");
    await page.click(`text=${words.page.send_again()}`);
    await page.waitForURL("**/thanks/**");
    expect(await page.innerText("h1")).toBe(words.defaults.headline());
    expect(await page.innerText("main")).toContain(words.defaults.message());
    expect(await page.innerText("main")).toContain(words.defaults.return());
    await shoot(page, "thanks-ar");
    await context.close();
    const { data } = await site.backend.submissions.list(id);
    expect(data.map(({ fields }) => fields.find(({ key }) => key === "email")?.value)).toEqual(["ada@example.com"]);
    await site.backend.tick();
    expect(site.backend.mails.at(-1)?.subject).toBeDefined();
    expect(site.backend.mails.some(({ subject }) => subject === words.defaults.reply_subject())).toBe(true);
  });

  test("each language that Chromium asks for answers in that language", async () => {
    const { endpoint } = await formWith({});
    for (const { tag } of [...locales, { tag: "en" }]) {
      const context = await browser().newContext({ locale: tag === "de" ? "de-AT" : tag });
      const page = await context.newPage();
      await fill(page, endpoint, { email: "nonsense" });
      expect(await page.getAttribute("html", "lang")).toBe(tag);
      await context.close();
    }
  });
});
