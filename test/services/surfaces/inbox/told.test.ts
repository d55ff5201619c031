import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

const POLL_MS = 16_000;

/** Lets the page ask for the first time, and waits for the answer, with which it compares all later ones. */
async function firstPoll(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/poll"));
  await page.clock.runFor(POLL_MS);
  await (await answered).finished();
}

/** Lets the page ask until `shown` is true: it plans its next question only when it has read the last answer. */
const pollUntil = (page: Page, shown: () => Promise<boolean>): Promise<void> =>
  expect
    .poll(async () => {
      await page.clock.runFor(POLL_MS);
      return await shown();
    })
    .toBe(true);

describeBrowser("being told of what comes in", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox();
  });
  afterAll(() => site?.close());
  const line = (id: string): string => `tr[data-submission-id="${id}"]`;

  test("the title and the icon have the number of unread submissions, on every page", async () => {
    const { page, go, faults, close } = await site.open(browser());
    await page.clock.install();
    await go("/replies");
    const unread = async (): Promise<number> => Number(/^\((\d+)\) /.exec(await page.title())?.[1] ?? 0);
    const icon = () => page.locator("link[rel=icon]").getAttribute("href");
    const before = await unread();
    expect(before).toBeGreaterThan(0);
    expect(await icon()).toContain("/assets/unread-");
    await site.backend.submit(site.formId, { fields: { name: "Ann", message: "Now" } });
    await page.clock.runFor(POLL_MS);
    await expect.poll(unread).toBe(before + 1);
    expect(faults).toEqual([]);
    await close();
  });

  test("asks the browser for notifications, and shows one while another window has the attention", async () => {
    const { page, go, close } = await site.open(browser(), { permissions: ["notifications"] });
    await page.addInitScript(`
      window.told = [];
      window.Notification = class extends EventTarget {
        static permission = "granted";
        static requestPermission() { window.asked = true; return Promise.resolve("granted"); }
        constructor(title, options) { super(); window.told.push([title, options.body]); }
      };
      document.hasFocus = () => false;`);
    await page.clock.install();
    await go(`/f/${site.formId}`);
    await page.locator(".menu summary").click();
    await page.locator("[data-told=notice]").click();
    await page.locator("[data-told=notice][aria-pressed=true]").waitFor();
    expect(await page.evaluate("window.asked")).toBe(true);
    await firstPoll(page);
    await site.backend.submit(site.formId, { fields: { name: "Bo", message: "Hello" } });
    await pollUntil(page, async () => (await page.evaluate("window.told.length")) === 1);
    expect(await page.evaluate("window.told[0][1]")).toMatch(/^\d+ unread$/);
    // It stays switched on in this browser.
    await go("/replies");
    expect(await page.locator("[data-told=notice]").getAttribute("aria-pressed")).toBe("true");
    await close();
  });

  test("a list follows what colleagues do, and moves no line for it", async () => {
    const { page, go, close } = await site.open(browser(), { timezoneId: "Asia/Tokyo" });
    await page.clock.install();
    await go(`/f/${site.formId}?state=open`);
    const ids = await page
      .locator("tr[data-submission-id]")
      .evaluateAll((rows) =>
        (rows as { dataset: Record<string, string> }[]).map(({ dataset }) => dataset["submissionId"] ?? ""),
      );
    const [, labelled = "", done = "", last = ""] = ids;
    await page.locator(`${line(last)} input`).check();
    const before = await page.locator(line(last)).boundingBox();
    const times = await page.locator(".list time").allTextContents();
    await firstPoll(page);
    await site.backend.clock.advance(1_000);
    await site.backend.submissions.update(site.formId, labelled, { labels: ["urgent"] });
    await site.backend.submissions.update(site.formId, done, { state: "done" });
    const urgent = page.locator(`${line(labelled)} .pill`, { hasText: "urgent" });
    await pollUntil(page, async () => (await urgent.count()) === 1);
    await page.locator(`${line(done)}.gone`).waitFor();
    expect(await page.locator(line(last)).boundingBox()).toEqual(before);
    expect(await page.locator(`${line(last)} input`).isChecked()).toBe(true);
    // In the zone of the reader, not of the server.
    expect(await page.locator(".list time").allTextContents()).toEqual(times);
    await close();
  });

  test("without a connection, the page, what is selected and what is typed stay", async () => {
    const { page, go, close } = await site.open(browser());
    await go(`/f/${site.formId}`);
    const [id = ""] = site.ids;
    await page.locator(`${line(id)} input`).check();
    await page.context().setOffline(true);
    await page.locator('.toolbar button[value="mark_spam"]').click();
    await page.locator(".toast[role=alert]").waitFor();
    expect(await page.locator(`${line(id)} input`).isChecked()).toBe(true);
    await page.locator(`${line(id)} th a`).click();
    expect(new URL(page.url()).pathname).toContain(`/f/${site.formId}`);
    await page.context().setOffline(false);
    await page.locator('.toolbar button[value="mark_spam"]').click();
    await page.locator(line(id)).waitFor({ state: "detached" });
    await close();
  });
});
