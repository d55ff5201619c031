import { readFileSync } from "node:fs";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { s3Blob } from "../../../../src/drivers/blob/s3.ts";
import { createFormBackend, type FormBackend } from "../../../../src/index.ts";
import { describeBrowser } from "../../../_support/browser.ts";
import { runs } from "../../../_support/runs.ts";
import { type S3Server, startS3 } from "../../../_support/s3-server.ts";
import { buildApp } from "./_frameworks.ts";

const MB = 1024 * 1024;
const MIN = 60_000;
const FILM = 200;

describeBrowser("direct uploads of a page", (browser) => {
  let s3: S3Server;
  /** The bucket, as a page of another origin sees it: with a rule of CORS, and slow enough to be cut in the middle. */
  let bucket: Listening;
  let site: Listening;
  let backend: FormBackend;
  let form: string;
  /** Numbers of the parts that the bucket has taken, and the largest body of a request that reached the backend. */
  const parts: string[] = [];
  let largest = 0;
  let onPart = async (): Promise<void> => {};

  beforeAll(async () => {
    s3 = await startS3();
    bucket = await listen((req, res) => {
      res.setHeader("access-control-allow-origin", "*");
      if (req.method === "OPTIONS") {
        res.setHeader("access-control-allow-methods", "PUT");
        res.setHeader("access-control-allow-headers", "content-type");
        return void res.writeHead(204).end();
      }
      const { method, url = "", headers } = req;
      const onward = forward({ host: "127.0.0.1", port: s3.port, method, path: url, headers }, (answer) => {
        const part = new URL(url, "http://s3.test").searchParams.get("partNumber");
        if (method === "PUT" && part !== null && answer.statusCode === 200) parts.push(part);
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      onward.on("error", () => res.destroy());
      req.on("error", () => onward.destroy());
      req.on("close", () => req.complete || onward.destroy());
      req.pipe(onward);
      if (method === "PUT") void onPart();
    });
    const script = readFileSync(await buildApp("test/services/surfaces/browser/apps/enhance-client.mjs", "client"));
    let handle: ReturnType<typeof formBackend>;
    site = await listen((req, res) => {
      const { url = "", headers } = req;
      if (url.startsWith("/forms")) {
        const bytes = Number(headers["content-length"] ?? 0);
        largest = Math.max(largest, bytes);
        // The limit of a platform.
        if (bytes > MB) return void res.writeHead(413).end("too large");
        return void handle(req, res);
      }
      const isScript = url === "/app.js";
      res.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
      res.end(
        isScript
          ? script
          : `<!doctype html><html lang="en"><head><title>Film</title><link rel="icon" href="data:,"></head><body><form action="/forms/f/${form}" method="post" enctype="multipart/form-data">
             <label>Film <input type="file" name="film"></label><progress data-form-backend-progress hidden></progress><button>Send</button></form>
             <script>window.seen = []; addEventListener("form-backend:progress", ({ detail }) => seen.push(detail.loaded), true)</script>
             <script type="module" src="/app.js"></script></body></html>`,
      );
    });
    backend = createFormBackend({
      baseUrl: `${site.origin}/forms`,
      rateLimit: false,
      blob: s3Blob(s3.options({ endpoint: bucket.origin })),
      files: { direct: true },
      plans: { unlimited: { max_file_size: null, max_total_file_size: null } },
    });
    handle = formBackend(backend);
    form = (await backend.forms.create({ name: "Films" })).id;
  }, MIN);
  afterAll(async () => {
    await backend.close();
    await Promise.all([bucket.close(), site.close()]);
    await s3.close();
  });

  /** A page with a film of this number of bytes, which has begun with those of an MP4. */
  async function opened(bytes: number): Promise<Page> {
    Object.assign(parts, { length: 0 });
    largest = 0;
    onPart = async () => {};
    const page = await (await browser().newContext()).newPage();
    await page.goto(site.origin);
    await page.evaluate(
      `{
        const bytes = new Uint8Array(${bytes});
        bytes.set([0, 0, 0, 24, ...new TextEncoder().encode("ftypmp42"), 0, 0, 0, 0, ...new TextEncoder().encode("mp42isom")]);
        const files = new DataTransfer();
        files.items.add(new File([bytes], "film.mp4", { type: "video/mp4" }));
        document.querySelector("input").files = files.files;
        enhance({ uploads: "direct", progress: true });
      }`,
    );
    return page;
  }

  const sent = async (page: Page): Promise<void> =>
    expect
      .poll(() => page.textContent("[data-form-backend-status]"), { timeout: 2 * MIN })
      .toContain("Your submission has been received.");

  /** The film of the latest submission, with the bytes that a download has. */
  async function latest(): Promise<object> {
    const [submission] = (await backend.submissions.list(form)).data;
    const { key, mime_type, url } = submission?.attachments?.[0] ?? { url: "" };
    const { body } = await backend.handle(new Request(url), { ip: "203.0.113.9" });
    let bytes = 0;
    for await (const chunk of body ?? []) bytes += chunk.byteLength;
    return { key, mime_type, bytes };
  }

  it(
    "go on where they were cut: 50 MB, offline for ten seconds in the middle",
    async () => {
      const page = await opened(50 * MB);
      let wasOffline = false;
      onPart = async () => {
        if (wasOffline || parts.length < 3) return;
        wasOffline = true;
        await page.context().setOffline(true);
        await new Promise((resolve) => setTimeout(resolve, 10_000));
        await page.context().setOffline(false);
      };
      await page.click("button");
      await sent(page);
      expect(wasOffline).toBe(true);
      // Seven parts, and the one that was cut is all that went twice, if its end had come to nothing.
      expect([...new Set(parts)]).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
      expect(parts.length).toBeLessThanOrEqual(8);
      expect(await latest()).toEqual({ key: "film", mime_type: "video/mp4", bytes: 50 * MB });
      const seen = (await page.evaluate("seen")) as number[];
      expect(Math.max(...seen)).toBe(50 * MB);
      // The bytes that had arrived before the cut were not counted down again.
      expect(seen.every((loaded, at) => loaded >= (seen[at - 1] ?? 0) - 8 * MB)).toBe(true);
      expect(largest).toBeLessThan(MB / 100);
      await page.context().close();
    },
    6 * MIN,
  );

  it(
    `of ${runs(24, FILM)} MB pass a backend whose limit for a body is 1 MB`,
    async () => {
      const bytes = runs(24, FILM) * MB;
      const page = await opened(bytes);
      await page.click("button");
      await sent(page);
      expect(await latest()).toEqual({ key: "film", mime_type: "video/mp4", bytes });
      expect(largest).toBeLessThan(MB / 100);
      await page.context().close();
    },
    6 * MIN,
  );
});

interface Listening {
  readonly origin: string;
  close(): Promise<unknown>;
}

async function listen(answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<Listening> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
