import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawInbound } from "../../../../src/surfaces/inbound/index.ts";
import { sections } from "../../../../src/surfaces/inbox/settings/leaves.ts";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { DOMAIN, message, SECRET } from "../../../_support/inbound-world.ts";
import { inTurn, runs } from "../../../_support/runs.ts";
import { type InboxSite, startInbox } from "./_site.ts";

const WIDTH = "document.documentElement.scrollWidth";

describeBrowser("the inbox in the browser", (browser) => {
  let site: InboxSite;
  let fileId: string;
  let conversationId: string;
  let longMailId: string;
  beforeAll(async () => {
    const inbound = { domain: DOMAIN, providers: [rawInbound({ secret: SECRET })] };
    site = await startInbox({}, { locales: [de, ar], from: "Acme <forms@acme.test>", inbound });
    const { backend, formId } = site;
    ({ id: conversationId } = await backend.submit(formId, { fields: { email: "ann@example.com", text: "Open?" } }));
    for (const text of [`Yes. ${"Unbreakable".repeat(60)}`, "مرحبا، نعم.", "<b>No</b>"]) {
      await backend.messages.send(formId, conversationId, { text });
      await backend.tick();
      const to = backend.mails.at(-1)?.replyTo?.address ?? "";
      await backend.clock.advance(60_000);
      const quoted = `${"Unbreakable".repeat(60)}\n> ${text} `.repeat(text.startsWith("<b>") ? 60 : 2);
      const body = message(to, {
        id: `${text.length}@example.com`,
        text: `And <i>then</i>?\n\nOn Thu, 1 Jan 2026 at 09:00, Acme <forms@acme.test> wrote:\n> ${quoted}`,
      });
      const headers = { authorization: `Bearer ${SECRET}`, "content-type": "message/rfc822" };
      await backend.handle(new Request(`${backend.baseUrl}/inbound/raw`, { method: "POST", headers, body }));
      await backend.clock.advance(60_000);
    }
    const { data } = await backend.messages.list(formId, conversationId);
    expect(data.map(({ direction }) => direction)).toEqual(["out", "in", "out", "in", "out", "in"]);
    longMailId = data.at(-1)?.id ?? "";
    const { files } = await site.backend.submissions.get(site.formId, site.ids[3] ?? "");
    fileId = /\/files\/(file_\w+)\//.exec(files[0]?.url ?? "")?.[1] ?? "";
    expect(fileId).not.toBe("");
  });
  afterAll(() => site?.close());

  const screens = (): Record<string, string> => {
    const at = `/f/${site.formId}`;
    return {
      forms: "/",
      inbox: at,
      spam: `${at}?status=spam`,
      "a search": `${at}?q=deliver&read=false&field[email][contains]=example`,
      "a search that matches nothing": `${at}?q=nothing-like-this`,
      "one submission": `${at}/s/${site.ids[2]}`,
      "one with an attack": `${at}/s/${site.ids[9]}`,
      "a conversation": `${at}/s/${conversationId}`,
      "a conversation with the whole text of a mail": `${at}/s/${conversationId}?whole=${longMailId}`,
      "its JSON": `${at}/s/${site.ids[2]}?tab=raw`,
      "a file in its viewer": `${at}/s/${site.ids[3]}/files/${fileId}`,
      "the columns of an export": `${at}/export/columns`,
      "a question": `${at}/s/${site.ids[2]}?confirm=delete`,
      "a question for many": `${at}/bulk?action=delete&all=1`,
      statistics: `${at}/stats`,
      "statistics of a field": `${at}/stats?interval=month&by=message`,
      "the check-up": `${at}/stats/checkup`,
      "spam settings on trial": `${at}/spam/backtest`,
      "spam without a check": `${at}/spam/backtest?without=links`,
      pending: `${at}?status=pending`,
      "one that waits": `/f/${site.waitingFormId}/pending/${site.waitingId}`,
      "those that wait": `/f/${site.waitingFormId}?status=pending`,
      "all forms": "/all",
      "a question for several forms": `/all/bulk?action=delete&ids=${site.ids[0]}`,
      "a new form": "/new",
      install: `${at}/install`,
      "a snippet": `${at}/install?code=react`,
      "a rule from a submission": `${at}/settings/routing?from=${site.ids[9]}`,
      shortcuts: "/shortcuts",
      team: "/team",
      people: "/people",
      "the audit": "/audit",
      "the audit of one action": `/audit?action=read&user=${encodeURIComponent("<b>nobody</b>")}`,
      keys: "/keys",
      "suppressed addresses": "/suppressions",
      "saved replies": "/replies",
      "a saved reply": `/replies?edit=${site.replyId}`,
      "a key to revoke": `/keys?revoke=${site.keyId}`,
      "email servers": "/email-servers",
      "an email server": `/email-servers?server=${site.serverId}`,
      ...Object.fromEntries(sections.map((section) => [`settings, ${section}`, `${at}/settings/${section}`])),
    };
  };

  for (const scheme of ["light", "dark"] as const) {
    for (const width of [320, 1280]) {
      // Every run has each language, scheme and width; `npm run test:soak` has them all in English, too.
      const other = (scheme === "light") === (width === 320) ? "ar" : "de";
      const locales = scheme === "dark" && width === 320 ? ["en", other] : [other, "en"];
      for (const locale of locales.slice(0, runs(1, 2))) {
        test(`axe finds nothing, and nothing overflows: ${scheme}, ${width} px, ${locale}`, async () => {
          const { page, faults, go, close } = await site.open(browser(), {
            locale,
            colorScheme: scheme,
            viewport: { width, height: 720 },
          });
          for (const [n, [name, path]] of Object.entries(screens()).entries()) {
            await go(path);
            expect(await page.getAttribute("html", "lang"), name).toBe(locale);
            // Each screen in both schemes and at both widths, though not in all four views.
            if (inTurn(n, Number(scheme === "dark"), Number(width === 320)))
              expect(await faultsOf(page), name).toEqual([]);
            expect(await page.evaluate(WIDTH), name).toBeLessThanOrEqual(width);
          }
          // Pages that answer a post.
          for (const [path, ...steps] of [
            ["/people", "find", "erase"],
            ["/keys", ""],
          ] as const) {
            await go(path);
            const main = page.getByRole("main");
            await main.getByRole("textbox").first().fill("person3@example.com");
            for (const action of steps) {
              await main.locator(action ? `button[value="${action}"]` : "button.primary").click();
              await main
                .locator(action === "find" ? "tr" : ".question")
                .first()
                .waitFor();
              expect(await faultsOf(page), `${path} ${action}`).toEqual([]);
              expect(await page.evaluate(WIDTH), `${path} ${action}`).toBeLessThanOrEqual(width);
            }
          }
          expect(faults).toEqual([]);
          await close();
        }, 180_000);
      }
    }
  }

  test("eight colours of brands can be read", async () => {
    const brands = ["#000000", "#ffffff", "#facc15", "#ff00ff", "#22c55e", "#0ea5e9", "#7f1d1d", "#808080"];
    for (const [n, primary] of brands.entries()) {
      const coloured = await startInbox({ theme: { primary } });
      const { page, go, close } = await coloured.open(browser());
      for (const [dark, colorScheme] of (["light", "dark"] as const).entries()) {
        await page.emulateMedia({ colorScheme });
        for (const [i, path] of [`/f/${coloured.formId}?q=e`, "/new"].entries()) {
          if (!inTurn(n, dark, i)) continue;
          await go(path);
          expect(await faultsOf(page), `${primary} ${colorScheme} ${path}`).toEqual([]);
        }
      }
      await close();
      await coloured.close();
    }
  }, 180_000);

  test("a style that somebody plants is refused, so that the count of zero says something", async () => {
    const { page, faults, go, close } = await site.open(browser());
    await go("/");
    await page.evaluate("document.body.setAttribute('style', 'color:red')");
    await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color:red\">x</p>')");
    await expect.poll(() => faults.join()).toContain("Content Security Policy");
    await close();
  });

  test("a first page with 50 lines weighs at most 40 KB in four requests, and later ones 12 KB", async () => {
    const { id } = await site.backend.forms.create({ name: "Fifty" });
    const ids: string[] = [];
    for (let i = 0; i < 50; i++) {
      const fields = {
        name: `Visitor ${i}`,
        email: `visitor${i}@example.com`,
        message: `${i}: ${"Do you deliver? ".repeat(20)}`,
      };
      ids.push((await site.backend.submit(id, { fields })).id);
      await site.backend.clock.advance(60_000);
    }
    const { page, go, close } = await site.open(browser());
    const weights = new Map<string, Promise<number>>();
    page.on("response", (response) => {
      const name = /theme|\.css|\.js/.exec(new URL(response.url()).pathname)?.[0] ?? "html";
      weights.set(
        weights.has(name) ? response.url() : name,
        response.body().then((body) => gzipSync(body).length),
      );
    });
    await go(`/f/${id}`);
    expect(await page.locator("tr[data-submission-id]").count()).toBe(50);
    const first = Object.fromEntries(
      await Promise.all(Array.from(weights, async ([name, size]) => [name, await size])),
    );
    expect(Object.keys(first).sort()).toEqual([".css", ".js", "html", "theme"]);
    for (const [name, most] of Object.entries({ html: 12, ".css": 10, ".js": 16, theme: 1 })) {
      expect(first[name], name).toBeLessThanOrEqual(most * 1024);
    }
    for (const path of [
      `/s/${ids[20]}`,
      `/s/${ids[20]}?tab=delivery`,
      "/stats?by=name",
      "/deliveries",
      "?status=spam",
    ]) {
      const answer = await page.request.get(page.url() + path);
      expect(gzipSync(await answer.body()).length, path).toBeLessThanOrEqual(12 * 1024);
    }
    await close();
  });

  test("nothing moves while a page is loaded", async () => {
    const { page, go, close } = await site.open(browser(), { viewport: { width: 1440, height: 800 } });
    await page.addInitScript(`
      globalThis.moved = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) moved += value;
      }).observe({ type: "layout-shift", buffered: true });
    `);
    for (const path of [`/f/${site.formId}`, `/f/${site.formId}/s/${site.ids[2]}`, `/f/${site.formId}/stats`, "/"]) {
      await go(path);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      expect(await page.evaluate("moved"), path).toBeLessThanOrEqual(0.02);
    }
    await close();
  });

  test("a wide screen shows the list beside an open submission, and a narrow one does not", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, faults, go, close } = await site.open(browser(), {
        colorScheme,
        viewport: { width: 1440, height: 800 },
      });
      await go(`/f/${site.formId}/s/${site.ids[2]}`);
      const beside = page.getByRole("navigation", { name: "Submissions near this one" });
      expect(await beside.getByRole("link").count()).toBeGreaterThan(5);
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(WIDTH)).toBeLessThanOrEqual(1440);
      await beside.locator(`a[href*="/s/${site.ids[3]}"]`).click();
      await page.waitForURL(`**/s/${site.ids[3]}`);
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(await beside.count()).toBe(0);
      expect(faults).toEqual([]);
      await close();
    }
  });
});

describeBrowser("the inbox without JavaScript", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox({ authenticate: undefined as never, apiKeys: true });
  });
  afterAll(() => site?.close());

  test("somebody signs in, reads, searches, marks, deletes, creates a form and exports", async () => {
    const { page, faults, go, close } = await site.open(browser(), { javaScriptEnabled: false });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    /** Without JavaScript, each of these loads a page. The click alone may be over before its request was answered. */
    const press = (name: string) => Promise.all([page.waitForNavigation(), button(name).click()]);
    await go(`/f/${site.formId}`);
    await page.getByLabel("API key").fill(site.backend.key);
    await press("Sign in");
    expect(await page.getByRole("row").count()).toBeGreaterThan(10);
    const row = page.locator(`tr[data-submission-id="${site.ids[3]}"]`);
    expect(await row.getAttribute("class")).toBe("unread");
    await row.getByRole("checkbox").check();
    await press("Mark as read");
    expect(await row.getAttribute("class")).toBeNull();
    await page.locator("main").getByRole("searchbox").fill("Sundays");
    await page.keyboard.press("Enter");
    await page.waitForURL("**words=Sundays**");
    await page.getByRole("checkbox", { name: "Select all that match" }).check();
    await press("Delete");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^Delete \d submissions\?$/);
    await press("Confirm");
    expect(await page.getByRole("status").textContent()).toMatch(/\d deleted/);
    await go(`/f/${site.formId}`);
    const [download] = await Promise.all([page.waitForEvent("download"), button("Export").click()]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await page.getByRole("row").nth(2).getByRole("checkbox").check();
    await page.getByLabel("Format").selectOption("ndjson");
    const [selected] = await Promise.all([page.waitForEvent("download"), button("Export").click()]);
    const lines = (await readFile(await selected.path(), "utf8")).trim().split("\n");
    expect(lines).toHaveLength(1);
    await go("/all");
    await page.getByRole("row").nth(1).getByRole("checkbox").check();
    await button("Mark as unread").click();
    await page.getByRole("status").waitFor();
    await go(`/f/${site.formId}/stats`);
    await page.getByRole("link", { name: "Months" }).click();
    await page.waitForURL("**interval=month**");
    await page.getByLabel("Field").selectOption("name");
    await button("Show").click();
    await page.waitForURL("**by=name**");
    expect(await page.getByRole("table", { name: "Values of a field" }).getByRole("row").count()).toBeGreaterThan(2);
    await go(`/f/${site.waitingFormId}?status=pending`);
    await page.getByRole("row").getByRole("link").first().click();
    await page.waitForURL("**/pending/**");
    await button("Send again").click();
    expect(await page.getByRole("status").textContent()).toBe("1 is being sent again");
    await go("/new");
    await page.getByLabel("Name").fill("Orders");
    await press("Create the form");
    expect(await page.locator("pre").first().textContent()).toMatch(/\/forms\/f\/\w{11}$/);
    expect(await page.getByRole("navigation", { name: "Forms" }).getByText("Orders").count()).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });
});

describeBrowser("the inbox with keys alone", (browser) => {
  let site: InboxSite;
  beforeAll(async () => {
    site = await startInbox();
  });
  afterAll(() => site?.close());

  test("a menu of commands goes to forms and views, and acts on what is open", async () => {
    for (const [width, colorScheme, locale] of [
      [320, "light", "ar"],
      [1280, "dark", "en"],
    ] as const) {
      const { page, faults, go, close } = await site.open(browser(), {
        locale,
        colorScheme,
        viewport: { width, height: 640 },
      });
      const open = () => page.keyboard.press("Control+k");
      await go(`/f/${site.formId}/s/${site.ids[6]}`);
      const focused = page.locator(".item-bar a").first();
      await focused.focus();
      const before = await page.locator("body *").count();
      await open();
      const menu = page.getByRole("dialog");
      const field = menu.getByRole("combobox");
      expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("combobox");
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(WIDTH)).toBeLessThanOrEqual(width);
      const active = async () =>
        page.locator(`#${await field.getAttribute("aria-activedescendant")}[aria-selected=true]`).textContent();
      const first = await active();
      await page.keyboard.press("ArrowDown");
      expect(await active()).not.toBe(first);
      await page.keyboard.press("ArrowUp");
      expect(await active()).toBe(first);
      await page.keyboard.press("ArrowUp");
      expect(await active()).toBe(await menu.getByRole("option").last().textContent());
      await field.fill("nothing like this");
      expect(await menu.getByRole("option").count()).toBe(0);
      expect(await menu.getByRole("status").textContent()).not.toBe("");
      await page.keyboard.press("Enter");
      // Closed, it leaves nothing, and the focus is back.
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator("body *").count()).toBe(before);
      expect(await page.evaluate("document.activeElement.closest('main a') !== null")).toBe(true);
      await open();
      await field.fill("newsl");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/f/${site.waitingFormId}`);
      expect(faults).toEqual([]);
      await close();
    }
    const { page, go, close } = await site.open(browser());
    await go(`/f/${site.formId}/s/${site.ids[7]}`);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("done");
    await page.getByRole("dialog").getByRole("option", { name: "Done" }).first().click();
    await page.getByRole("status").getByText("1 done").waitFor();
    expect((await site.backend.submissions.get(site.formId, site.ids[7] ?? "")).work.state).toBe("done");
    await page.keyboard.press("z");
    await page.waitForURL(`**/s/${site.ids[7]}**`);
    await close();
  }, 300_000);

  test("moves, selects, marks, opens, goes back, searches and asks before it deletes", async () => {
    const { page, faults, go, close } = await site.open(browser());
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const current = () => page.locator("tr.cursor").getAttribute("data-submission-id");
    const unread = (id: string | undefined) => page.locator(`tr.unread[data-submission-id="${id}"]`).count();
    await go(`/f/${site.formId}`);
    await press("j");
    expect(await current()).toBe(site.ids[0]);
    await press("j", "k", "j", "j");
    expect(await current()).toBe(site.ids[2]);
    await press("e");
    await page.getByRole("status").getByRole("button", { name: "Undo" }).waitFor();
    expect(await current()).toBe(site.ids[2]);
    await press("o");
    await page.waitForURL(`**/s/${site.ids[2]}`);
    await press("u");
    await page.waitForURL(`**/f/${site.formId}#s-${site.ids[2]}`);
    await expect.poll(() => unread(site.ids[2])).toBe(0);
    await press("x", "U");
    await expect.poll(() => unread(site.ids[2])).toBe(1);
    await press("o");
    await page.waitForURL(`**/s/${site.ids[2]}`);
    await press("j");
    await page.waitForURL(`**/s/${site.ids[3]}`);
    await press("u");
    await page.waitForURL(`**/f/${site.formId}#s-${site.ids[3]}`);
    await press("/");
    await page.keyboard.type("cake e x");
    await page.waitForURL("**words=cake**");
    await press("Escape");
    await go(`/f/${site.formId}`);
    await press("j", "!");
    await expect.poll(() => page.locator(`tr[data-submission-id="${site.ids[0]}"]`).count()).toBe(0);
    await press("j");
    const deleted = await current();
    await press("#");
    await page.getByText("1 deleted").waitFor();
    expect(await page.locator(`tr[data-submission-id="${deleted}"]`).count()).toBe(0);
    await press("z");
    await page.getByRole("status").getByText("1 restored").waitFor();
    expect(await page.locator(`tr[data-submission-id="${deleted}"]`).count()).toBe(1);
    const list = page.url();
    await press("?");
    const overlay = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await overlay.getByRole("row", { name: "z Undo" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    // Keys of the page behind it are not for now.
    await press("o", "Escape");
    expect([page.url(), await overlay.count()]).toEqual([list, 0]);
    await press("?");
    await page.getByRole("button", { name: "Turn the shortcuts off" }).click();
    await go(`/f/${site.formId}`);
    await press("j");
    expect(await page.locator("tr.cursor").count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  }, 300_000);
});
