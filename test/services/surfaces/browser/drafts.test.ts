import { expect, test } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { enhancedForm } from "./_enhanced.ts";

const THANKS = "Thank you! Your submission has been received.";
const fields = `
  <input name="name"><input name="email"><textarea name="message"></textarea>
  <input type="radio" name="topic" value="praise"><input type="radio" name="topic" value="question">
  <input type="checkbox" name="tags" value="a"><input type="checkbox" name="tags" value="b" checked>
  <select name="size"><option>S</option><option>M</option></select>
  <select name="colours" multiple><option>red</option><option>green</option><option>blue</option></select>
  <input name="phone"><input name="phone">
  <input type="password" name="own"><input type="hidden" name="campaign" value="spring">
  <input name="card_number"><input name="number" autocomplete="cc-number"><input name="code" autocomplete="one-time-code">
  <input name="_gotcha"><input type="file" name="cv">
  <button name="via" value="button">Send</button>`;

describeBrowser("a draft", (browser) => {
  const it = enhancedForm(fields, browser);
  const fill = async (): Promise<void> => {
    const { page } = it;
    for (const name of ["name", "message", "own", "card_number", "number", "code"])
      await page.fill(`[name=${name}]`, `my ${name}`);
    await page.fill("[name=email]", "ann@example.com");
    await page.check("[value=praise]");
    await page.check("[value=a]");
    await page.uncheck("[value=b]");
    await page.selectOption("[name=size]", "M");
    await page.selectOption("[name=colours]", ["red", "blue"]);
    await page.locator("[name=phone]").nth(1).fill("second");
  };
  const typed = {
    name: ["my name"],
    email: ["ann@example.com"],
    message: ["my message"],
    topic: ["praise"],
    tags: ["a"],
    size: ["M"],
    colours: ["red", "blue"],
    phone: ["", "second"],
  };
  const empty = {
    name: [""],
    email: [""],
    message: [""],
    topic: [],
    tags: ["b"],
    size: ["S"],
    colours: [],
    phone: ["", ""],
  };
  /** What the page shows, by name, of the fields that may be kept. */
  const shown = (): Promise<object> =>
    it.page.evaluate(`(() => {
      const data = new FormData(document.querySelector("form"));
      const names = ${JSON.stringify(Object.keys(typed))};
      return Object.fromEntries(names.map((name) => [name, data.getAll(name)]));
    })()`);
  const kept = (): Promise<{ key: string; value: string }[]> =>
    it.page.evaluate("Object.entries(localStorage).map(([key, value]) => ({ key, value: String(value) }))");

  test("in this browser: there after a reload, without what is secret, and gone once it was sent", async () => {
    const page = await it.open({ draft: "local" });
    await fill();
    const [draft, ...others] = await kept();
    expect(others).toEqual([]);
    expect(draft?.key).toBe(`form-backend:draft:${it.site.form.endpoint}`);
    expect(JSON.parse(draft?.value ?? "").value).toEqual(typed);
    await it.open({ draft: "local" });
    await expect.poll(shown).toEqual(typed);
    expect(await page.inputValue("[name=card_number]")).toBe("");
    await page.click("button");
    await expect.poll(it.told).toBe(THANKS);
    expect(await kept()).toEqual([]);
    await it.open({ draft: "local" });
    expect(await shown()).toEqual(empty);
    expect(Object.keys((await it.site.stored())[0] ?? {})).not.toContain("_draft");
  });

  test("gone after a reset, after seven days, and where the page takes over after the success", async () => {
    const page = await it.open({ draft: "local" });
    await fill();
    await page.evaluate("document.querySelector('form').reset()");
    expect(await kept()).toEqual([]);
    await fill();
    await page.evaluate(`for (const [key, text] of Object.entries(localStorage)) {
      const entry = JSON.parse(text);
      localStorage.setItem(key, JSON.stringify({ ...entry, at: entry.at - 7 * 24 * 3600 * 1000 }));
    }`);
    await it.open({ draft: "local" });
    await expect.poll(kept).toEqual([]);
    expect(await shown()).toEqual(empty);
    await fill();
    await page.evaluate("document.addEventListener('form-backend:success', (event) => event.preventDefault())");
    await page.click("button");
    await expect.poll(() => it.site.stored()).toHaveLength(1);
    await expect.poll(kept).toEqual([]);
  });

  test("does not take back what the visitor typed before it came, and tells the page's own listeners", async () => {
    const page = await it.open({ draft: "local" });
    await fill();
    await page.goto(it.site.origin);
    await page.fill("[name=name]", "Bob");
    await page.evaluate(`window.heard = []; document.addEventListener("input", ({ target }) => heard.push(target.name));
      enhance({ draft: "local" })`);
    await expect.poll(shown).toEqual({ ...typed, name: ["Bob"] });
    expect(await page.evaluate("heard")).toEqual(expect.arrayContaining(["email", "message", "size"]));
    expect(JSON.parse((await kept())[0]?.value ?? "").value.name).toEqual(["Bob"]);
  });

  test("is not needed: a browser that denies storage, a draft that is garbage, one that was ended", async () => {
    const page = await it.open({ draft: "local" });
    await fill();
    await page.evaluate("undo()");
    await page.fill("[name=name]", "later");
    expect(JSON.parse((await kept())[0]?.value ?? "").value.name).toEqual(["my name"]);
    await page.evaluate(
      'localStorage.setItem(Object.keys(localStorage)[0], \'{"at":1e15,"value":{"name":7,"__proto__":[]}}\')',
    );
    await it.open({ draft: "local" });
    expect(await shown()).toEqual(empty);
    await page.addInitScript("Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })");
    await it.open({ draft: "local" });
    await fill();
    await page.click("button");
    await expect.poll(it.told).toBe(THANKS);
    expect(await it.site.stored()).toHaveLength(1);
  });

  test("at the endpoint: put after a pause, got after a reload, named in the post, removed after it", async () => {
    const { page } = it;
    const posts: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") posts.push(request.postData() ?? "");
    });
    await it.open({ draft: "server" });
    const { asked, bodies } = it.site.drafts;
    expect(asked).toEqual([]);
    await fill();
    await expect.poll(() => [...bodies.values()].map((body) => JSON.parse(body))).toEqual([typed]);
    const [id = ""] = bodies.keys();
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(asked.at(-1)).toEqual(["PUT", id, "application/json"]);
    // The browser keeps the name alone.
    expect((await kept()).map(({ key, value }) => [key, JSON.parse(value).value])).toEqual([
      [`form-backend:draft-id:${it.site.form.endpoint}`, id],
    ]);
    await it.open({ draft: "server" });
    await expect.poll(shown).toEqual(typed);
    await page.click("button");
    await expect.poll(it.told).toBe(THANKS);
    await expect.poll(() => [...bodies]).toEqual([]);
    expect(asked.at(-1)).toEqual(["DELETE", id, undefined]);
    expect(posts.map((post) => /name="_draft"\s+(\S+)/.exec(post)?.[1])).toEqual([id]);
    expect([await kept(), page.url()]).toEqual([[], `${it.site.origin}/`]);
  });

  test("at the endpoint: what was typed last is there when the page goes, and a form without it works", async () => {
    const { page } = it;
    const posts: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") posts.push(request.postData() ?? "");
    });
    await it.open({ draft: "server" });
    const { drafts } = it.site;
    await page.fill("[name=name]", "Ann");
    await page.goto("about:blank");
    await expect.poll(() => [...drafts.bodies.values()].map((body) => JSON.parse(body).name)).toEqual([["Ann"]]);
    drafts.bodies.clear();
    await it.open({ draft: "server" });
    // The endpoint does not know it, so neither does the browser any longer.
    await expect.poll(() => drafts.asked.map(([method]) => method)).toEqual(["PUT", "GET"]);
    await expect.poll(kept).toEqual([]);
    await page.fill("[name=message]", "x".repeat(65 * 1024));
    await page.evaluate("undo(); enhance({})");
    await page.fill("[name=message]", "short");
    await page.fill("[name=email]", "ann@example.com");
    await page.fill("[name=name]", "Ann");
    await page.check("[value=praise]");
    await page.click("button");
    await expect.poll(it.told).toBe(THANKS);
    expect([posts.map((post) => post.includes("_draft")), drafts.asked.length]).toEqual([[false], 2]);
    drafts.fault = 500;
    await it.open({ draft: "server" });
    await fill();
    await expect.poll(() => drafts.asked.length).toBe(3);
    await page.click("button");
    await expect.poll(it.told).toBe(THANKS);
  });
});
