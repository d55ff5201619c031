import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

const POLL_MS = 16_000;

describeBrowser("others at a submission", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox({
      authenticate: ({ headers }) => {
        const name = headers.get("x-person") ?? "";
        return { id: name.toLowerCase(), name, team_ids: ["default"], role: "agent" };
      },
    });
  });
  afterAll(() => site?.close());

  test("are seen while they look and write, by both, without a page being loaded again", async () => {
    const [id = ""] = site.ids;
    const at = `/f/${site.formId}/s/${id}`;
    const as = (name: string) => site.open(browser(), { extraHTTPHeaders: { "x-person": name } });
    const [anna, ben, cleo] = [await as("Anna"), await as("Ben"), await as("Cleo")];
    for (const { page } of [anna, ben, cleo]) await page.clock.install();
    const said = (who: typeof anna) => who.page.locator(".item-bar [data-there]").textContent();
    await cleo.go(`/f/${site.formId}`);
    await anna.go(at);
    expect(await said(anna)).toBe("");
    await ben.go(at);
    expect(await said(ben)).toBe("Anna is looking at this");
    const place = () => ben.page.locator("#reply-text").boundingBox();
    const before = await place();
    // The first letter says it at once.
    await anna.page.locator("#reply-text").pressSequentially("Hello");
    await expect.poll(() => anna.page.locator(".composer [data-there]").textContent()).toBe("Ben is looking at this");
    await ben.page.clock.runFor(POLL_MS);
    await expect.poll(() => said(ben)).toBe("Anna is writing an answer");
    expect(await ben.page.locator(".composer [data-there]").textContent()).toBe("Anna is writing an answer");
    expect(await place()).toEqual(before);
    // In a list, by a letter.
    await cleo.page.clock.runFor(POLL_MS);
    const mark = cleo.page.locator(`tr[data-submission-id="${id}"] .there`);
    await mark.waitFor();
    expect([await mark.textContent(), await mark.getAttribute("aria-label")]).toEqual([
      "A",
      "Anna is writing an answer · Ben is looking at this",
    ]);
    // A note, once the answer is left.
    await anna.page.locator("#note").pressSequentially("Called");
    await anna.page.clock.runFor(POLL_MS);
    await expect
      .poll(async () => {
        await ben.page.clock.runFor(POLL_MS);
        return said(ben);
      })
      .toBe("Anna is writing a note");
    // Both are gone a minute after they left.
    await anna.close();
    await site.backend.clock.advance(61_000);
    await ben.page.clock.runFor(POLL_MS);
    await expect.poll(() => said(ben)).toBe("");
    await cleo.page.clock.runFor(POLL_MS);
    await expect.poll(() => mark.getAttribute("aria-label")).toBe("Ben is looking at this");
    for (const { faults, close } of [ben, cleo]) {
      expect(faults).toEqual([]);
      await close();
    }
  });

  test("are named without a script", async () => {
    const at = `/f/${site.formId}/s/${site.ids[1] ?? ""}`;
    const as = (name: string) =>
      site.open(browser(), { extraHTTPHeaders: { "x-person": name }, javaScriptEnabled: false });
    const [anna, ben] = [await as("Anna"), await as("Ben")];
    await anna.go(at);
    await ben.go(at);
    expect(await ben.page.locator(".item-bar [data-there]").textContent()).toBe("Anna is looking at this");
    await anna.close();
    await ben.close();
  });
});
