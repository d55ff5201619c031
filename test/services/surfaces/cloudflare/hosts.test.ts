import { describe, expect, it } from "vitest";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { bundleWorker, COMPATIBILITY_DATE, startWorkerd } from "../../../_support/workerd.ts";

const FORMS = `
  export class Forms extends formBackendObject(() => ({
    baseUrl: "http://site.test/forms",
    secret: "the secret of these tests, long enough",
    logger: { debug() {}, info() {}, warn() {}, error: (text) => console.error(text) },
  })) {}
`;
const IMPORTS = `
  import { backendOf, formBackendObject, formBackendWorker } from "./src/surfaces/cloudflare/index.ts";
  import { Hono } from "hono";
`;
const ENSURE = `{ name: "Contact", allowed_origins: ["http://site.test"] }`;

/** The app and the forms in one Worker. */
const ONE = `${IMPORTS}${FORMS}
  const app = new Hono();
  app.get("/", async (c) => c.html('<form method="post" action="' + (await backendOf(c.env.FORMS).forms.ensure("contact", ${ENSURE})).endpoint + '">'));
  app.post("/echo", async (c) => c.text(await c.req.text()));
  export default formBackendWorker({ binding: "FORMS", next: (request, env, ctx) => app.fetch(request, env, ctx) });
`;
/** The app in a Worker of its own, as the presets of Nitro and Nuxt make one, and the forms in another. */
const APP = `${IMPORTS}
  const app = new Hono();
  app.all("/forms/*", (c) => c.env.FORMS_WORKER.fetch(c.req.raw));
  app.get("/", async (c) => c.html('<form method="post" action="' + (await (await c.env.FORMS_WORKER.fetch("http://site.test/contact")).text()) + '">'));
  app.post("/echo", async (c) => c.text(await c.req.text()));
  export default app;
`;
const BEHIND = `${IMPORTS}${FORMS}
  export default formBackendWorker({
    binding: "FORMS",
    next: async (_, env) => new Response((await backendOf(env.FORMS).forms.ensure("contact", ${ENSURE})).endpoint),
  });
`;

const OBJECTS = { durableObjects: { FORMS: { className: "Forms", useSQLite: true } } };
const worker = async (name: string, code: string, more: object): Promise<object> => ({
  name,
  modules: [{ type: "ESModule", path: "worker.js", contents: await bundleWorker({ code }) }],
  compatibilityDate: COMPATIBILITY_DATE,
  compatibilityFlags: ["nodejs_compat"],
  ...more,
});

const hosts: Record<string, () => Promise<ReturnType<typeof startWorkerd>>> = {
  "a Hono app in the same Worker": async () => startWorkerd(await bundleWorker({ code: ONE }), OBJECTS as never),
  "an app in a Worker of its own, by a service binding": async () =>
    startWorkerd("", {
      modules: undefined,
      workers: [
        await worker("app", APP, { serviceBindings: { FORMS_WORKER: "forms" } }),
        await worker("forms", BEHIND, OBJECTS),
      ],
    } as never),
};

describe.each(Object.entries(hosts))("%s", (_, start) => {
  it("takes a browser's post from its page, and none of another site's; its own addresses stay", async () => {
    const workerd = await start();
    atEndOfFile(() => workerd.dispose().catch(() => {}));
    const fetch = async (path: string, init: RequestInit = {}): Promise<Response> =>
      (await workerd.dispatchFetch(`http://site.test${path}`, { redirect: "manual", ...init } as never)) as never;
    const page = await (await fetch("/")).text();
    const [, endpoint = ""] = /action="([^"]+)"/.exec(page) ?? [];
    expect(endpoint).toMatch(/^http:\/\/site\.test\/forms\/f\/\w+$/);
    const post = (origin: string, site: string): Promise<Response> =>
      fetch(new URL(endpoint).pathname, {
        method: "POST",
        headers: {
          origin,
          "sec-fetch-site": site,
          "sec-fetch-mode": "navigate",
          accept: "text/html",
          "content-type": "application/x-www-form-urlencoded",
          "cf-connecting-ip": "203.0.113.9",
        },
        body: "email=ann%40example.com&message=Gr%C3%BC%C3%9Fe",
      });
    const own = await post("http://site.test", "same-origin");
    expect(own.status).toBe(303);
    const thanks = await fetch(new URL(own.headers.get("location") ?? "", "http://site.test").pathname);
    expect(thanks.status).toBe(200);
    await thanks.arrayBuffer();
    const foreign = await post("https://evil.example", "cross-site");
    expect(foreign.status).toBe(403);
    await foreign.arrayBuffer();
    const echo = await fetch("/echo", { method: "POST", body: "the app's own" });
    expect(await echo.text()).toBe("the app's own");
  }, 120_000);
});
