import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { describeBrowser, faultsOf } from "../../../_support/browser.ts";
import { browserScript } from "../../../_support/browser-script.ts";

describeBrowser("a deploy during a post", (browser) => {
  for (const javaScriptEnabled of [false, true]) {
    test(`${javaScriptEnabled ? "with" : "without"} script: nothing that was written is lost`, async () => {
      let answer: RequestListener = () => {};
      const script = javaScriptEnabled ? readFileSync(await browserScript(), "utf8") : "";
      let page = "";
      const server = createServer((request, response) => {
        if (request.url === "/contact") response.setHeader("content-type", "text/html").end(page);
        else if (request.url === "/browser.js") response.setHeader("content-type", "text/javascript").end(script);
        else answer(request, response);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
      const storage = memoryStorage();
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const start = () => createTestBackend({ baseUrl: `${origin}/forms`, storage, logger });
      const old = start();
      const form = await old.forms.create({ name: "Contact" });
      page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Contact</title><form method="post" action="${form.endpoint}"${javaScriptEnabled ? " data-form-backend" : ""}><label>Message <textarea name="message"></textarea></label><input type="hidden" name="from" value="Zoë"><button>Send</button></form>${javaScriptEnabled ? '<script type="module" src="/browser.js"></script>' : ""}`;
      answer = formBackend(old);
      const context = await browser().newContext({ javaScriptEnabled });
      onTestFinished(async () => {
        await context.close();
        server.close();
        server.closeAllConnections();
      });
      const tab = await context.newPage();
      await tab.goto(`${origin}/contact`);
      await tab.fill("textarea", "first line\nsecond line");
      await old.close();
      await tab.click("button");

      if (javaScriptEnabled) {
        await expect.poll(() => tab.textContent("[data-form-backend-status]")).toMatch(/\w/);
        expect(await tab.inputValue("textarea")).toBe("first line\nsecond line");
      } else {
        expect(await tab.textContent("h1")).toBe("Please try again");
        if (process.env["SHOTS"]) await tab.screenshot({ path: `${process.env["SHOTS"]}/deploy.png`, fullPage: true });
      }
      const next = start();
      onTestFinished(() => next.close());
      answer = formBackend(next);
      if (javaScriptEnabled) {
        await tab.click("button");
        await expect.poll(async () => (await next.submissions.list(form.id)).data.length).toBe(1);
      } else {
        await tab.click("text=Send again");
        await tab.waitForURL(`${form.endpoint}/thanks/**`);
      }
      const { data } = await next.submissions.list(form.id);
      expect(data.map(({ fields }) => fields)).toEqual([
        [
          { key: "message", value: "first line\r\nsecond line" },
          { key: "from", value: "Zoë" },
        ],
      ]);
      if (javaScriptEnabled) expect(await faultsOf(tab, ["wcag2a"])).toEqual([]);
    });
  }
});
