import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { describeBrowser } from "../../../_support/browser.ts";

const opened = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

interface Said {
  readonly type: string;
  readonly height: number;
  readonly path: string;
  readonly unread: number;
}

describeBrowser("the inbox in a frame without bars", (browser) => {
  let backend: TestBackend;
  let serve: ReturnType<typeof formBackend> | undefined;
  let src = "";
  let formId = "";
  const forms = createServer((request, response) => void serve?.(request, response));
  /** A frame beside the inbox, of an origin that is not the page's around. */
  const sender = `<!doctype html><title>Sender</title><script>parent.frames[0].postMessage({ type: "form-backend:go", path: "/all" }, "*"); parent.postMessage("sent", "*");</script>`;
  const pageAround = ({ url }: { url?: string | undefined }, response: import("node:http").ServerResponse) => {
    if (url === "/sender") return void response.writeHead(200, { "content-type": "text/html" }).end(sender);
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(
        `<!doctype html><title>Host</title><iframe src="${src}" width="900" height="300"></iframe><script>window.said = []; addEventListener("message", (e) => e.data === "sent" ? (window.sent = true) : said.push({ ...e.data, origin: e.origin }));</script>`,
      );
  };
  const [host, stranger] = [createServer(pageAround), createServer(pageAround)];
  const places = { host: "", stranger: "", forms: "" };
  beforeAll(async () => {
    places.host = `http://127.0.0.1:${await opened(host)}`;
    places.stranger = `http://127.0.0.1:${await opened(stranger)}`;
    places.forms = `http://localhost:${await opened(forms)}`;
    backend = createTestBackend({
      baseUrl: `${places.forms}/forms`,
      rateLimit: false,
      inbox: inbox({ embed: { origins: [places.host], chrome: false } }),
    });
    serve = formBackend(backend);
    formId = (await backend.forms.create({ name: "Contact" })).id;
    await backend.submit(formId, { fields: { name: "Bo", message: "Do you deliver?" } });
  });
  afterAll(async () => {
    for (const server of [forms, host, stranger]) {
      server.close();
      server.closeAllConnections();
    }
    await backend?.close();
  });

  const show = async (place: string): Promise<Page> => {
    const { url } = await backend.inbox.link({
      embed: true,
      team_ids: ["default"],
      role: "editor",
      user: { id: "bo", name: "Bo" },
      to: `/f/${formId}`,
    });
    src = url;
    const page = await (await browser().newContext()).newPage();
    await page.goto(place);
    return page;
  };
  const said = (page: Page): Promise<(Said & { origin: string })[]> => page.evaluate("window.said");
  const lastPath = async (page: Page): Promise<string | undefined> => (await said(page)).at(-1)?.path;

  test("tells the page around it of its height, its path and what is unread, and goes where that page says", async () => {
    const page = await show(places.host);
    const frame = page.frameLocator("iframe");
    await frame.getByText("Do you deliver?").first().waitFor();
    expect(await frame.locator("header.top, details.side").count()).toBe(0);
    await expect.poll(() => lastPath(page)).toBe(`/f/${formId}`);
    const first = (await said(page)).at(-1);
    expect(first).toMatchObject({ type: "form-backend", unread: 1, origin: places.forms });
    expect(first?.height).toBeGreaterThan(100);

    await frame.getByText("Do you deliver?").first().click();
    await expect.poll(() => lastPath(page)).toMatch(new RegExp(`^/f/${formId}/s/`));
    await expect.poll(async () => (await said(page)).at(-1)?.unread).toBe(0);

    const go = (path: unknown): Promise<unknown> =>
      page.evaluate(
        `document.querySelector("iframe").contentWindow.postMessage({ type: "form-backend:go", path: ${JSON.stringify(path)} }, "*")`,
      );
    await go(`/f/${formId}?status=spam`);
    await expect.poll(() => lastPath(page)).toBe(`/f/${formId}?status=spam`);
    for (const path of ["//evil.example/", "/../../v1/health", "javascript:alert(1)", "/\\evil.example", 7, null])
      await go(path);
    // The same words from a frame of another origin beside it, and from the frame itself.
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(`${places.stranger}/sender`)} }))`,
    );
    await expect.poll(() => page.evaluate("window.sent === true")).toBe(true);
    await page
      .frames()[1]
      ?.evaluate(
        `postMessage({ type: "form-backend:go", path: "/all" }, "*"), new Promise((done) => setTimeout(done))`,
      );
    await go(`/f/${formId}`);
    await expect.poll(() => lastPath(page)).toBe(`/f/${formId}`);
    expect(asked.filter((path) => path.endsWith("/all"))).toEqual([]);
    expect(asked).toContain(`/forms/inbox/f/${formId}`);
    await go("/all");
    await expect.poll(() => lastPath(page)).toBe("/all");
    expect((await said(page)).map(({ path }) => path).filter((path) => !/^\/(f\/|all)/.test(path))).toEqual([]);
    await page.context().close();
  });

  test("acts on lines without loading the page anew", async () => {
    const page = await show(places.host);
    const frame = page.frameLocator("iframe");
    await frame.locator("tr[data-submission-id]").first().waitFor();
    const inner = page.frames()[1];
    await inner?.evaluate("window.isSame = true");
    await frame.locator("input[name=ids]").first().check();
    await frame.locator("button[value=mark_unread]").click();
    await frame.locator(".toast").waitFor();
    expect(await frame.locator(".toast").textContent()).toContain("1 marked as unread");
    expect(await inner?.evaluate("window.isSame")).toBe(true);
    await page.context().close();
  });

  test("is not shown by a page that is not listed, and tells it nothing", async () => {
    const page = await show(places.stranger);
    await page.waitForLoadState("networkidle");
    expect(await said(page)).toEqual([]);
    await page.context().close();
  });
});
