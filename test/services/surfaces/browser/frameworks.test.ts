import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { inTurn } from "../../../_support/runs.ts";
import { type AppSite, startAppSite } from "./_app-site.ts";
import { type Framework, frameworks } from "./_frameworks.ts";

const THANKS = "Thank you! Your submission has been received.";
const CV = { name: "cv.txt", mimeType: "text/plain", buffer: Buffer.from("My whole life. ".repeat(100_000)) };

/** Controls that are said to be wrong, and all that is said of them. */
const errorsIn = (page: Page): Promise<[string, string][]> =>
  page.evaluate(`[...document.querySelectorAll("[aria-invalid=true]")].map((control) => [
    control.name,
    control.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join(" | "),
  ])`);

describe("rendered where there is no window", () => {
  for (const [name, framework] of Object.entries(frameworks)) {
    test(`${name}: a plain form that says nothing of errors`, async () => {
      expect(typeof Reflect.get(globalThis, "window")).toBe("undefined");
      const html = await framework.render("https://h.example/forms/f/abc");
      expect(html).toMatch(/<form[^>]* action="https:\/\/h\.example\/forms\/f\/abc"/);
      expect(html).toMatch(/<form[^>]* method="post"/);
      expect(html).toMatch(/<form[^>]* enctype="multipart\/form-data"/i);
      expect(html).toMatch(/<input[^>]* name="email"/);
      expect(html).not.toMatch(/aria-invalid|aria-busy|role="alert"/);
    });
  }
});

for (const [n, [name, framework]] of Object.entries(frameworks).entries()) {
  describeBrowser(`a form in ${name}`, (browser) => inBrowser(framework, n, browser));
}

function inBrowser(framework: Framework, n: number, browser: () => import("playwright-core").Browser): void {
  let script: string;
  let site: AppSite;
  let page: Page;
  let noise: string[];
  beforeAll(async () => {
    script = await framework.client();
  });
  beforeEach(async () => {
    site = await startAppSite(script, framework.render);
    noise = [];
  });
  afterEach(async () => {
    await page?.context().close();
    await site.close();
  });

  const open = async (javaScriptEnabled = true, draft?: "local" | "server"): Promise<Page> => {
    const context = await browser().newContext({ javaScriptEnabled });
    if (draft) await context.addInitScript(`globalThis.draft = "${draft}"`);
    page = await context.newPage();
    page.on("pageerror", (error) => noise.push(error.message));
    // Hydration that does not fit is said there. A refused post is the browser's own line.
    page.on("console", (line) => {
      if (["error", "warning"].includes(line.type()) && !line.text().startsWith("Failed to load"))
        noise.push(line.text());
    });
    await page.goto(site.origin);
    return page;
  };
  const fill = async (email = "ann@example.com"): Promise<void> => {
    await page.fill("[name=name]", "Ann");
    await page.fill("[name=email]", email);
    await page.check("[value=praise]");
  };
  const send = (): Promise<void> => page.click("[name=via]");
  const told = (): Promise<string | null> => page.textContent(".status");
  const expectTold = (text: string) => expect.poll(told).toBe(text);

  test("works before the script is there, and without it", async () => {
    await open(false);
    await fill();
    await send();
    expect(await page.textContent("h1")).toBe("Thank you!");
    expect(await site.stored()).toEqual([{ name: "Ann", email: "ann@example.com", topic: "praise", via: "button" }]);
  });

  test("says what is wrong at each field until it is corrected, then that it was sent", async () => {
    await open();
    await page.fill("[name=email]", "nonsense");
    await page.fill("[name=name]", "Ann");
    await send();
    await expectTold("The email must be a valid email address. (+1 more errors)");
    const address = "We only use it to answer. | The email must be a valid email address.";
    const topic = "Please choose a topic.";
    expect(await errorsIn(page)).toEqual([
      ["email", address],
      ["topic", topic],
      ["topic", topic],
    ]);
    await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("email");
    expect(await page.getByLabel("Email", { exact: true }).count()).toBe(1);
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.inputValue("[name=email]")).toBe("nonsense");

    await page.fill("[name=email]", "ann@example.com");
    await expect
      .poll(() => errorsIn(page))
      .toEqual([
        ["topic", topic],
        ["topic", topic],
      ]);
    expect(await page.getAttribute("[name=email]", "aria-describedby")).toBe("hint");
    await page.check("[value=praise]");
    await expect.poll(() => errorsIn(page)).toEqual([]);
    expect(await told()).toBe("");
    await send();
    await expectTold(THANKS);
    expect(await faultsOf(page)).toEqual([]);
    expect([page.url(), await page.inputValue("[name=name]")]).toEqual([`${site.origin}/`, ""]);
    expect(await page.evaluate("heard")).toEqual(["error validation_failed", "success true"]);
    const sent = { name: "Ann", email: "ann@example.com", topic: "praise", via: "button", page: "contact" };
    expect([await site.stored(), noise]).toEqual([[sent], []]);
  });

  test("is sent once, however often the button is pressed meanwhile", async () => {
    await open();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/forms/f/**", async (route) => {
      await held;
      await route.continue();
    });
    await fill();
    await send();
    await expectTold("Sending…");
    expect(await page.getAttribute("form", "aria-busy")).toBe("true");
    await send();
    await page.press("[name=name]", "Enter");
    release();
    await expectTold(THANKS);
    expect(await page.getAttribute("form", "aria-busy")).toBe(null);
    expect(await site.stored()).toHaveLength(1);
  });

  test("offline it says so; sent again after a lost answer it is stored once, and changed it is a new post", async () => {
    await open();
    await fill();
    await page.context().setOffline(true);
    await send();
    await expectTold("You are offline. Please try again when you are connected.");
    await page.context().setOffline(false);
    expect(await page.inputValue("[name=name]")).toBe("Ann");
    // The post arrives, its answer does not; then a proxy answers in the endpoint's place, during a deploy.
    let times = 0;
    await page.route("**/forms/f/**", async (route) => {
      if (++times > 2) return route.continue();
      await route.fetch();
      if (times === 1) return route.abort("connectionreset");
      return route.fulfill({ status: 503, contentType: "text/html", body: "<h1>Back soon</h1>" });
    });
    for (const attempt of [1, 2]) {
      await send();
      await expect.poll(() => times).toBe(attempt);
      await expectTold("Something went wrong. Please try again.");
    }
    expect(await site.stored()).toHaveLength(1);
    await send();
    await expectTold(THANKS);
    expect(await site.stored()).toHaveLength(1);
    times = 0;
    await fill();
    await send();
    await expectTold("Something went wrong. Please try again.");
    await fill("bob@example.com");
    times = 2;
    await send();
    await expectTold(THANKS);
    expect((await site.stored()).map(({ email }) => email)).toEqual([
      "ann@example.com",
      "ann@example.com",
      "bob@example.com",
    ]);
    expect(noise).toEqual([]);
  });

  for (const draft of ["local", "server"] as const) {
    // Frameworks take turns with the two places.
    if (!inTurn(n, Number(draft === "server"))) continue;
    test(`keeps a draft (${draft}) over a closed tab until it is sent, and reports that it was seen and begun`, async () => {
      site.drafts.real = true;
      await open(true, draft);
      const asked: string[] = [];
      const watch = (at: Page) =>
        at.on("response", (response) => {
          const { method, path } = { method: response.request().method(), path: new URL(response.url()).pathname };
          const [, what] = /\/f\/[^/]+\/(view|start|drafts)/.exec(path) ?? [];
          if (what) asked.push(`${method} ${what} ${response.status()}`);
        });
      watch(page);
      await page.reload();
      await fill();
      const isKept = (): Promise<boolean> => page.evaluate("localStorage.length > 0");
      await expect.poll(isKept).toBe(true);
      if (draft === "server") await expect.poll(() => asked).toContain("PUT drafts 204");
      const next = await page.context().newPage();
      await page.close();
      page = next;
      watch(page);
      await page.goto(site.origin);
      await expect.poll(() => page.inputValue("[name=name]")).toBe("Ann");
      expect(await page.isChecked("[value=praise]")).toBe(true);
      const kept = await page.evaluate("JSON.parse(Object.values(localStorage)[0]).value");
      await send();
      await expectTold(THANKS);
      await expect.poll(isKept).toBe(false);
      const [stored] = await site.stored();
      expect(stored).toMatchObject({ name: "Ann", email: "ann@example.com", topic: "praise" });
      expect(Object.keys(stored ?? {})).not.toContain("_draft");
      if (draft === "server") {
        expect((await fetch(`${site.form.endpoint}/drafts/${kept}`)).status).toBe(404);
        expect(asked).toContain("GET drafts 200");
      }
      expect(asked).toEqual(expect.arrayContaining(["POST view 204", "POST start 204"]));
      expect(asked.filter((one) => one.startsWith("POST start"))).toHaveLength(1);
      expect(noise).toEqual([]);
    });
  }

  test("says how many places are left, and disables the form with the last one", async () => {
    const availability = { public: true, limit: 1 };
    await site.backend.forms.update(site.form.id, { settings: { availability } });
    const context = await browser().newContext();
    await context.addInitScript("globalThis.availability = true");
    page = await context.newPage();
    await page.goto(site.origin);
    const left = (): Promise<string | null> => page.textContent("[data-form-backend-availability]");
    await expect.poll(left).toBe("1 place left");
    await fill();
    await send();
    await expectTold(THANKS);
    await expect.poll(left).toBe("All places of this form are taken.");
    await expect.poll(() => page.isDisabled("[name=via]")).toBe(true);
    // Somebody gave a place back, and somebody else was faster: the refusal asks again.
    await site.backend.forms.update(site.form.id, { settings: { availability: { ...availability, limit: 2 } } });
    await page.reload();
    await expect.poll(left).toBe("1 place left");
    await site.backend.forms.update(site.form.id, { settings: { availability } });
    await fill();
    await send();
    await expect.poll(left).toBe("All places of this form are taken.");
  });

  if (!framework.hook) return;
  const state = (): Promise<string | null> => page.textContent("#state");

  test("can be stopped; sent again unchanged it is stored once", async () => {
    await open();
    await fill();
    let arrived = 0;
    await page.route("**/forms/f/**", async (route) => {
      if (++arrived > 1) return route.continue();
      await route.fetch();
      await expect.poll(state).toBe("idle");
      await route.abort().catch(() => {});
    });
    await send();
    await expect.poll(() => site.stored()).toHaveLength(1);
    expect([await state(), await told()]).toEqual(["submitting", "Sending…"]);
    await page.click("#abort");
    await expect.poll(state).toBe("idle");
    expect([await told(), await page.textContent("#values"), await page.evaluate("heard")]).toEqual(["", "Ann", []]);
    await send();
    await expectTold(THANKS);
    expect([await state(), (await site.stored()).length, noise]).toEqual(["succeeded", 1, []]);
  });

  test("tells how much of an upload has left", async () => {
    await open();
    await page.evaluate(`window.shares = []; new MutationObserver(() => {
      const share = document.querySelector("#progress").textContent;
      if (share !== "") shares.push(Number(share));
    }).observe(document.querySelector("form"), { subtree: true, childList: true, characterData: true })`);
    await fill();
    await page.setInputFiles("[name=cv]", CV);
    await send();
    await expectTold(THANKS);
    const shares = (await page.evaluate("shares")) as number[];
    expect(shares.at(-1)).toBe(1);
    expect([...shares].sort((a, b) => a - b)).toEqual(shares);
    expect(await page.textContent("#progress")).toBe("");
    const { data } = await site.backend.submissions.list(site.form.id);
    const file = await fetch(data[0]?.attachments[0]?.url ?? "");
    expect((await file.arrayBuffer()).byteLength).toBe(CV.buffer.length);
  });
}
