import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { install, installFiles, pack, run } from "../_support/install.ts";
import { freePort } from "../_support/port.ts";
import { startBuilt, workerApps } from "./_cloudflare.ts";
import { firstHour } from "./_hour.ts";
import { start } from "./_started.ts";

const SITE = "https://www.example.com";
const POSTS = 100;
/** The last one that runs on Node 20. */
const WRANGLER = "4.84.1";
/** One or some of them: `HOSTS=nuxt npm run test:hosts-all`. */
const wanted = (process.env["HOSTS"] ?? "").toLowerCase().split(",");

for (const [name, app] of Object.entries(workerApps())) {
  if (!wanted.some((part) => name.toLowerCase().includes(part))) continue;

  describe(name, { concurrent: false }, () => {
    it("is built into one Worker, which takes a browser's posts from its page, many at a time", async () => {
      const manifest = { private: true, type: "module", dependencies: app.dependencies };
      const installed = await installFiles(name, { ...app.files, "package.json": JSON.stringify(manifest) });
      expect(installed, "the package registry can't be reached").not.toBeNull();
      const { dir = "" } = installed ?? {};
      const [program = "", ...args] = app.build;
      const env = { CI: "1", NUXT_TELEMETRY_DISABLED: "1" };
      const built = await run(dir, process.execPath, [join("node_modules", program), ...args], env);
      expect(built.ok, built.output).toBe(true);

      const worker = startBuilt(dir, { FORM_BACKEND_SECRET: "a secret of these tests that is long enough" });
      onTestFinished(() => worker.dispose());
      const fetch = async (url: string, init: RequestInit = {}): Promise<Response> =>
        (await worker.dispatchFetch(url, { redirect: "manual", ...init } as never)) as never;
      const shown = await fetch(`${SITE}/`);
      const html = await shown.text();
      expect(shown.status, html).toBe(200);
      const [, endpoint = ""] = /action="([^"]+)"/.exec(html) ?? [];
      expect(endpoint).toMatch(/^https:\/\/www\.example\.com\/forms\/f\/\w+$/);

      const headers = { origin: SITE, "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" };
      const post = (n: number, accept: string): Promise<Response> =>
        fetch(endpoint, {
          method: "POST",
          headers: {
            ...headers,
            accept,
            "content-type": "application/x-www-form-urlencoded",
            "cf-connecting-ip": `203.0.113.${n}`,
          },
          body: `email=ann${n}%40example.com`,
        });
      const sent = await post(0, "text/html");
      expect(sent.status, await sent.text()).toBe(303);
      const thanks = await fetch(new URL(sent.headers.get("location") ?? "", SITE).href);
      expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining("Thank you")]);
      const all = await Promise.all(
        Array.from({ length: POSTS }, async (_, n) => {
          const answer = await post(n + 1, "application/json");
          await answer.arrayBuffer();
          return answer.status;
        }),
      );
      expect(all).toEqual(all.map(() => 200));
      const stored = await fetch(`${SITE}/api/contact-form`);
      expect(await stored.json()).toMatchObject({ endpoint, stored: POSTS + 1 });
    });
  });
}

const example = "Cloudflare Workers";
if (wanted.some((part) => example.toLowerCase().includes(part)))
  describe(example, { concurrent: false }, () => {
    const hour = firstHour(example);
    // The commands of the example's README, without the upload to an account.
    const steps = ["install", "bucket", "secret", "deploy", "SITE"];
    beforeAll(() => pack());
    afterAll(() => console.log(hour.row(steps)));

    it("serves the example's static page by wrangler, which bundles it for a deployment too", async () => {
      const installed = await hour.part("install", () => install("examples/cloudflare", {}, { wrangler: WRANGLER }));
      expect(installed, "the package registry can't be reached").not.toBeNull();
      const { dir = "" } = installed ?? {};
      const wrangler = join(dir, "node_modules/wrangler/bin/wrangler.js");
      const env = { CI: "1", WRANGLER_SEND_METRICS: "false" };
      const built = await hour.part("build", () =>
        run(dir, process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", "built"], env),
      );
      expect(built.ok, built.output).toBe(true);
      expect(built.output).not.toMatch(/WARNING|ERROR/);

      const port = await freePort();
      const site = `http://localhost:${port}`;
      await writeFile(join(dir, ".dev.vars"), `FORM_BACKEND_SECRET=${"s3cret-".repeat(6)}\nSITE=${site}\n`);
      const args = ["dev", "--ip", "127.0.0.1", "--port", String(port), "--show-interactive-dev-session=false"];
      const host = await hour.part("start", () => start(dir, { start: [wrangler, ...args] }, () => env, 200, port));
      onTestFinished(host.close);
      await hour.part("post", async () => {
        const html = await (await fetch(host.url)).text();
        const [, action = ""] = /action="([^"]+)"/.exec(html) ?? [];
        const answer = await fetch(new URL(action, host.url), {
          method: "POST",
          body: new URLSearchParams({ name: "Ann", email: "ann@example.com", message: "Grüße" }),
          headers: { origin: site, accept: "text/html", "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" },
          redirect: "manual",
        });
        expect(answer.status, `${await answer.text()}\n${host.printed()}`).toBe(303);
        const thanks = await fetch(new URL(answer.headers.get("location") ?? "", host.url));
        expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining("Thank you")]);
      });
    });
  });
