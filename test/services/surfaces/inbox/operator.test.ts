import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

const LONG = `${"A long name that goes on ".repeat(3)}${"Unbreakable".repeat(4)}`;
const operator = { id: "op", name: "Olga", team_ids: [], role: "operator" } as const;

/** The pages of operators, and one of a team that they are in. */
const paths = ["", "/team?team=acme", "/find", "/queue", "/reports", "/locks"] as const;
const views = [
  { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { viewport: { width: 320, height: 700 }, colorScheme: "dark" },
  { viewport: { width: 1280, height: 800 }, colorScheme: "dark", locale: "ar" },
  { viewport: { width: 320, height: 700 }, colorScheme: "light", locale: "ar" },
] as const;

describeBrowser("the operator's pages", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox({ authenticate: () => ({ ...operator, team_ids: [] }) }, { abuse: { report: true } });
    const { backend } = site;
    for (let i = 0; i < 30; i++) await backend.teams.create({ id: `customer_${i}`, name: `Customer ${i}` });
    await backend.teams.create({ id: "acme", name: LONG, owner: { email: `${"long-".repeat(9)}owner@acme.example` } });
    const form = await backend.forms.create({ name: LONG, team_id: "acme" });
    await backend.webhooks.create(form.id, { url: "https://hooks.example.com/a" });
    backend.answerWebhooks(500);
    await backend.submit(form.id, { fields: { message: "Hello" } });
    await backend.tick();
    const report = new URLSearchParams({ reason: `It asks for my password. ${"Unbreakable".repeat(20)}` });
    await backend.handle(new Request(`${backend.baseUrl}/f/${form.id}/report`, { method: "POST", body: report }));
    const locked = await backend.forms.create({ name: "Locked", team_id: "acme" });
    await backend.forms.lock(locked.id, { reason: `<b>Phishing</b> ${"unbreakable".repeat(10)}` });
    await backend.teams.update("customer_3", { locked: { reason: "Unpaid" } });
  });
  afterAll(() => site?.close());

  test.each(views)("have no fault that axe-core finds, no overflow and nothing refused: %o", async (view) => {
    const { page, go, faults, close } = await site.open(browser(), view);
    for (const path of paths) {
      await go(`/operator${path}`);
      const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      expect([path, wide, await faultsOf(page)]).toEqual([path, 0, []]);
    }
    expect(faults).toEqual([]);
    await close();
  });

  test("lead into a team and out again, with a banner on each of its pages", async () => {
    const { page, go, faults, close } = await site.open(browser(), views[1]);
    await go("/operator/find");
    await page.fill("main #q", "acme");
    await page.click("main .choose button");
    await page.click('main td form[action$="/enter"] button');
    expect(await page.textContent(".entered")).toContain("You are in the team A long name");
    await go("/audit");
    expect(await page.textContent("tbody")).toContain("Operator entered the team");
    expect(await faultsOf(page)).toEqual([]);
    await page.click(".entered button");
    expect(page.url()).toContain("/operator/team?team=acme");
    expect(await page.locator(".entered").count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
