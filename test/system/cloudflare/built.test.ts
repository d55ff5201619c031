import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { bundleWorker } from "../../_support/workerd.ts";
import { built, type RunningExample, startExample } from "../e2e/_example.ts";

const KB = 1024;
built();

describe("form-backend/cloudflare as built", () => {
  const bundled = async (code: string): Promise<string> => bundleWorker({ code }, { minify: true });
  const OBJECT =
    'export { formBackendObject, formBackendWorker, r2Blob, cloudflareMailer } from "form-backend/cloudflare";';

  it("is a Worker of at most 700 KB gzipped, without what other stores need", async () => {
    const code = await bundled(OBJECT);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(700 * KB);
    // Sockets are for Node, and counters in other stores for those who name one.
    expect([...new Set(code.match(/"node:(https|cluster|tls)"/g))]).toEqual([]);
    expect([...new Set(code.match(/RateLimiter(Mongo|Memcache|Dynamo|Cluster)/g))]).toEqual([]);
  });

  it("is at most 1.1 MB gzipped with the inbox", async () => {
    const code = await bundled(`${OBJECT} export { inbox } from "form-backend/inbox";`);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(1.1 * KB * KB);
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

  it("takes a post with a file, shows it in the inbox, and keeps both over a restart", async () => {
    example = await startExample("cloudflare", dir);
    const page = await (await fetch(example.site)).text();
    const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
    expect(action).toMatch(/\/forms\/f\/\w+$/);
    const body = new FormData();
    for (const [name, value] of Object.entries({ name: "Ann", email: "ann@example.org", message: "Hello" }))
      body.set(name, value);
    body.set("photo", new Blob([new Uint8Array(3 * KB * KB).fill(65)], { type: "text/plain" }), "letter.txt");
    const response = await fetch(action, { method: "POST", body, headers: { accept: "application/json" } });
    expect([response.status, await response.json()]).toMatchObject([200, { status: "success" }]);
    expect((await fetch(`${example.site}/forms/inbox/sign-in`)).status).toBe(200);
    await example.end("SIGTERM");
    example = await startExample("cloudflare", dir);
    expect(await (await fetch(example.site)).text()).toContain(new URL(action).pathname);
  }, 120_000);
});
