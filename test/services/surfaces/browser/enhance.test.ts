import { expect, test } from "vitest";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { enhancedForm } from "./_enhanced.ts";

const FAILED = "Something went wrong. Please try again.";
const THANKS = "Thank you! Your submission has been received.";
const CV = { name: "cv.txt", mimeType: "text/plain", buffer: Buffer.from("My whole life. ".repeat(100_000)) };
const fields = `
  <p><label>Name <input name="name"></label></p>
  <p><label for="email">Email</label> <input id="email" name="email" aria-describedby="hint"> <span id="hint">Work</span></p>
  <fieldset><legend>Topic</legend>
    <label><input type="radio" name="topic" value="praise"> Praise</label>
    <label><input type="radio" name="topic" value="question"> Question</label> <i>or none</i>
  </fieldset>
  <p><label>CV <input type="file" name="cv"></label></p>
  <progress data-form-backend-progress hidden aria-label="Upload"></progress>
  <input type="hidden" name="campaign" value="spring">
  <button>Send</button>`;

describeBrowser("enhance", (browser) => {
  const it = enhancedForm(fields, browser);
  const fill = async (): Promise<void> => {
    await it.page.fill("[name=name]", "Ann");
    await it.page.fill("[name=email]", "ann@example.com");
    await it.page.check("[value=praise]");
  };
  const send = (): Promise<void> => it.page.click("button");
  const expectTold = (text: string) => expect.poll(it.told).toBe(text);

  test("puts one note behind the control or the group, outside of every label, until the visitor corrects it", async () => {
    const page = await it.open();
    await send();
    await expectTold("The name field is required. (+2 more errors)");
    expect(
      await page.evaluate(`[...document.querySelectorAll(".form-backend-error")].map((note) => [
        note.previousElementSibling.textContent.trim() || note.previousElementSibling.name,
        document.querySelectorAll("[aria-describedby~=" + note.id + "][aria-invalid=true]").length,
        note.closest("label"),
      ])`),
    ).toEqual([
      ["Name", 1, null],
      ["email", 1, null],
      ["Question", 2, null],
    ]);
    expect(await faultsOf(page)).toEqual([]);

    await page.fill("[name=name]", "Ann");
    expect(await page.locator(".form-backend-error").count()).toBe(2);
    expect(await it.told()).toBe("The name field is required. (+2 more errors)");
    await page.check("[value=question]");
    expect(await page.locator("[type=radio][aria-invalid], [type=radio][aria-describedby]").count()).toBe(0);
    await page.fill("[name=email]", "a");
    expect(await page.getAttribute("[name=email]", "aria-describedby")).toBe("hint");
    expect([await page.locator(".form-backend-error").count(), await it.told()]).toEqual([0, ""]);
  });

  test("says that it is sent, in the page's words", async () => {
    const page = await it.open({ sending: "Wird gesendet …" });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/forms/f/**", async (route) => {
      await held;
      await route.continue();
    });
    await fill();
    await send();
    await expectTold("Wird gesendet …");
    release();
    await expectTold(THANKS);
  });

  test("shows and tells how much of an upload has left, and asks for that only where there is a file", async () => {
    const page = await it.open();
    const kinds: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") kinds.push(request.resourceType());
    });
    await page.evaluate(`window.heard = []; document.addEventListener("form-backend:progress", ({ detail, target }) => {
      const { hidden, value, max } = target.querySelector("progress");
      heard.push([detail.loaded / detail.total, hidden, value / max]);
    })`);
    await fill();
    await send();
    await expectTold(THANKS);
    expect([kinds, await page.evaluate("heard")]).toEqual([["fetch"], []]);
    await fill();
    await page.setInputFiles("[name=cv]", CV);
    await send();
    await expect.poll(() => it.site.stored()).toHaveLength(2);
    await expectTold(THANKS);
    const heard = (await page.evaluate("heard")) as [number, boolean, number][];
    expect(heard.at(-1)).toEqual([1, false, 1]);
    expect(heard.every(([share, hidden, shown]) => share === shown && !hidden)).toBe(true);
    expect([kinds, await page.isHidden("progress")]).toEqual([["fetch", "xhr"], true]);
  });

  test("stays on the page where it was told to, and the next try is stored once", async () => {
    const page = await it.open({ fallback: false });
    let times = 0;
    await page.route("**/forms/f/**", async (route) => {
      if (++times > 1) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    await fill();
    await send();
    await expectTold(FAILED);
    expect(page.url()).toBe(`${it.site.origin}/`);
    await send();
    await expectTold(THANKS);
    expect(await it.site.stored()).toHaveLength(1);
  });

  test("says that it failed where an answer has no words, and does not leave", async () => {
    const page = await it.open();
    const answers = [
      { status: 503, contentType: "text/html", body: "<h1>Back soon</h1>" },
      { status: 502, body: "" },
      { status: 500, json: { statusCode: 500 } },
      { status: 200, contentType: "text/html", body: "<!doctype html>" },
    ];
    await page.evaluate(`window.heard = [];
      document.addEventListener("form-backend:error", ({ detail }) => heard.push(detail && detail.statusCode))`);
    await fill();
    await page.route("**/forms/f/**", (route) => {
      const answer = answers.shift();
      return answer ? route.fulfill(answer) : route.continue();
    });
    for (const count of [1, 2, 3, 4]) {
      await send();
      await expect.poll(() => page.evaluate("heard.length")).toBe(count);
      await expectTold(FAILED);
    }
    expect(await page.evaluate("heard")).toEqual([null, null, 500, null]);
    await send();
    await expectTold(THANKS);
    expect([await it.site.stored(), page.url()]).toMatchObject([[{ name: "Ann" }], `${it.site.origin}/`]);
  });

  test("changed after a lost answer, it is a post of its own", async () => {
    const page = await it.open({ fallback: false });
    let times = 0;
    await page.route("**/forms/f/**", async (route) => {
      if (++times > 1) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    await fill();
    await send();
    await expectTold(FAILED);
    await page.fill("[name=name]", "Bob");
    await send();
    await expectTold(THANKS);
    expect((await it.site.stored()).map(({ name }) => name)).toEqual(["Ann", "Bob"]);
  });

  test("leaves a page alone that its form is no longer on", async () => {
    const page = await it.open();
    const success_url = `${it.site.origin}/thanks`;
    await it.site.backend.forms.update(it.site.form.id, { after_submit: { redirect: { success_url } } });
    await fill();
    await page.evaluate(`document.addEventListener("form-backend:success", () => { window.sent = true; });
      const form = document.querySelector("form");
      form.addEventListener("form-backend:success", () => { window.sent = true; });
      form.requestSubmit();
      form.remove();`);
    await expect.poll(() => page.evaluate("window.sent")).toBe(true);
    expect([page.url(), (await it.site.stored()).length]).toEqual([`${it.site.origin}/`, 1]);
  });
});

describeBrowser("enhance, with fields named like what every form has", (browser) => {
  const names = ["elements", "append", "matches", "action", "submit", "reset", "length"];
  const it = enhancedForm(
    `${names.map((name) => `<input name="${name}">`).join("")}<input name="email"><button>Send</button>`,
    browser,
  );

  test("shows the errors of a refused post, and keeps a draft of all fields", async () => {
    const faults: string[] = [];
    it.page.on("pageerror", ({ message }) => faults.push(message));
    const page = await it.open({ draft: "local" });
    for (const name of names) await page.fill(`[name=${name}]`, `my ${name}`);
    await page.click("button");
    await expect.poll(it.told).toBe("The name field is required. (+2 more errors)");
    expect(await page.getAttribute("[name=email]", "aria-invalid")).toBe("true");
    await it.open({ draft: "local" });
    for (const name of names)
      await expect.poll(() => page.inputValue(`[name=${name}]`), { message: name }).toBe(`my ${name}`);
    expect(faults).toEqual([]);
  });
});
