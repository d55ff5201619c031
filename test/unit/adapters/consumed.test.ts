import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { formBackend as forExpress } from "../../../adapters/express.ts";
import { formBackend as forFastify } from "../../../adapters/fastify.ts";
import { formBackend as forKoa } from "../../../adapters/koa.ts";
import { formBackend as forNode } from "../../../adapters/node.ts";
import type { FormBackend } from "../../../src/index.ts";
import { createTestBackend, type RunningHost } from "../../../src/surfaces/testing/index.ts";
import { listening } from "../../_support/hosts.ts";

type Middleware = (ctx: { req: IncomingMessage }, next: () => Promise<unknown>) => Promise<unknown>;
interface KoaApp {
  use(middleware: Middleware): KoaApp;
  callback(): Parameters<typeof listening>[0];
}

/** What multer and its like do: read everything, and keep nothing that the body could be made of. */
const swallow = (req: IncomingMessage): Promise<unknown> => once(req.resume(), "end");

/** Hosts in which something has read the body before the backend comes. */
const hosts: Record<string, (backend: FormBackend) => Promise<RunningHost>> = {
  Express: (backend) =>
    listening(
      express()
        .use((req, _res, next) => void swallow(req).then(() => next()))
        .use("/forms", forExpress(backend)),
    ),
  async Koa(backend) {
    const { default: Koa } = (await import("koa" as string)) as { default: new () => KoaApp };
    const app = new Koa().use((ctx, next) => swallow(ctx.req).then(next));
    return listening(app.use(forKoa(backend) as unknown as Middleware).callback());
  },
  async Fastify(backend) {
    const app = fastify({ forceCloseConnections: true });
    app.addHook("preParsing", async (_request, _reply, payload) => {
      await swallow(payload as IncomingMessage);
      return payload;
    });
    app.register(forFastify(backend) as never, { prefix: "/forms" });
    return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },
  "node:http": (backend) => {
    const forms = forNode(backend);
    return listening((req, res) => void swallow(req).then(() => forms(req, res)));
  },
  async Hono(backend) {
    const app = new Hono();
    app.use(async (c, next) => {
      await c.req.parseBody();
      await next();
    });
    app.all("/forms/*", (c) => backend.fetch(c.req.raw));
    const server = createAdaptorServer({ fetch: app.fetch }) as Server;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => new Promise((resolve) => server.close(resolve)),
    };
  },
};

describe("a multipart body that the host has read before", () => {
  for (const [name, serve] of Object.entries(hosts)) {
    it(`${name}: the error says what to reorder, and nothing is stored`, async () => {
      const backend = createTestBackend();
      const { id } = await backend.forms.create({ name: "Contact" });
      const { url, close } = await serve(backend);
      const body = new FormData();
      body.set("name", "Ann");
      const response = await fetch(`${url}/forms/f/${id}`, {
        method: "POST",
        headers: { accept: "application/json", connection: "close" },
        body,
      });
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect([response.status, error.code]).toEqual([500, "body_consumed"]);
      expect(error.message).toContain("Mount the form backend before any body parser");
      expect((await backend.submissions.list(id)).data).toEqual([]);
      await close();
      await backend.close();
    });
  }
});

describe("what goes wrong outside the backend", () => {
  const failing = { ...createTestBackend(), handle: () => Promise.reject(new Error("boom")) };

  it("reaches a Fastify app's error handler", async () => {
    const app = fastify();
    app.setErrorHandler((error, _request, reply) => void reply.code(418).send(`caught ${(error as Error).message}`));
    app.register(forFastify(failing) as never, { prefix: "/forms" });
    const answer = await app.inject("/forms/v1/forms");
    expect([answer.statusCode, answer.body]).toEqual([418, "caught boom"]);
    await app.close();
  });

  it("is thrown through a Koa app's middleware", async () => {
    const { default: Koa } = (await import("koa" as string)) as { default: new () => KoaApp };
    const app = new Koa();
    app.use(async (ctx, next) => {
      await next().catch((error: Error) => Object.assign(ctx, { status: 418, body: `caught ${error.message}` }));
    });
    app.use(forKoa(failing) as unknown as Middleware);
    const { url, close } = await listening(app.callback());
    const answer = await fetch(`${url}/forms/v1/forms`);
    expect([answer.status, await answer.text()]).toEqual([418, "caught boom"]);
    await close();
  });
});
