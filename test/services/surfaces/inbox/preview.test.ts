import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { describeBrowser } from "../../../_support/browser.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";
import { openShop, type Shop } from "./_shop.ts";

const unescaped = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

describe("the mail that arrives over SMTP, and its preview", () => {
  let smtp: TestSmtpServer;
  beforeAll(async () => {
    smtp = await startSmtpServer();
  });
  afterAll(() => smtp?.close());

  it("differ in nothing but the addresses", async () => {
    const ann = { id: "ann", name: "Ann", team_ids: ["default"], role: "editor" } as const;
    const backend = createTestBackend({
      baseUrl: "http://localhost:3000/forms",
      rateLimit: false,
      mailer: smtpMailer(smtp.url),
      inbox: inbox({ authenticate: () => ({ ...ann, team_ids: ["default"] }) }),
    });
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: {
        recipients: ["owner@example.com"],
        subject: "From {{name}}",
        template: { theme: "formal" },
      },
      auto_response: { enabled: true, subject: "Hello {{name}}", template: { message: "We got “{{message}}”." } },
    });
    const fields = { name: "Ann & <Bo>", email: "ann@example.com", message: "Line 1\nLine 2: مرحبا" };
    const files = [{ key: "note", name: "note.txt", content: Buffer.from("Hello") }];
    const { id } = await backend.submit(form.id, { fields, files });
    await expect
      .poll(
        async () => {
          await backend.clock.advance(1_000);
          return smtp.messages.length;
        },
        { timeout: 60_000 },
      )
      .toBe(2);
    const shown = async (kind: string, format: string): Promise<string> => {
      const url = `${backend.baseUrl}/inbox/f/${form.id}/preview/${kind}?submission=${id}&format=${format}`;
      return (await backend.handle(new Request(url))).text();
    };
    const crlf = (text: string): string => text.replace(/\r\n/g, "\n").trimEnd();
    for (const [kind, to] of [
      ["notification", "owner@example.com"],
      ["reply", "ann@example.com"],
    ] as const) {
      const mail = smtp.messages.find((one) => one.to.some(({ address }) => address === to));
      const html = await shown(kind, "html");
      expect(crlf(unescaped(/srcdoc="([^"]*)"/.exec(html)?.[1] ?? "")), kind).toBe(crlf(mail?.html ?? "none"));
      const text = await shown(kind, "text");
      expect(crlf(unescaped(/<pre[^>]*>([\s\S]*)<\/pre>/.exec(text)?.[1] ?? "")), kind).toBe(
        crlf(mail?.text ?? "none"),
      );
      expect(unescaped(html)).toContain(`<dt>Subject</dt><dd dir="auto">${mail?.subject}</dd>`);
    }
    await backend.close();
  }, 120_000);
});

describeBrowser("the frame of a preview", (browser) => {
  let shop: Shop;
  /** The same behind a proxy that adds a policy of its own. */
  let proxied = "";
  const proxy = createServer(async (request, response) => {
    const answer = await fetch(shop.at("").replace(/\/forms\/.*/, request.url ?? "/"), { redirect: "manual" });
    const headers = Object.fromEntries(answer.headers);
    delete headers["content-encoding"];
    delete headers["content-length"];
    const policy = [answer.headers.get("content-security-policy"), "default-src 'self'"].filter(Boolean).join(", ");
    const body = (await answer.text()).replaceAll(new URL(shop.at("")).origin, proxied);
    response.writeHead(answer.status, { ...headers, "content-security-policy": policy }).end(body);
  });
  beforeAll(async () => {
    shop = await openShop();
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    proxied = `http://localhost:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await shop?.close();
  });

  /** Computed styles of a mail. */
  const LOOK = `[...document.querySelectorAll("body, td")].map((one) => {
    const { backgroundColor, padding, color, fontFamily } = getComputedStyle(one);
    return [backgroundColor, padding, color, fontFamily];
  })`;
  const subject = 'iframe[name="preview"]';

  test("shows the unsaved mail without JavaScript, in both widths and schemes", async () => {
    const context = await browser().newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(shop.at("/settings/notification"));
    const frame = page.frameLocator(subject);
    await frame.getByText("New submission: Contact").waitFor();
    await page.getByLabel("Subject", { exact: true }).fill("Unsaved {{name}}");
    await page.getByLabel("320 px").check();
    await page.getByLabel("Dark", { exact: true }).check();
    await page.getByRole("button", { name: "Show the preview" }).click();
    await frame.getByText("Unsaved Jane Example").waitFor();
    expect((await page.locator(subject).boundingBox())?.width).toBe(320);
    expect(await frame.locator("iframe").getAttribute("srcdoc")).toContain("@media(min-width:0)");
    await page.getByLabel("Text", { exact: true }).check();
    await page.getByRole("button", { name: "Show the preview" }).click();
    await frame.locator("pre").getByText("Jane Example").waitFor();
    expect((await shop.backend.forms.get(shop.form)).self_email_notification.subject).toBe(
      "New submission: {{form.name}}",
    );
    await context.close();
  }, 120_000);

  test("follows what is typed, runs nothing, and looks the same under a proxy's policy", async () => {
    const page = await browser().newPage();
    const looks: unknown[] = [];
    for (const origin of [new URL(shop.at("")).origin, proxied]) {
      await page.goto(shop.at("/settings/notification").replace(/^https?:\/\/[^/]+/, origin));
      const mail = page.frameLocator(subject).frameLocator("iframe");
      await mail.getByText("Jane Example").waitFor();
      const look = () =>
        page
          .frames()
          .find((one) => one.url() === "about:srcdoc")
          ?.evaluate(LOOK);
      if (looks.length === 0) looks.push(await look());
      else await expect.poll(look, { timeout: 30_000 }).toEqual(looks[0]);
    }
    await page.goto(shop.at("/settings/notification"));
    await page.getByLabel("Subject", { exact: true }).fill("Typed {{email}}");
    await page.frameLocator(subject).getByText("Typed jane@example.com").waitFor();
    await page.close();
  }, 120_000);
});
