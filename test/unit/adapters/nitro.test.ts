import type { RequestListener, ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { H3 } from "h3-v2";
import { serve } from "srvx";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { formBackend, type NitroEvent } from "../../../adapters/nitro.ts";
import type { FormBackend } from "../../../src/index.ts";
import { chunk, eventually, head, wire } from "../../../src/surfaces/testing/adapter/fixtures.ts";
import { COOKIES, conforms, conformsWith, listening, OWN, pathOf } from "../../_support/hosts.ts";

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

describe("in the worker of a development server", () => {
  afterEach(() => void vi.unstubAllEnvs());

  /** A listener whose backend answers before it has read the body, and a client in the middle of sending one. */
  async function uploading() {
    let answered = false;
    let sent: ServerResponse | undefined;
    let run: Promise<unknown> = Promise.resolve();
    const handle = async (): Promise<Response> => {
      answered = true;
      return new Response("too early");
    };
    const handler = formBackend({ handle } as Partial<FormBackend> as FormBackend);
    const { url, close } = await listening((req, res) => {
      sent = res;
      run = handler({ node: { req, res } });
    });
    const client = await wire(url);
    onTestFinished(close);
    onTestFinished(() => void client.close());
    await client.write(head(`${url}/forms/f/x`, { "transfer-encoding": "chunked" }) + chunk("name=Ann"));
    await eventually("the answer", () => answered);
    await turn();
    return { client, begun: sent?.headersSent, ended: () => run };
  }

  it("waits for the end of a body before it answers, because the proxy in front would break it off", async () => {
    vi.stubEnv("NITRO_DEV_WORKER_ID", "1");
    const { client, begun } = await uploading();
    expect(begun).toBe(false);
    await client.write("0\r\n\r\n");
    expect(await client.until(/too early/)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("ends when the sender goes away meanwhile", async () => {
    vi.stubEnv("NITRO_DEV_WORKER_ID", "1");
    const { client, ended } = await uploading();
    client.close();
    await expect(ended()).resolves.toBeUndefined();
  });

  it("answers at once anywhere else", async () => {
    const { client, begun } = await uploading();
    expect(begun).toBe(true);
    await client.until(/too early/);
  });
});
