import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

/** A colour as the browser painted it. */
type Pixel = readonly [red: number, green: number, blue: number];
type Point = readonly [x: number, y: number];

/** Reads points of what a page shows now, from a picture that a second page decodes. */
async function pixels(page: Page, points: readonly Point[]): Promise<Pixel[]> {
  const picture = (await page.screenshot({ animations: "disabled", caret: "initial" })).toString("base64");
  const reader = await (page.context().browser() as Browser).newPage();
  try {
    return await reader.evaluate(`(async () => {
      const blob = await (await fetch("data:image/png;base64,${picture}")).blob();
      const bitmap = await createImageBitmap(blob);
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return ${JSON.stringify(points)}.map(([x, y]) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3));
    })()`);
  } finally {
    await reader.close();
  }
}

/** The place of an element, in CSS pixels of the window. */
async function placeOf(page: Page, selector: string) {
  const { x, y, width, height } = (await page.locator(selector).first().boundingBox()) ?? expect.fail(selector);
  return { x, y, width, height, right: x + width, bottom: y + height };
}

/** The submissions that these links lead to. */
const idsIn = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(
    `Array.from(document.querySelectorAll(${JSON.stringify(selector)}), ({ href }) => /\\/s\\/(\\w+)/.exec(href)?.[1])`,
  );

describeBrowser("what a designer saw in the inbox at first", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox();
  });
  afterAll(() => site?.close());

  const form = () => `/f/${site.formId}`;
  const row = (n: number): string => `tr[data-submission-id="${site.ids[n]}"]`;

  for (const colorScheme of ["light", "dark"] as const)
    test(`a selected line and one with the cursor have their tint from side to side: ${colorScheme}`, async () => {
      const { page, go, close } = await site.open(browser(), { colorScheme });
      await go(form());
      await page.keyboard.press("j");
      await page.locator(`${row(3)} input`).check();
      for (const n of [0, 3]) {
        const [line, text] = [await placeOf(page, row(n)), await placeOf(page, `${row(n)} td:nth-child(3)`)];
        const y = line.bottom - 3;
        const seen = await pixels(page, [
          [line.x + 10, y],
          [text.x + 10, y],
          [text.right - 10, y],
          [line.right - 10, y],
          [text.right - 10, (await placeOf(page, row(1))).bottom - 3],
        ]);
        const [tint, ...others] = seen;
        expect(others.slice(0, 3)).toEqual([tint, tint, tint]);
        expect(others[3]).not.toEqual(tint);
      }
      await close();
    });

  test("a short submission beside the list keeps the heights of a narrow window", async () => {
    const { id } = await site.backend.submit(site.formId, { fields: { name: "Ann", email: "ann@example.com" } });
    const { page, go, close } = await site.open(browser());
    const seen: { reply: number; tab: number }[] = [];
    for (const [width, height] of [
      [1280, 800],
      [1440, 900],
      [1920, 1080],
    ] as const) {
      await page.setViewportSize({ width, height });
      await go(`${form()}/s/${id}`);
      const { height: reply } = await placeOf(page, ".acts .button");
      seen.push({ reply, tab: (await placeOf(page, ".tabs [aria-current]")).height });
    }
    for (const one of seen) expect(one).toEqual({ reply: 32, tab: seen[0]?.tab });
    await site.backend.submissions.delete(site.formId, id);
    await close();
  });

  for (const [width, colorScheme] of [
    [1280, "light"],
    [1280, "dark"],
    [320, "light"],
  ] as const)
    test(`the line that has the keyboard's focus shows a ring on all sides: ${width} px, ${colorScheme}`, async () => {
      const { page, go, close } = await site.open(browser(), { colorScheme, viewport: { width, height: 800 } });
      await go(form());
      await page.locator(row(2)).scrollIntoViewIfNeeded();
      const { x, y, right, bottom } = await placeOf(page, `${row(2)} th a`);
      // Beside the dot of an unread one.
      const points: Point[] = [
        [x + 1, bottom - 6],
        [right - 2, bottom - 6],
        [(x + right) / 2, y + 1],
        [(x + right) / 2, bottom - 2],
      ];
      const before = await pixels(page, points);
      await page.locator(`${row(2)} input`).focus();
      await page.keyboard.press("Tab");
      const ring = await pixels(page, points);
      expect(new Set(ring.map(String)).size, String(ring)).toBe(1);
      for (const [n, pixel] of ring.entries()) expect(contrast(pixel, before[n] as Pixel)).toBeGreaterThanOrEqual(3);
      await close();
    });

  test("a long name in the list beside a submission has all the room up to the time", async () => {
    const { id } = await site.backend.submit(site.formId, {
      fields: { name: "Jan Peter ".repeat(12), email: "jan@example.com" },
    });
    const { page, go, close } = await site.open(browser(), { viewport: { width: 1440, height: 900 } });
    await go(`${form()}/s/${id}`);
    const [name, time] = [
      await placeOf(page, ".beside li:first-child .who bdi"),
      await placeOf(page, ".beside li:first-child time"),
    ];
    expect(time.x - (name.x + name.width)).toBeLessThan(16);
    await site.backend.submissions.delete(site.formId, id);
    await close();
  });

  test("the next one, the list beside it and the way back stay in the search that a submission was opened from", async () => {
    const { page, go, close } = await site.open(browser(), { viewport: { width: 1440, height: 900 } });
    const other = await site.backend.forms.create({ name: "Orders" });
    const { id } = await site.backend.submit(other.id, { fields: { name: "Ann", message: "A cake, please" } });
    // "Order 17: the cake …" is in every fifth.
    for (const [list, found] of [
      [form(), [site.ids[0], site.ids[5], site.ids[10]]],
      ["/all", [id, site.ids[0], site.ids[5], site.ids[10]]],
    ] as const) {
      await go(`${list}?q=cake`);
      expect(await idsIn(page, "tr th a")).toEqual(found);
      await page.keyboard.press("j");
      await page.keyboard.press("o");
      for (const next of found) {
        await page.waitForURL(`**/s/${next}?**`);
        expect(await idsIn(page, ".beside a")).toEqual(found);
        if (next !== found.at(-1)) await page.keyboard.press("j");
      }
      expect(await page.locator('a[rel="next"]').count()).toBe(0);
      await page.keyboard.press("u");
      await page.waitForURL(`**${list}?q=cake**`);
    }
    await site.backend.forms.delete(other.id);
    await site.backend.submissions.delete(other.id, id);
    await close();
  });

  test("a notice with Undo shifts nothing, covers no row that has the focus, and is closed and taken back by keys", async () => {
    for (const [width, colorScheme] of [
      [320, "light"],
      [1280, "dark"],
    ] as const) {
      const { page, faults, go, close } = await site.open(browser(), { colorScheme, viewport: { width, height: 500 } });
      await go(`/f/${site.formId}`);
      await page.keyboard.press("j");
      const before = await placeOf(page, "tr.cursor");
      await page.keyboard.press("e");
      const toast = page.getByRole("status");
      await toast.getByText("1 done").waitFor();
      expect((await placeOf(page, "tr.cursor")).y).toBe(before.y);
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press("z");
      await toast.getByText("1 open again").waitFor();
      expect((await placeOf(page, "tr.cursor")).y).toBe(before.y);
      for (let n = 0; n < 12; n++) await page.keyboard.press("j");
      const [row, over] = [await placeOf(page, "tr.cursor"), await placeOf(page, ".toast")];
      expect(row.bottom).toBeLessThanOrEqual(over.y + 1);
      await page.getByRole("link", { name: "Close" }).click();
      expect(await toast.count()).toBe(0);
      expect(page.url()).not.toContain("?");
      expect(faults).toEqual([]);
      await close();
    }
  });

  test("an act on an open submission opens the next one, and the way back leads to its line", async () => {
    const { page, go, close } = await site.open(browser(), { viewport: { width: 1280, height: 400 } });
    const { id } = await site.backend.forms.create({ name: "Many" });
    const ids: string[] = [];
    for (let i = 0; i < 14; i++) {
      ids.unshift((await site.backend.submit(id, { fields: { name: `Ann ${i}`, message: "Hello" } })).id);
      await site.backend.clock.advance(60_000);
    }
    const said = () => page.getByRole("status").textContent();
    const isAt = (n: number) => page.waitForURL(`**/s/${ids[n]}`);
    await go(`/f/${id}`);
    for (let n = 0; n < 8; n++) await page.keyboard.press("j");
    await page.keyboard.press("o");
    await isAt(7);
    await page.keyboard.press("!");
    await isAt(8);
    expect(await said()).toContain("1 moved to spam");
    await page.keyboard.press("U");
    await isAt(9);
    await page.keyboard.press("#");
    await isAt(10);
    expect(await said()).toContain("1 deleted");
    await page.keyboard.press("u");
    await page.waitForURL(`**/f/${id}#s-${ids[10]}`);
    expect(await page.locator("tr.cursor").getAttribute("data-submission-id")).toBe(ids[10]);
    const [line, tools] = [await placeOf(page, "tr.cursor"), await placeOf(page, ".toolbar")];
    expect(line.y).toBeGreaterThanOrEqual(tools.bottom);
    expect(line.bottom).toBeLessThanOrEqual(400);
    await page.keyboard.press("j");
    expect(await page.locator("tr.cursor").getAttribute("data-submission-id")).toBe(ids[11]);
    // The oldest: the next newer one; the last of all: the list.
    await page.goto(page.url().replace(/#.*/, `/s/${ids[13]}`));
    await page.keyboard.press("!");
    await isAt(12);
    await site.backend.submissions.bulk(id, { action: "delete", ids: ids.filter((_, n) => n !== 12) });
    await page.keyboard.press("!");
    await page.waitForURL(`**/f/${id}`);
    await site.backend.forms.delete(id);
    await close();
  });

  test("the search field finds words in any order and in any value, and phrases in quotes", async () => {
    const { page, go, close } = await site.open(browser());
    await go(form());
    const found = async (typed: string, ids: readonly string[]): Promise<void> => {
      await page.locator("#q").fill(typed);
      await page.waitForURL((url) => url.searchParams.get("words") === typed);
      await expect.poll(() => idsIn(page, "tr th a")).toEqual(ids);
    };
    const cakes = [site.ids[0], site.ids[5], site.ids[10]] as string[];
    await found("wonderful CAKE order", cakes);
    await found("cake person1@example.com", [site.ids[10] as string]);
    await found('"wonderful cake"', []);
    await found('"cake was" wonderful', cakes);
    await close();
  });

  test("news of new submissions move no line", async () => {
    const { page, go, close } = await site.open(browser());
    await page.clock.install();
    await go(form());
    const before = await placeOf(page, row(4));
    const { id } = await site.backend.submit(site.formId, { fields: { name: "Ann", message: "Now" } });
    await page.clock.runFor(16_000);
    await page.locator(".fresh .button").waitFor();
    expect(await placeOf(page, row(4))).toEqual(before);
    await page.locator(".fresh .button").click();
    await page.locator(`tr[data-submission-id="${id}"]`).waitFor();
    await site.backend.submissions.delete(site.formId, id);
    await close();
  });

  test("forced colours tell the current tab, an unread line and the line with the cursor apart", async () => {
    const { page, go, close } = await site.open(browser(), { forcedColors: "active" });
    await site.backend.submissions.update(site.formId, site.ids[0] as string, { read: false });
    await go(form());
    const [current, other] = [
      await placeOf(page, ".tabs [aria-current]"),
      await placeOf(page, ".tabs a:not([aria-current])"),
    ];
    const [dot, line] = [await placeOf(page, `${row(0)} .dot`), await placeOf(page, row(2))];
    const points: Point[] = [
      // The line under all of them is one pixel below.
      [current.x + 4, current.bottom - 2],
      [other.x + 4, other.bottom - 2],
      [dot.x + 4, dot.y + 4],
      [line.x + 120, line.bottom - 2],
    ];
    const before = await pixels(page, points);
    const ground: Pixel = [255, 255, 255];
    expect(contrast(before[0] as Pixel, before[1] as Pixel)).toBeGreaterThanOrEqual(3);
    expect(contrast(before[2] as Pixel, ground)).toBeGreaterThanOrEqual(3);
    for (let n = 0; n < 3; n++) await page.keyboard.press("j");
    const [, , , edge] = await pixels(page, points);
    expect(contrast(edge as Pixel, before[3] as Pixel)).toBeGreaterThanOrEqual(3);
    await close();
  });
});

/** The contrast of two colours as WCAG has it, from 1 to 21. */
function contrast(one: Pixel, other: Pixel): number {
  const light = (pixel: Pixel): number => {
    const [red = 0, green = 0, blue = 0] = pixel.map((value) =>
      value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [light(one), light(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
