import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { type InboxSite, startInbox } from "./_site.ts";

/** A hand at the keys and the mouse that counts. What is typed as text costs the same everywhere, and is not counted. */
function handOf(page: Page) {
  let clicks = 0;
  let keys = 0;
  return {
    async click(name: string) {
      clicks++;
      await page.getByRole("button", { name, exact: true }).click();
    },
    async focus(label: string) {
      clicks++;
      await page.getByLabel(label, { exact: true }).click();
    },
    async press(key: string) {
      keys++;
      await page.keyboard.press(key);
    },
    type: (text: string) => page.keyboard.type(text),
    used: () => ({ clicks, keys }),
  };
}
type Hand = ReturnType<typeof handOf>;

/** Waits until the page that answers a post has come. */
async function answered(page: Page, act: () => Promise<void>): Promise<void> {
  const next = page.waitForEvent("load");
  await act();
  await next;
}

/** Tasks that could not be done at first, each on an open submission, with the clicks and keys of docs/internals/inbox-tasks.md. */
const tasks: Readonly<
  Record<string, { readonly does: (hand: Hand) => Promise<void>; readonly clicks: number; readonly keys: number }>
> = {
  done: { does: (hand) => hand.press("e"), clicks: 0, keys: 1 },
  assignee: { does: (hand) => hand.press("a"), clicks: 0, keys: 1 },
  snoozed_until: { does: (hand) => hand.click("Snooze"), clicks: 1, keys: 0 },
  labels: {
    does: async (hand) => {
      await hand.press("l");
      await hand.type("urgent");
      await hand.press("Enter");
    },
    clicks: 0,
    keys: 2,
  },
  notes: {
    does: async (hand) => {
      await hand.focus("Note for colleagues");
      await hand.type("Called back.");
      await hand.click("Add note");
    },
    clicks: 2,
    keys: 0,
  },
  blocked: { does: (hand) => hand.click("Block this address"), clicks: 1, keys: 0 },
};

describeBrowser("tasks of the inbox in the browser", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox();
  });
  afterAll(() => site?.close());

  const stateOf = async (id: string) => {
    const { work } = await site.backend.submissions.get(site.formId, id);
    const { settings } = await site.backend.forms.get(site.formId);
    return {
      done: work.state === "done",
      assignee: work.assignee?.id === "ann",
      snoozed_until: work.snoozed_until !== null,
      labels: work.labels.includes("urgent"),
      notes: work.notes === 1,
      blocked: settings.spam.senders.length > 0,
    };
  };

  test("what could not be done at first takes a key or two, or a click or two", async () => {
    const { page, faults, go, close } = await site.open(browser());
    for (const [n, [name, { does, clicks, keys }]] of Object.entries(tasks).entries()) {
      const id = site.ids[n] ?? "";
      await go(`/f/${site.formId}/s/${id}`);
      const hand = handOf(page);
      await answered(page, () => does(hand));
      expect((await stateOf(id))[name as keyof Awaited<ReturnType<typeof stateOf>>], name).toBe(true);
      expect(hand.used(), name).toEqual({ clicks, keys });
    }
    // One key takes the last act back.
    const id = site.ids[8] ?? "";
    await go(`/f/${site.formId}/s/${id}`);
    for (const [key, done] of [
      ["e", true],
      ["z", false],
    ] as const) {
      await answered(page, () => page.keyboard.press(key));
      expect((await stateOf(id)).done, key).toBe(done);
    }
    expect(faults).toEqual([]);
    await close();
  }, 120_000);
});
