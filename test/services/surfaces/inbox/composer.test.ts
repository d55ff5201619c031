import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { type InboxSite, type Opened, startInbox } from "./_site.ts";

const KEPT = "Object.keys(localStorage).filter((name) => name.startsWith('inbox-draft:')).length";

describeBrowser("writing an answer in the inbox", (browser) => {
  let site: InboxSite;
  let isSignedIn = true;
  const ann = { id: "ann", name: "Ann", team_ids: ["default"], role: "admin" } as const;
  beforeAll(async () => {
    site = await startInbox(
      { authenticate: () => (isSignedIn ? { ...ann, team_ids: ["default"] } : null) },
      { from: "Acme <forms@acme.test>" },
    );
    await site.backend.savedReplies.create({ name: "Hours", text: "We open at nine, {{name}}." });
  });
  afterAll(() => site?.close());

  const at = async (n: number, work: (opened: Opened) => Promise<void>): Promise<void> => {
    const opened = await site.open(browser());
    await opened.go(`/f/${site.formId}/s/${site.ids[n]}`);
    await work(opened);
    // A stranger is told that there is nothing.
    expect(opened.faults.filter((fault) => !/404/.test(fault))).toEqual([]);
    await opened.close();
  };
  const typed = "#reply-text";

  test("what is typed survives an expired session, and is gone once it was sent", () =>
    at(2, async ({ page, go }) => {
      await page.locator(typed).fill("A long answer");
      isSignedIn = false;
      await page.locator("button[value=send]").click();
      await page.waitForLoadState();
      isSignedIn = true;
      await go(`/f/${site.formId}/s/${site.ids[2]}`);
      expect(await page.locator(typed).inputValue()).toBe("A long answer");
      expect(await page.locator("[data-restored]").isVisible()).toBe(true);
      await page.locator(typed).press("Control+Enter");
      await page.waitForSelector(".toast");
      expect(await page.locator(typed).inputValue()).toBe("");
      expect(await page.evaluate(KEPT)).toBe(0);
      const { data } = await site.backend.messages.list(site.formId, site.ids[2] ?? "");
      expect(data).toMatchObject([{ text: "A long answer", status: "queued" }]);
    }));

  test("Undo puts the text back, and it is kept in the browser again", () =>
    at(3, async ({ page, go }) => {
      await page.locator(typed).fill("Too soon");
      await page.locator("button[value=send_done]").click();
      await page.locator(".undo button").click();
      await expect.poll(() => page.locator(typed).inputValue()).toBe("Too soon");
      expect((await site.backend.messages.list(site.formId, site.ids[3] ?? "")).data).toEqual([]);
      await go(`/f/${site.formId}/s/${site.ids[3]}`);
      expect(await page.locator(typed).inputValue()).toBe("Too soon");
    }));

  test("a saved reply goes to where the cursor is, without leaving the page", () =>
    at(5, async ({ page }) => {
      await page.locator(typed).fill("Hello.  Bye.");
      await page.evaluate("document.querySelector('#reply-text').setSelectionRange(7, 7)");
      await page.locator("#saved").selectOption({ label: "Hours" });
      await page.locator("[data-insert]").click();
      await expect.poll(() => page.locator(typed).inputValue()).toBe("Hello. We open at nine, Ann. Bye.");
    }));

  test("a second window neither deletes nor replaces what is written in the first one", () =>
    at(4, async ({ page }) => {
      const kept = (text: string) =>
        expect
          .poll(() => page.evaluate("Object.values(localStorage).map((value) => JSON.parse(value).text)"))
          .toEqual([text]);
      const empty = await page.context().newPage();
      await empty.goto(page.url());
      await page.locator(typed).fill("The first half");
      await kept("The first half");
      const restored = await page.context().newPage();
      await restored.goto(page.url());
      expect(await restored.locator(typed).inputValue()).toBe("The first half");
      await page.locator(typed).fill("The first half, and the second");
      await kept("The first half, and the second");
      for (const window of [empty, restored]) await window.goto(`${site.backend.baseUrl}/inbox`);
      await kept("The first half, and the second");
      // A text that was changed is kept at once, and one that was emptied is kept no more.
      await page.locator(typed).fill("Changed");
      await page.reload();
      await kept("Changed");
      await page.locator(typed).fill("");
      await page.reload();
      expect(await page.evaluate(KEPT)).toBe(0);
    }));

  test("a browser keeps at most twenty texts, none for long, and none after signing out", () =>
    at(6, async ({ page, go }) => {
      await page.evaluate(`for (let n = 0; n < 30; n++)
        localStorage.setItem("inbox-draft:" + n, JSON.stringify({ text: "x", at: Date.now() - n * 86400000 }))`);
      await go(`/f/${site.formId}/s/${site.ids[7]}`);
      expect(await page.evaluate(KEPT)).toBeLessThanOrEqual(8);
      await page.evaluate(`for (let n = 0; n < 30; n++)
        localStorage.setItem("inbox-draft:" + n, JSON.stringify({ text: "x", at: Date.now() }))`);
      await page.locator(typed).fill("Mine");
      await expect.poll(() => page.evaluate(KEPT)).toBe(20);
      await page.locator(".menu summary").click();
      await page.locator("form[action$='/sign-out'] button").click();
      await page.waitForLoadState();
      expect(await page.evaluate(KEPT)).toBe(0);
    }));
});
