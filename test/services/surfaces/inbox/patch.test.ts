import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

describeBrowser("pages of the inbox that a script replaces in place", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox();
  });
  afterAll(() => site?.close());

  const list = () => `/f/${site.formId}`;
  const workOf = async (n: number) => (await site.backend.submissions.get(site.formId, site.ids[n] ?? "")).work.state;

  test("a key acts on the line of the cursor while the act on the line before is under way", async () => {
    const { page, faults, go, close } = await site.open(browser());
    let release = (): void => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    let posts = 0;
    await page.route("**/bulk", async (route) => {
      if (posts++ === 0) await held;
      await route.continue();
    });
    await go(list());
    for (const key of ["j", "e", "j", "e"]) await page.keyboard.press(key);
    expect(await page.locator("input[name=ids]:checked").count()).toBe(0);
    release();
    await expect.poll(() => Promise.all([0, 1, 2].map(workOf))).toEqual(["done", "done", "open"]);
    await page.locator(".toast").waitFor();
    expect(posts).toBe(2);
    expect(await page.locator("tr.cursor").getAttribute("data-submission-id")).toBe(site.ids[1]);
    expect(faults).toEqual([]);
    await close();
  });

  test("a link to a place of the page, and the way back from there, keep what was typed", async () => {
    const { page, faults, go, close } = await site.open(browser());
    await go(`${list()}/s/${site.ids[2]}`);
    const address = page.url();
    await page.evaluate("window.isSame = true");
    await page.locator("#note").fill("Called them back");
    await page.locator("[data-key=r]").click();
    await page.waitForURL("**#reply-text");
    await page.goBack();
    await page.waitForURL(address);
    // A reload would begin by now.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    expect(await page.evaluate("window.isSame")).toBe(true);
    expect(await page.locator("#note").inputValue()).toBe("Called them back");
    expect(faults).toEqual([]);
    await close();
  });

  test("the way back from a page that took the place of another one shows that one", async () => {
    const { page, faults, go, close } = await site.open(browser());
    await go(`${list()}?status=spam`);
    const address = page.url();
    await page.locator("input[name=ids]").first().check();
    await page.locator("button[value=deliver]").click();
    await page.locator(".question").waitFor();
    expect(page.url()).toContain("/bulk?");
    await page.goBack();
    await page.locator("tr[data-submission-id]").waitFor();
    expect(page.url()).toBe(address);
    expect(faults).toEqual([]);
    await close();
  });

  test("an act, a search and a sign-out lead to a login page on another origin", async () => {
    const login = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Login</title>"),
    ).listen(0, "127.0.0.1");
    await once(login, "listening");
    const at = `http://127.0.0.1:${(login.address() as AddressInfo).port}/`;
    let isSignedIn = true;
    const ann = { id: "ann", name: "Ann", team_ids: ["default"], role: "admin" } as const;
    const own = await startInbox({
      authenticate: () => (isSignedIn ? { ...ann, team_ids: ["default"] } : null),
      signIn: () => at,
      theme: { back: { text: "Back to the app", url: at } },
    });
    const { page, go, close } = await own.open(browser());
    const opened = async (path: string): Promise<void> => {
      isSignedIn = true;
      await go(path);
      isSignedIn = false;
    };
    await opened(`/f/${own.formId}`);
    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await page.waitForURL(at);
    await opened(`/f/${own.formId}`);
    await page.locator("#q").fill("cake");
    await page.waitForURL(at);
    await opened(`/f/${own.formId}/s/${own.ids[2]}`);
    await page.locator("#note").fill("Called them back");
    await page.locator("button[value=note]").click();
    await page.getByRole("link", { name: "Sign in again" }).click();
    await page.waitForURL(at);
    await opened(`/f/${own.formId}`);
    await page.locator(".menu summary").click();
    await page.locator("form[action$='/sign-out'] button").click();
    await page.getByRole("link", { name: "Back to the app" }).click();
    await page.waitForURL(at);
    expect(await page.title()).toBe("Login");
    await close();
    await own.close();
    login.close();
    login.closeAllConnections();
  });
});
