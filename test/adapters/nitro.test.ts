import type { RequestListener } from "node:http";
import { H3 } from "h3-v2";
import { serve } from "srvx";
import { formBackend, type NitroEvent } from "../../adapters/nitro.ts";
import { COOKIES, conforms, conformsWith, listening, OWN, pathOf } from "./_hosts.ts";

conforms("h3 2, as in Nitro 3", async ({ backend }) => {
  const base = pathOf(backend.baseUrl);
  const app = new H3({ silent: true, allowMalformedURL: true });
  app.use((event) => {
    for (const cookie of COOKIES) event.res.headers.append("set-cookie", cookie);
  });
  app.get(OWN.ownPath, () => "own");
  const handler = formBackend(backend);
  for (const path of [base || "/", `${base}/**`]) app.all(path, (event) => handler(event as NitroEvent));
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", silent: true, gracefulShutdown: false });
  await server.ready();
  return { ...OWN, url: (server.url ?? "").replace(/\/$/, ""), close: () => server.close(true) };
});

type Handler = (event: NitroEvent) => unknown;
interface H3One {
  createApp(): { use(handler: unknown): void };
  createRouter(): { use(path: string, handler: Handler): void; get(path: string, handler: Handler): void };
  eventHandler(handler: Handler): Handler;
  appendResponseHeader(event: NitroEvent, name: string, value: string): void;
  toNodeListener(app: unknown): RequestListener;
}

await conformsWith<H3One>("h3", "h3 1, as in nitropack 2 and Nuxt", async (h3, { backend }) => {
  const base = pathOf(backend.baseUrl);
  const app = h3.createApp();
  app.use(
    h3.eventHandler((event) => {
      for (const cookie of COOKIES) h3.appendResponseHeader(event, "set-cookie", cookie);
    }),
  );
  const router = h3.createRouter();
  router.get(
    OWN.ownPath,
    h3.eventHandler(() => "own"),
  );
  for (const path of [base || "/", `${base}/**`]) router.use(path, formBackend(backend));
  app.use(router);
  return { ...OWN, ...(await listening(h3.toNodeListener(app))) };
});
