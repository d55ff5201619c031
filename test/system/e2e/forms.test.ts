import type { BrowserContextOptions, Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeBrowser, faultsOf } from "../../_support/browser.ts";
import { polyglots } from "../../_support/samples.ts";
import { type FormSite, startFormSite } from "./_site.ts";

const CV = { name: "Größe CV.txt", mimeType: "text/plain", buffer: Buffer.from("My whole life") };
const good = { name: "Ann <b>Lee</b>", email: "ann@example.com" };

/** Attributes and text of the errors at fields, as assistive technology gets them. */
const errorsIn = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll("[aria-invalid=true]")].map((control) => [
    control.name,
    control.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join(" | "),
  ]))`);
const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.name || document.activeElement.tagName");

describeBrowser("a form in the browser", (browser) => {
  let site: FormSite;
  let page: Page;
  beforeEach(async () => {
    site = await startFormSite();
  });
  afterEach(async () => {
    await page?.context().close();
    await site.close();
  });

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    page = await (await browser().newContext(options)).newPage();
    await page.goto(site.origin + path);
    return page;
  };
  const stored = async () => (await site.backend.submissions.list(site.form.id, { status: "all" })).data;
  /** Everything that is stored, once there is as much. */
  const settled = async (count: number) => {
    await expect.poll(async () => (await stored()).length).toBe(count);
    return stored();
  };
  const status = (p: Page) => p.locator("[data-form-backend-status]");

  test("without script: errors, the typed values kept, corrected with the file, thank-you page", async () => {
    const p = await open("/", { javaScriptEnabled: false });
    await p.fill("[name=name]", good.name);
    await p.fill("[name=email]", "nonsense");
    await p.fill("[name=message]", "two\nlines");
    await p.setInputFiles("[name=cv]", CV);
    await p.click("button");
    expect(p.url()).toContain(site.form.endpoint);
    expect(await p.textContent("[role=alert]")).toBe("Some values are not valid.");
    expect(await p.inputValue("[name=name]")).toBe(good.name);
    expect(await p.inputValue("[name=message]")).toBe("two\nlines");
    expect(await p.getAttribute("[name=email]", "aria-invalid")).toBe("true");
    expect(await p.textContent("text=Please choose the file again.")).toBeTruthy();
    expect([await stored(), site.blobs()]).toEqual([[], []]);

    await p.fill("[name=email]", good.email);
    await p.fill("[name=topic]", "praise");
    await p.setInputFiles("[name=cv]", CV);
    await p.click("text=Send again");
    expect(await p.textContent("h1")).toBe("Thank you!");
    await p.click("text=Return");
    expect(p.url()).toBe(`${site.origin}/`);
    const [submission] = await settled(1);
    expect(Object.fromEntries(submission?.fields.map(({ key, value }) => [key, value]) ?? [])).toEqual({
      ...good,
      message: "two\r\nlines",
      topic: "praise",
      via: "button",
    });
    expect(submission?.attachments).toMatchObject([{ key: "cv", mime_type: "text/plain" }]);
    expect(site.blobs()).toEqual(["My whole life"]);
  });

  test("without script: a file that is not taken is said at its field, and the values before it are kept", async () => {
    const p = await open("/", { javaScriptEnabled: false });
    await p.fill("[name=name]", good.name);
    await p.setInputFiles("[name=cv]", { ...CV, buffer: Buffer.from("<script>alert(1)</script>") });
    await p.click("button");
    expect(await p.textContent("#file-0-error")).toBe("The file in “cv” is of a type that this form does not accept.");
    expect(await p.inputValue("[name=name]")).toBe(good.name);
    expect([await stored(), site.blobs()]).toEqual([[], []]);
  });

  test("the pages of the round trip have no violation that axe-core knows", async () => {
    const p = await open("/");
    expect(await faultsOf(p)).toEqual([]);
    await p.fill("[name=email]", "nonsense");
    await p.setInputFiles("[name=cv]", CV);
    await p.click("button");
    await p.waitForURL(`${site.form.endpoint}**`);
    expect(await p.locator("[type=file]").count()).toBe(1);
    expect(await faultsOf(p)).toEqual([]);
    for (const name of ["name", "email", "topic"])
      await p.fill(`[name=${name}]`, name === "email" ? good.email : "praise");
    await p.click("text=Send again");
    await p.waitForSelector("text=Your submission has been received.");
    expect(await faultsOf(p)).toEqual([]);
  });

  for (const path of ["/tag", "/import"]) {
    test(`with the script by ${path}: errors at the fields, then success, with a file, on the same page`, async () => {
      const p = await open(path);
      await p.fill("[name=name]", good.name);
      await p.fill("[name=email]", "nonsense");
      await p.setInputFiles("[name=cv]", CV);
      await p.click("button");
      await p.waitForSelector("[aria-invalid=true]");
      expect(await errorsIn(p)).toEqual({
        email: "We only use it to answer. | The email must be a valid email address.",
        topic: "Please choose a topic.",
      });
      expect(await status(p).textContent()).toBe("The email must be a valid email address. (+1 more errors)");
      expect([await status(p).getAttribute("role"), await focused(p)]).toEqual(["status", "email"]);
      // The name of the field is what it was: the message is not part of its label.
      expect(await p.getByLabel("Email", { exact: false }).getAttribute("name")).toBe("email");
      expect(await faultsOf(p)).toEqual([]);
      expect([await stored(), site.blobs()]).toEqual([[], []]);

      await p.fill("[name=email]", good.email);
      await p.check("[value=praise]");
      await p.click("button");
      await expect.poll(() => status(p).textContent()).toBe("Thank you! Your submission has been received.");
      expect(p.url()).toBe(site.origin + path);
      expect([await errorsIn(p), await p.getAttribute("[name=email]", "aria-describedby")]).toEqual([{}, "hint"]);
      expect(await p.inputValue("[name=name]")).toBe("");
      expect(await faultsOf(p)).toEqual([]);
      const [submission] = await settled(1);
      expect(submission?.fields).toContainEqual({ key: "via", value: "button" });
      expect(submission?.fields.some(({ key }) => key.startsWith("_"))).toBe(false);
      expect([submission?.attachments.length, site.blobs()]).toEqual([1, ["My whole life"]]);
    });
  }

  test("with the keyboard alone: the focus is never lost, and goes to the first field that is wrong", async () => {
    const p = await open("/tag");
    await p.keyboard.press("Tab");
    expect(await focused(p)).toBe("name");
    await p.keyboard.type(good.name);
    await p.keyboard.press("Enter");
    await p.waitForSelector("[aria-invalid=true]");
    expect(await focused(p)).toBe("email");
    await p.keyboard.type(good.email);
    await p.keyboard.press("Tab");
    await p.keyboard.press("Space");
    for (let i = 0; i < 3; i++) await p.keyboard.press("Tab");
    expect(await focused(p)).toBe("via");
    await p.keyboard.press("Space");
    await expect.poll(() => status(p).textContent()).toBe("Thank you! Your submission has been received.");
    expect(await focused(p)).toBe("via");
    expect((await settled(1))[0]?.fields).toContainEqual({ key: "topic", value: "praise" });
  });

  test("the button is off while the post is on its way, and a second click sends nothing", async () => {
    const p = await open("/tag");
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await p.route("**/forms/f/**", async (route) => {
      await held;
      await route.continue();
    });
    for (const [name, value] of Object.entries(good)) await p.fill(`[name=${name}]`, value);
    await p.check("[value=praise]");
    await p.click("button");
    expect([await p.isDisabled("button"), await p.getAttribute("form", "aria-busy")]).toEqual([true, "true"]);
    await p.press("[name=name]", "Enter");
    await p.evaluate("document.querySelector('form').requestSubmit()");
    release();
    await expect.poll(() => status(p).textContent()).toContain("Thank you!");
    expect([await p.isDisabled("button"), await p.getAttribute("form", "aria-busy")]).toEqual([false, null]);
    await settled(1);
  });

  test("goes where the form redirects to", async () => {
    await site.backend.forms.update(site.form.id, {
      validation: { rules: [] },
      after_submit: { redirect: { success_url: `${site.origin}/thanks` } },
    });
    const p = await open("/tag");
    await p.fill("[name=name]", "Ann");
    await p.click("button");
    await p.waitForURL(`${site.origin}/thanks`);
    await settled(1);
  });

  test("a request that a script can't make is made by the browser, and one whose answer was lost is stored once", async () => {
    const p = await open("/tag");
    let blocked = 0;
    // The post reaches the endpoint; its answer never reaches the script.
    await p.route("**/forms/f/**", async (route) => {
      if (route.request().resourceType() !== "fetch") return route.continue();
      blocked++;
      await route.fetch();
      await route.abort("connectionreset");
    });
    for (const [name, value] of Object.entries(good)) await p.fill(`[name=${name}]`, value);
    await p.check("[value=praise]");
    await p.setInputFiles("[name=cv]", CV);
    await p.click("button");
    await p.waitForSelector("text=Your submission has been received.");
    expect(p.url()).toMatch(new RegExp(`^${site.form.endpoint}/thanks/`));
    expect(blocked).toBe(1);
    const [submission] = await settled(1);
    expect(submission?.fields).toContainEqual({ key: "via", value: "button" });
    expect([submission?.attachments.length, site.blobs()]).toEqual([1, ["My whole life"]]);
  });

  test("offline, it says so and keeps what was typed; an answer that can't be read is said too", async () => {
    const p = await open("/import");
    for (const [name, value] of Object.entries(good)) await p.fill(`[name=${name}]`, value);
    await p.check("[value=praise]");
    await p.context().setOffline(true);
    await p.click("button");
    await expect.poll(() => status(p).textContent()).toBe("No network.");
    await p.context().setOffline(false);
    await p.route("**/forms/f/**", (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" }), {
      times: 1,
    });
    await p.click("button");
    await expect.poll(() => status(p).textContent()).toBe("Oh no.");
    expect([await p.inputValue("[name=name]"), await stored()]).toEqual([good.name, []]);
    await p.click("button");
    await expect.poll(() => status(p).textContent()).toContain("Thank you!");
    await settled(1);
  });

  test("tells the page by events, which can take over, and gives the form back", async () => {
    const p = await open("/import");
    await p.evaluate(`
        window.heard = [];
        for (const type of ["success", "error"]) addEventListener("form-backend:" + type, (event) => {
          heard.push([type, event.detail.code]);
          event.preventDefault();
        })`);
    await p.fill("[name=name]", "Ann");
    await p.click("button");
    await expect.poll(() => p.evaluate("heard")).toEqual([["error", 422]]);
    await p.fill("[name=email]", good.email);
    await p.check("[value=praise]");
    await p.click("button");
    await expect
      .poll(() => p.evaluate("heard"))
      .toEqual([
        ["error", 422],
        ["success", 200],
      ]);
    expect([await p.inputValue("[name=name]"), await status(p).textContent(), await errorsIn(p)]).toEqual([
      "Ann",
      "",
      {},
    ]);
    await p.evaluate("undo()");
    await p.click("button");
    await p.waitForSelector("text=Your submission has been received.");
    await settled(2);
  });

  test("no uploaded file runs, whether a page embeds its link or somebody opens it", async () => {
    const files = polyglots.map(([, name, content], at) => ({ key: `f${at}`, name, content }));
    const script = { key: "text", name: "notes.txt", content: Buffer.from("alert('text')") };
    const fields = { ...good, topic: "praise" };
    const { attachments } = await site.backend.submit(site.form.id, { fields, files: [...files, script] });
    expect(attachments).toHaveLength(polyglots.length + 1);
    const p = await open("/");
    const dialogs: string[] = [];
    p.context().on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const embeds = attachments.map(
      ({ url }) =>
        `<script src="${url}"></script><script type="module" src="${url}"></script><iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}"><link rel="stylesheet" href="${url}">`,
    );
    await p.setContent(`<script>alert("control")</script>${embeds.join("")}`, { waitUntil: "load" });
    for (const { url } of attachments) {
      // The frames of the page may still be downloading theirs.
      const own = p.waitForEvent("download", (download) => download.url() === url);
      const [download] = await Promise.all([own, p.goto(url).catch(() => {})]);
      expect(download.suggestedFilename()).toBe(decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? ""));
    }
    expect(dialogs).toEqual(["control"]);
  });

  test("a listener of the page that says no is heard", async () => {
    const p = await open("/tag");
    await p.evaluate("document.querySelector('form').addEventListener('submit', (event) => event.preventDefault())");
    await p.fill("[name=name]", "Ann");
    // What the script does first, it does while the browser still handles the click.
    const [busy, regions] = (await p.evaluate(
      "document.querySelector('button').click(); [document.querySelector('form').hasAttribute('aria-busy'), document.querySelectorAll('[data-form-backend-status]').length]",
    )) as [boolean, number];
    expect([busy, regions, p.url()]).toEqual([false, 0, `${site.origin}/tag`]);
  });
});
