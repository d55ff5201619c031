import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "srvx";
import { afterAll } from "vitest";
import { conforms, OWN, pathOf } from "../../_support/hosts.ts";
import { run } from "../../_support/install.ts";
import { notRun } from "../../_support/not-run.ts";

interface App {
  get(path: string, handler: () => string): App;
  all(path: string, handler: (context: { request: Request }) => Promise<Response>, hook: { parse: "none" }): App;
  readonly fetch: (request: Request) => Promise<Response>;
}

const dir = await mkdtemp(join(tmpdir(), "form-backend-elysia-"));
afterAll(() => rm(dir, { recursive: true, force: true }));
await writeFile(join(dir, "package.json"), '{ "private": true, "type": "module" }');
const { ok, output } = await run(dir, "npm", ["install", "--no-audit", "--no-fund", "elysia@1.4.9"]);

if (ok) {
  const entry = createRequire(join(dir, "package.json")).resolve("elysia");
  const { Elysia } = (await import(pathToFileURL(entry).href)) as { Elysia: new () => App };
  conforms("Elysia, as a route", async ({ backend }) => {
    const app = new Elysia().get(OWN.ownPath, () => "own");
    const base = pathOf(backend.baseUrl);
    for (const path of [base || "/", `${base}/*`]) {
      app.all(path, ({ request }) => backend.fetch(request), { parse: "none" });
    }
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", silent: true, gracefulShutdown: false });
    await server.ready();
    return {
      ownPath: OWN.ownPath,
      url: (server.url ?? "").replace(/\/$/, ""),
      close: () => server.close(true),
    };
  });
} else {
  notRun(`Elysia: its package could not be installed: ${output}`);
}
