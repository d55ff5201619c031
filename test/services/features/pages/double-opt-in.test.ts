import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { wordsOf } from "../../../../src/texts/locales/_words.ts";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import ja from "../../../../src/texts/locales/ja.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";
import { type Site, startSite } from "./_site.ts";

const locales = [de, ja, ar];
/** A folder for pictures of every page and mail that is looked at here; none are made without it. */
const SHOTS = process.env["SCREENSHOTS"];

describeBrowser("double opt-in over a real mail server", (browser) => {
  let site: Site;
  let smtp: TestSmtpServer;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    site = await startSite({ locales, mailer: smtpMailer(smtp.url) });
  });
  afterAll(async () => {
    await site?.close();
    await smtp?.close();
  });

  const pageIn = async (locale: string, options: object = {}): Promise<Page> =>
    (await browser().newContext({ locale, viewport: { width: 320, height: 640 }, ...options })).newPage();

  /** Sends a form as a browser without scripts does, and answers the mail that came and its link. */
  async function asked(page: Page, name = "Newsletter") {
    const form = await site.backend.forms.create({
      name,
      self_email_notification: { recipients: ["owner@example.com"] },
      settings: { double_opt_in: { enabled: true } },
    });
    await page.goto(`${site.origin}/thanks`);
    await page.setContent(
      `<form method="post" action="${form.endpoint}"><input name="email" value="ann@${form.id}.example"><button>x</button></form>`,
    );
    await page.click("button");
    await page.waitForURL("**/thanks/**");
    await site.backend.tick();
    const mail = smtp.messages.findLast(({ to }) => to[0]?.address?.startsWith("ann@"));
    const link = /https?:\S+\/c\/\S+/.exec(mail?.text ?? "")?.[0] ?? "";
    return { form, mail, link };
  }
  const counts = async (id: string) => [
    (await site.backend.submissions.count(id)).count,
    (await site.backend.submissions.count(id, { status: "pending" })).count,
  ];
  const button = (page: Page) => page.locator("form[method=post] button");

  test("is not confirmed by scanners that open the link, run its scripts and follow what is on it", async () => {
    const page = await pageIn("en");
    const { form, link } = await asked(page);
    for (const method of ["GET", "HEAD", "GET"]) expect((await fetch(link, { method })).status).toBe(200);
    const scanner = await pageIn("en");
    const requests: string[] = [];
    scanner.on("request", (request) => void requests.push(`${request.method()} ${request.url()}`));
    await scanner.goto(link, { waitUntil: "networkidle" });
    for (const href of await scanner.locator("[href], [src]").evaluateAll((all) => all.map(String)))
      await scanner.goto(href);
    expect(requests).toEqual([`GET ${link}`]);
    expect(await counts(form.id)).toEqual([0, 1]);
    await scanner.context().close();
    await page.context().close();
  });

  test("is confirmed by a person without scripts, once, though two windows press at the same time", async () => {
    const page = await pageIn("en", { javaScriptEnabled: false });
    const { form, link, mail } = await asked(page);
    expect(mail?.to).toMatchObject([{ address: `ann@${form.id}.example`.toLowerCase() }]);
    const windows = await Promise.all([pageIn("en"), pageIn("en", { javaScriptEnabled: false })]);
    await Promise.all(windows.map((one) => one.goto(link)));
    await Promise.all(windows.map((one) => Promise.all([one.waitForNavigation(), button(one).click()])));
    for (const one of windows) expect(await one.innerText("h1")).toBe("Confirmed");
    const before = smtp.messages.length;
    await site.backend.tick();
    expect(smtp.messages.slice(before).map(({ to }) => to[0]?.address)).toEqual(["owner@example.com"]);
    expect(await counts(form.id)).toEqual([1, 0]);
    for (const one of windows) {
      await one.reload();
      expect(await one.innerText("h1")).toBe("Confirmed");
    }
    await site.backend.tick();
    expect(smtp.messages).toHaveLength(before + 1);
    await Promise.all([page, ...windows].map((one) => one.context().close()));
  });

  for (const locale of locales) {
    test(`${locale.tag}: the mail and the pages speak it and fit at 320 px`, async () => {
      const words = wordsOf(locale);
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await pageIn(locale.tag, { colorScheme });
        // The policy of another page would keep its styles away from the mail.
        const mailbox = await page.context().newPage();
        const looks = async (name: string, at = page) => {
          expect(
            await at.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
            name,
          ).toBe(0);
          if (SHOTS) await at.screenshot({ path: `${SHOTS}/${name}-${locale.tag}-${colorScheme}.png`, fullPage: true });
        };
        const { link, mail } = await asked(page, "Anmeldung zum Newsletter der Musterwerke");
        expect(await page.innerText("main")).toContain(words.opt_in.thanks());
        await looks("opt-in-thanks");
        expect(mail?.subject).toBe(words.defaults.opt_in_subject());
        await mailbox.setContent(mail?.html ?? "");
        expect(await mailbox.evaluate("getComputedStyle(document.body).direction")).toBe(locale.dir);
        expect(await mailbox.getAttribute("a", "href")).toBe(link);
        await looks("opt-in-mail", mailbox);
        await page.goto(link);
        expect(await page.innerText("h1")).toBe(words.defaults.opt_in_subject());
        expect(await faultsOf(page)).toEqual([]);
        await looks("opt-in-page");
        await button(page).click();
        await page.waitForLoadState();
        expect(await page.innerText("main")).toContain(words.opt_in.done());
        await looks("opt-in-done");
        await page.context().close();
      }
    });
  }
});
