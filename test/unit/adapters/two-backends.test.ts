import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import { createApp, createRouter, type EventHandler, toNodeListener } from "h3";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { formBackend as forExpress } from "../../../adapters/express.ts";
import { formBackend as forFastify } from "../../../adapters/fastify.ts";
import { formBackend as forKoa } from "../../../adapters/koa.ts";
import { formBackend as forNitro } from "../../../adapters/nitro.ts";
import { formBackend as forNode } from "../../../adapters/node.ts";
import type { FormBackend } from "../../../src/index.ts";
import { createTestBackend, type RunningHost } from "../../../src/surfaces/testing/index.ts";
import { listening } from "../../_support/hosts.ts";

// One path begins with the other: the nearer mount has to win.
const PATHS = ["/forms-of-mine", "/forms", "/forms/of/others"] as const;

/** Apps that have several backends, each at the path of its `baseUrl`. */
const apps: Record<string, (backends: readonly FormBackend[]) => Promise<RunningHost>> = {
  async Express(backends) {
    const app = express();
    for (const backend of inner(backends)) app.use(pathOf(backend), forExpress(backend));
    return listening(app);
  },
  async Koa(backends) {
    const { default: Koa } = (await import("koa" as string)) as { default: new () => KoaApp };
    const app = new Koa();
    for (const backend of inner(backends)) app.use(forKoa(backend));
    return listening(app.callback());
  },
  async Fastify(backends) {
    const { default: fastify } = await import("fastify");
    const app = fastify({ forceCloseConnections: true });
    for (const backend of backends) app.register(forFastify(backend) as never, { prefix: pathOf(backend) });
    return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },
  async "node:http"(backends) {
    const all = inner(backends).map((backend) => ({ path: `${pathOf(backend)}/`, serve: forNode(backend) }));
    return listening((req, res) => all.find(({ path }) => req.url?.startsWith(path))?.serve(req, res));
  },
  async Hono(backends) {
    const app = new Hono();
    for (const backend of inner(backends)) app.all(`${pathOf(backend)}/*`, (c) => backend.fetch(c.req.raw));
    const server = createAdaptorServer({ fetch: app.fetch }) as Server;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const close = (): Promise<unknown> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
  },
  // Not h3 2: Hono's server, which is in this file too, puts its own in the place of the `Response` that it asks for.
  async "h3 1, as in Nitro 2"(backends) {
    const app = createApp();
    const router = createRouter();
    for (const backend of backends) router.use(`${pathOf(backend)}/**`, forNitro(backend) as EventHandler);
    return listening(toNodeListener(app.use(router)));
  },
};

interface KoaApp {
  use(middleware: ReturnType<typeof forKoa>): void;
  callback(): Parameters<typeof listening>[0];
}
const pathOf = ({ baseUrl }: FormBackend): string => new URL(baseUrl).pathname;
/** Routers that take the first that fits need the longer path first. */
const inner = (backends: readonly FormBackend[]): FormBackend[] =>
  [...backends].sort((a, b) => pathOf(b).length - pathOf(a).length);

describe("two backends and more in one app", () => {
  for (const [name, serve] of Object.entries(apps)) {
    it(`${name}: each answers under its own path, with its own forms and keys`, async () => {
      const warnings: string[] = [];
      const quiet = (): void => {};
      const logger = { debug: quiet, info: quiet, error: quiet, warn: (text: string) => void warnings.push(text) };
      const backends = PATHS.map((path) => createTestBackend({ baseUrl: `http://localhost${path}`, logger }));
      const forms = await Promise.all(backends.map((backend, n) => backend.forms.create({ name: `Form ${n}` })));
      const { url, close } = await serve(backends);
      try {
        for (const [n, path] of PATHS.entries()) {
          const status = async (id = ""): Promise<number> => {
            const body = new URLSearchParams({ n: `${n}` });
            return (await fetch(`${url}${path}/f/${id}`, { method: "POST", body })).status;
          };
          const statuses = await Promise.all(forms.map(({ id }) => status(id)));
          expect(statuses).toEqual(PATHS.map((_, other) => (other === n ? 200 : 404)));
          const list = await fetch(`${url}${path}/v1/forms`, {
            headers: { authorization: `Bearer ${backends[n]?.key}` },
          });
          expect(((await list.json()) as { data: { name: string }[] }).data.map((form) => form.name)).toEqual([
            `Form ${n}`,
          ]);
        }
        const counts = await Promise.all(backends.map((backend) => backend.submissions.list(null)));
        expect(counts.map(({ data }) => data.length)).toEqual([1, 1, 1]);
        expect(warnings.filter((text) => text.includes("reached the form backend"))).toEqual([]);
      } finally {
        await close();
        await Promise.all(backends.map((backend) => backend.close()));
      }
    });
  }
});
