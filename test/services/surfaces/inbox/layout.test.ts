import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

/** The place of an element on the page, in CSS pixels. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const middle = ({ y, height }: Place): number => y + height / 2;
const bottom = ({ y, height }: Place): number => y + height;

async function placesOf(page: Page, selector: string): Promise<Place[]> {
  const boxes = await Promise.all((await page.locator(selector).all()).map((one) => one.boundingBox()));
  return boxes.filter((box) => box !== null);
}

/** The text at the end of the elements of a selector, without their padding. */
const textOf = (page: Page, selector: string): Promise<Place[]> =>
  page.evaluate(
    `Array.from(document.querySelectorAll(${JSON.stringify(selector)}), (element) => {
      const range = document.createRange();
      range.selectNodeContents(element.lastChild);
      return range.getBoundingClientRect().toJSON();
    })`,
  );

describeBrowser("what stands where in the inbox", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox();
  });
  afterAll(() => site?.close());

  const at = async (path: string, width: number, check: (page: Page) => Promise<void>): Promise<void> => {
    const { page, go, close } = await site.open(browser(), { viewport: { width, height: 720 } });
    await go(path);
    await check(page);
    await close();
  };

  test("the arrow of a way back is at the height of its words", () =>
    at(`/f/${site.formId}/s/${site.ids[2]}`, 1280, async (page) => {
      const [arrow] = await placesOf(page, ".item-bar a:first-child svg");
      const [words] = await textOf(page, ".item-bar a:first-child");
      expect(Math.abs(middle(arrow as Place) - middle(words as Place))).toBeLessThanOrEqual(1.5);
    }));

  test("a reason for spam and the link beside it stand on one line", async () => {
    const { id } = await site.backend.submit(site.formId, {
      fields: { message: "Best casino bonus, [url=http://a.example]now[/url]" },
    });
    await at(`/f/${site.formId}/s/${id}?tab=spam`, 1280, async (page) => {
      const reasons = await textOf(page, "td.where > span");
      const links = await textOf(page, "td.where > a");
      expect(links.length).toBeGreaterThan(0);
      for (const [n, link] of links.entries())
        expect(Math.abs(bottom(link) - bottom(reasons[n] as Place))).toBeLessThanOrEqual(1);
    });
  });

  test("names of forms beside their boxes do not overlap, however many lines they take", async () => {
    for (const n of [1, 2, 3]) await site.backend.forms.create({ name: `${n}${"unbreakable".repeat(11)}` });
    await site.backend.forms.create({ name: "Orders" });
    await at("/keys", 320, async (page) => {
      const names = await textOf(page, ".ticks label");
      expect(names.length).toBeGreaterThan(3);
      for (const [n, name] of names.slice(1).entries())
        expect(name.y).toBeGreaterThanOrEqual(bottom(names[n] as Place));
    });
  });

  test("a value of statistics takes two lines on a phone, and one beside it", async () => {
    for (const [width, most] of [
      [320, 44],
      [1280, 24],
    ] as const)
      await at(`/f/${site.formId}/stats?interval=month&by=message`, width, async (page) => {
        const values = await placesOf(page, ".bars th bdi");
        expect(values.length).toBeGreaterThan(3);
        for (const { height } of values) expect(height).toBeLessThanOrEqual(most);
      });
  });

  test("a short name keeps its line beside a long address", () =>
    at("/email-servers", 1280, async (page) => {
      await site.backend.emailServers.delete(site.serverId);
      await site.backend.emailServers.create({
        name: "Office",
        host: `${"long-name.".repeat(12)}example.com`,
        port: 587,
        from: "Corner Bakery <hello@bakery.example>",
      });
      await page.reload();
      const [name] = await placesOf(page, "th a:has-text('Office') bdi");
      expect((name as Place).height).toBeLessThan(30);
    }));

  test("a preview of 600 px is seen whole where it is beside its settings", () =>
    at(`/f/${site.formId}/settings/notification`, 1280, async (page) => {
      const [frame] = await placesOf(page, ".frame");
      const [preview] = await placesOf(page, ".frame iframe");
      expect((preview as Place).width).toBe(600);
      expect((frame as Place).width).toBeGreaterThanOrEqual(600);
    }));

  test("the recipient of a delivery is below its name, for those who may not send it again, too", async () => {
    const reader = await startInbox({
      authenticate: () => ({ id: "vera", name: "Vera", team_ids: ["default"], role: "viewer" }),
    });
    await reader.backend.forms.update(reader.formId, { self_email_notification: { recipients: ["me@example.com"] } });
    const { id } = await reader.backend.submit(reader.formId, { fields: { name: "Ann" } });
    await reader.backend.tick();
    const { page, go, close } = await reader.open(browser(), { viewport: { width: 1280, height: 720 } });
    await go(`/f/${reader.formId}/s/${id}?tab=delivery`);
    const [name] = await placesOf(page, ".delivery-head h2");
    const [recipient] = await placesOf(page, ".delivery-head .where");
    expect((recipient as Place).y).toBeGreaterThanOrEqual(bottom(name as Place));
    await close();
    await reader.close();
  });
});
