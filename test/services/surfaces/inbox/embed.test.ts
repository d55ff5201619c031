import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { wholeChromium } from "../../../../scripts/chromium.mjs";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { notRun } from "../../../_support/not-run.ts";

const opened = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

if (existsSync(wholeChromium)) describe("the inbox in a frame of another site", tests);
else notRun(`the inbox in a frame: ${wholeChromium} is missing`);

function tests(): void {
  let browser: Browser;
  let backend: TestBackend;
  let serve: ReturnType<typeof formBackend> | undefined;
  /** The address in the frame of the next page. */
  let src = "";
  let formId = "";
  const forms = createServer((request, response) => {
    if (request.url !== "/probe") return void serve?.(request, response);
    const cookie = `${request.headers.cookie?.includes("probe=1") ? "sent" : "kept back"}`;
    const headers = { "content-type": "text/html", "set-cookie": "probe=1; SameSite=None; Secure" };
    response.writeHead(200, headers).end(`<!doctype html><title>Probe</title><p>cookie ${cookie}</p>`);
  });
  const page = (_: unknown, response: import("node:http").ServerResponse) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<!doctype html><title>Host</title><iframe src="${src}" width="900" height="700"></iframe>`);
  const [host, stranger] = [createServer(page), createServer(page)];
  const places = { host: "", stranger: "" };
  beforeAll(async () => {
    // Two names of this machine are two sites; two ports of one name are not.
    places.host = `http://127.0.0.1:${await opened(host)}`;
    places.stranger = `http://127.0.0.1:${await opened(stranger)}`;
    const ann = { id: "ann", name: "Ann", team_ids: ["default"], role: "admin" } as const;
    backend = createTestBackend({
      baseUrl: `http://localhost:${await opened(forms)}/forms`,
      rateLimit: false,
      inbox: inbox({
        embed: { origins: [places.host] },
        authenticate: ({ headers }) => (headers.has("x-ann") ? { ...ann, team_ids: ["default"] } : null),
      }),
    });
    serve = formBackend(backend);
    formId = (await backend.forms.create({ name: "Contact" })).id;
    await backend.submit(formId, { fields: { name: "Bo", message: "Do you deliver?" } });
    browser = await chromium.launch({
      executablePath: wholeChromium,
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--test-third-party-cookie-phaseout"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of [forms, host, stranger]) {
      server.close();
      server.closeAllConnections();
    }
    await backend?.close();
  });
  const linked = async (): Promise<string> =>
    (
      await backend.inbox.link({
        embed: true,
        team_ids: ["default"],
        role: "editor",
        user: { id: "bo", name: "Bo" },
        to: `/f/${formId}`,
      })
    ).url;

  test("a person works in it while third-party cookies are blocked, until the session is ended", async () => {
    const context = await browser.newContext();
    const view = await context.newPage();
    src = await linked();
    await view.goto(places.host);
    const frame = view.frameLocator("iframe");
    await frame.getByRole("row").getByText("Do you deliver?").click();
    await frame.getByRole("button", { name: "Mark as unread" }).click();
    await frame.getByText("1 marked as unread").waitFor();
    await frame.getByRole("link", { name: "Settings", exact: true }).click();
    await frame.getByLabel("Name", { exact: true }).fill("Contact us");
    await frame.getByRole("button", { name: "Save" }).click();
    await frame.getByText("1 setting was saved.").waitFor();
    await frame.getByRole("link", { name: "Notification", exact: true }).click();
    await frame.frameLocator('iframe[name="preview"]').getByText("New submission: Contact us").waitFor();
    const [cookie] = (await context.cookies()).filter(({ name }) => name.endsWith("-frame"));
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: "None" });
    // The same link again, and a page around that is not on the list.
    await view.goto(places.host);
    await frame.getByText("This link was used already").waitFor();
    src = `${backend.baseUrl}/inbox/f/${formId}`;
    await view.goto(places.host);
    await frame.getByRole("heading", { name: "Contact us" }).waitFor();
    await backend.inbox.endSessions({ user_id: "bo" });
    await view.goto(places.host);
    await frame.getByText("You are not signed in here").waitFor();
    expect(await frame.getByRole("link", { name: "Open in a new tab" }).getAttribute("target")).toBe("_blank");
    await context.close();
  }, 120_000);

  test("an ordinary cookie is blocked there, so that the tests say something", async () => {
    const view = await browser.newPage();
    src = `${new URL(backend.baseUrl).origin}/probe`;
    for (let i = 0; i < 2; i++) {
      await view.goto(places.host);
      await view.frameLocator("iframe").getByText("cookie kept back").waitFor();
    }
    await view.close();
  }, 300_000);

  test("no other page may frame it", async () => {
    const view = await browser.newPage();
    const refused: string[] = [];
    view.on("console", (message) => void refused.push(message.text()));
    src = await linked();
    await view.goto(places.stranger);
    await expect.poll(() => refused.join("\n"), { timeout: 30_000 }).toMatch(/frame-ancestors/);
    expect(await view.frameLocator("iframe").getByText("Contact").count()).toBe(0);
    await view.close();
  }, 300_000);
}
