import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { bundleWorker } from "../../_support/workerd.ts";
import { built, type RunningExample, startExample } from "../e2e/_example.ts";

const KB = 1024;
const zipped = (code: string, what: string): number => {
  const { length } = gzipSync(code, { level: 9 });
  console.info(`the Worker ${what}: ${(length / KB).toFixed(0)} KB gzipped`);
  return length;
};
built();

describe("form-backend/cloudflare as built", () => {
  const bundled = async (code: string): Promise<string> => bundleWorker({ code }, { minify: true });
  const OBJECT =
    'export { formBackendObject, formBackendWorker, r2Blob, cloudflareMailer } from "form-backend/cloudflare";';

  it("is a Worker of at most 700 KB gzipped, without what other stores need", async () => {
    const code = await bundled(OBJECT);
    expect(zipped(code, "without the inbox")).toBeLessThanOrEqual(700 * KB);
    // Sockets are for Node, and counters in other stores for those who name one.
    expect([...new Set(code.match(/"node:(https|cluster|tls)"/g))]).toEqual([]);
    expect([...new Set(code.match(/RateLimiter(Mongo|Memcache|Dynamo|Cluster)/g))]).toEqual([]);
  });

  it("is at most 1.1 MB gzipped with the inbox", async () => {
    const code = await bundled(`${OBJECT} export { inbox } from "form-backend/inbox";`);
    expect(zipped(code, "with the inbox")).toBeLessThanOrEqual(1.1 * KB * KB);
  });

  it("says where it runs if it is imported on Node", async () => {
    const entry = "form-backend/cloudflare";
    await expect(import(entry)).rejects.toThrow("form-backend/cloudflare runs on Cloudflare Workers alone");
  });
});

describe("examples/cloudflare", async () => {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-cloudflare-"));
  let example: RunningExample;
  afterAll(async () => {
    // A process that is killed leaves its runtime behind.
    await example.end("SIGTERM");
    rmSync(dir, { recursive: true, force: true });
  });

  it("serves a static page, takes its post with a file, shows it in the inbox, and keeps both over a restart", async () => {
    example = await startExample("cloudflare", dir);
    const page = await fetch(example.site);
    const html = await page.text();
    // As the file has it: no Worker has made this page.
    expect([page.status, html]).toEqual([200, readFileSync("examples/cloudflare/site/index.html", "utf8")]);
    const missing = await fetch(`${example.site}/no-such-page`);
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("There is no page")]);

    const [, action = ""] = /action="([^"]+)"/.exec(html) ?? [];
    const letter = new Uint8Array(3 * KB * KB).fill(65);
    const post = (accept: string): Promise<Response> => {
      const body = new FormData();
      for (const [name, value] of Object.entries({ name: "Ann", email: "ann@example.org", message: "Hello" }))
        body.set(name, value);
      body.set("photo", new Blob([letter], { type: "text/plain" }), "letter.txt");
      const headers = { accept, origin: example.site, "sec-fetch-site": "same-origin", "idempotency-key": accept };
      return fetch(new URL(action, example.site), { method: "POST", body, headers, redirect: "manual" });
    };
    const sent = await post("text/html");
    expect(sent.status, await sent.text()).toBe(303);
    const thanks = await fetch(new URL(sent.headers.get("location") ?? "", example.site));
    expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining("Thank you")]);
    expect((await fetch(`${example.site}/forms/inbox/sign-in`)).status).toBe(200);

    const stored = await (await post("application/json")).json();
    expect(stored).toMatchObject({ status: "success" });

    await example.end("SIGTERM");
    example = await startExample("cloudflare", dir);
    // The store knows the post and its key.
    expect(await (await post("application/json")).json()).toEqual(stored);
  }, 120_000);
});
