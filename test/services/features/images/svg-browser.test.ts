import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSvg } from "../../../../src/features/images/svg.ts";
import { describeBrowser } from "../../../_support/browser.ts";
import { inTurn } from "../../../_support/runs.ts";
import { attacks, exports } from "../../../_support/svgs.ts";

/** What is stored of a file; null where it is refused. */
async function stored(file: string): Promise<string | null> {
  const read = await readSvg(Buffer.from(file.trim()));
  return read && "bytes" in read ? Buffer.from(read.bytes).toString() : null;
}

describeBrowser("an SVG in the browser, without the headers that we serve it with", (browser) => {
  let page: Page;
  let server: Server;
  let origin: string;
  let shown = { type: "", body: "" };
  let ran = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { "content-type": shown.type }).end(shown.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    page = await browser().newPage();
    await page.exposeFunction("ran", () => ran++);
  });
  afterAll(async () => {
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  });

  /** How often it ran something while it was loaded, shown for some frames and clicked on. */
  async function runs(body: string, type: "image/svg+xml" | "text/html"): Promise<number> {
    ran = 0;
    shown = {
      type,
      body: type === "text/html" ? `<!doctype html><title>A</title><body style="margin:0">${body}` : body,
    };
    await page.goto(origin, { waitUntil: "load" });
    await frames();
    await page.mouse.click(20, 20);
    await frames();
    return ran;
  }
  const frames = () =>
    page
      .evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")
      .catch(() => {});

  test("as it is stored, no attack runs, opened by itself or pasted into a page; many do as they were sent", async () => {
    let tried = 0;
    let worked = 0;
    for (const [i, attack] of attacks.entries()) {
      const file = attack.trim();
      if (inTurn(i)) {
        tried++;
        const sent = (await runs(file, "image/svg+xml")) + (await runs(file, "text/html"));
        if (sent > 0) worked++;
      }
      const clean = await stored(file);
      if (clean === null) continue;
      expect([clean, await runs(clean, "image/svg+xml"), await runs(clean, "text/html")]).toEqual([clean, 0, 0]);
    }
    // Else the method would prove nothing.
    console.log(`${worked} of ${tried} run as they were sent`);
    expect(worked).toBeGreaterThan(tried / 2);
  }, 240_000);

  test.each(exports)("%s: what is stored looks as what was sent", async (_, file) => {
    await page.goto("about:blank");
    const draw = (text: string): Promise<string> =>
      page.evaluate<string>(`(async () => {
          const image = new Image();
          image.src = "data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}";
          await image.decode();
          const context = new OffscreenCanvas(240, 120).getContext("2d");
          context.drawImage(image, 0, 0, 240, 120);
          return context.getImageData(0, 0, 240, 120).data.join();
        })()`);
    const sent = await draw(file);
    // Blue, and orange in the middle.
    expect(sent.startsWith("11,95,255,255,")).toBe(true);
    expect(sent).toMatch(/,255,1(65|4\d|3\d|2\d),\d,255,/);
    expect((await draw((await stored(file)) ?? "")) === sent).toBe(true);
  });
});
