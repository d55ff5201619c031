import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../_support/browser.ts";
import { built, type RunningExample, startExample } from "./_example.ts";

describeBrowser("examples/saas", (browser) => {
  let dir: string;
  let running: RunningExample;
  beforeAll(async () => {
    built();
    dir = await mkdtemp(join(tmpdir(), "form-backend-saas-"));
    running = await startExample("saas", dir);
  });
  afterAll(async () => {
    await running?.end("SIGKILL");
    await rm(dir, { recursive: true });
  });

  /** Everything that browsers were sent. */
  const sent: { url: string; text: string }[] = [];
  const watched = (context: BrowserContext): void => {
    context.on("response", async (response) => {
      const body = await response.body().catch(() => Buffer.alloc(0));
      const headers = await response.allHeaders().catch(() => ({}));
      sent.push({ url: response.url(), text: `${JSON.stringify(headers)}\n${body.toString("latin1")}` });
    });
  };

  const logIn = async (name: string): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser().newContext({ viewport: { width: 320, height: 640 } });
    watched(context);
    const page = await context.newPage();
    await page.goto(running.site);
    await page.click(`text=As ${name}`);
    await page.waitForSelector(`h1:text-is("${name}")`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    return { context, page };
  };
  const add = async (page: Page, name: string): Promise<void> => {
    await page.fill("[name=name]", name);
    await page.click("text=Add");
    await page.waitForLoadState();
  };
  const names = (page: Page): Promise<string[]> => page.locator("li a").allTextContents();

  test("two customers: each sees its own forms, the plan is kept, and a change of it lets more in", async () => {
    const bakery = await logIn("Corner Bakery");
    await add(bakery.page, "Orders");
    expect(await names(bakery.page)).toEqual(["Orders"]);
    await add(bakery.page, "Catering");
    expect(await bakery.page.textContent("[role=status]")).toBe("Forms in the team's plan: 1.");
    await bakery.page.click("text=Change to business");
    await bakery.page.waitForSelector("text=Plan: business");
    await add(bakery.page, "Catering");
    expect((await names(bakery.page)).sort()).toEqual(["Catering", "Orders"]);

    const studio = await logIn("North Studio");
    await add(studio.page, "Enquiries");
    expect(await names(studio.page)).toEqual(["Enquiries"]);
    await studio.page.click("text=my forms as JSON");
    const mine = JSON.parse((await studio.page.textContent("body")) ?? "") as {
      data: { name: string; team_id: string }[];
    };
    expect(mine.data.map(({ name, team_id }) => [name, team_id])).toEqual([["Enquiries", "studio"]]);

    await bakery.page.click("text=Orders");
    await bakery.page.fill("[name=email]", "ann@example.org");
    await bakery.page.fill("[name=message]", "Six rolls");
    await bakery.page.click("button");
    await bakery.page.waitForLoadState();
    expect(await bakery.page.textContent("h1")).toBe("Thank you!");
    expect(new URL(bakery.page.url()).hostname).toBe("bakery.localhost");
    expect(await bakery.page.content()).toContain("#9a3412");
    const health = `http://bakery.localhost:${new URL(running.site).port}/forms/v1/health`;
    expect((await bakery.page.goto(health))?.status()).toBe(404);
    await bakery.page.goto(running.site);
    expect(await bakery.page.locator("li span").allTextContents()).toEqual(["0 submissions", "1 submission"]);

    await bakery.page.click("text=Make a key");
    const [key = ""] = /lb_live_\w+/.exec((await bakery.page.textContent("[role=status]")) ?? "") ?? [];
    const read = await fetch(`${running.site}/forms/v1/submissions`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await read.json()) as { data: { fields: { key: string; value: string }[] }[] };
    expect(data.map(({ fields }) => fields)).toEqual([
      [
        { key: "email", value: "ann@example.org" },
        { key: "message", value: "Six rolls" },
      ],
    ]);
    await studio.context.close();
    await bakery.context.close();
  });

  test("each customer has an inbox in a frame, with the own forms alone, until logging out", async () => {
    const [bakery, studio] = [await logIn("Corner Bakery"), await logIn("North Studio")];
    const own = { Bakery: "Orders", Studio: "Enquiries" } as const;
    for (const [{ page }, form, foreign] of [
      [bakery, own.Bakery, own.Studio],
      [studio, own.Studio, own.Bakery],
    ] as const) {
      await page.click("text=Open the inbox");
      const frame = page.frameLocator("iframe.inbox");
      await frame.getByText(form).first().waitFor();
      expect(await frame.locator("a.brand").count()).toBe(0);
      await page.waitForSelector("output:text('unread'), output:empty", { state: "attached" });
      const text = await frame.locator("body").textContent();
      expect(text).toContain(form);
      expect(text).not.toContain(foreign);
    }
    const address = `${running.site}/forms/inbox`;
    await bakery.page.click("text=Messages");
    await bakery.page.frameLocator("iframe.inbox").getByRole("row").getByText("Six rolls").waitFor();
    await bakery.page.click("main > p > a");
    await bakery.page.click("text=Log out");
    await bakery.page.waitForSelector("text=As Corner Bakery");
    expect((await bakery.page.goto(address ?? ""))?.status()).toBe(404);
    await bakery.context.close();
    await studio.context.close();
  });

  test("nothing that customers and visitors were sent says who makes the engine", () => {
    const places = new Set(sent.map(({ url }) => new URL(url).pathname.replace(/\/(f|s)\/[^/]+/g, "/$1/…")));
    expect(
      [...places].filter((path) => /^\/(my\/inbox|forms\/inbox\/assets|forms\/f\/…)/.test(path)).length,
    ).toBeGreaterThan(3);
    // The host's page and the frame name their messages to each other so.
    const isMessage = /["']form-backend(:go)?["']/g;
    const named = sent.filter(({ text }) => /form[-_ ]?backend/i.test(text.replace(isMessage, "")));
    expect(named.map(({ url }) => url)).toEqual([]);
  });

  test("a session that another website makes the browser send reaches no forms", async () => {
    for (const headers of [{}, { "sec-fetch-site": "cross-site" }]) {
      const response = await fetch(`${running.site}/forms/v1/forms`, {
        headers: { ...headers, cookie: "customer=bakery" },
      });
      expect(response.status).toBe(401);
    }
  });
});
