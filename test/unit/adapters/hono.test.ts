import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { expect, it } from "vitest";
import type { FormBackend } from "../../../src/index.ts";
import { createTestBackend, type RunningHost } from "../../../src/surfaces/testing/index.ts";
import { COOKIES, conforms, OWN, pathOf } from "../../_support/hosts.ts";

type App = Hono<{ Bindings: HttpBindings }>;

async function serve(mount: (app: App) => void): Promise<RunningHost> {
  const app: App = new Hono();
  app.use(async (c, next) => {
    await next();
    // After the answer: what Hono's handlers answer replaces what was prepared before.
    for (const cookie of COOKIES) c.header("set-cookie", cookie, { append: true });
  });
  app.get(OWN.ownPath, (c) => c.text("own"));
  mount(app);
  // Else it ends every connection half a second after the answer, also one that is still sending an upload that was refused.
  const server = createAdaptorServer({ fetch: app.fetch, autoCleanupIncoming: false }) as Server;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ...OWN,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const route = (backend: FormBackend) => (app: App) => {
  app.all(`${pathOf(backend.baseUrl)}/*`, (c) =>
    backend.handle(c.req.raw, { ip: getConnInfo(c).remote.address ?? null }),
  );
};
const mount = (backend: FormBackend) => (app: App) => {
  app.mount(pathOf(backend.baseUrl) || "/", (request, env: HttpBindings) =>
    backend.handle(request, { ip: env.incoming.socket.remoteAddress ?? null }),
  );
};

// Browsers keep their connections; what is lost is the answer to a client that said it would not, and sent far too much.
const closed = "@hono/node-server closes the socket with the answer, and what the client still sends resets it";
const without = {
  "an upload of 50 MB that is refused gets its answer (payload_too_large, close)": closed,
  "an upload of 50 MB that is refused gets its answer (form_not_found, close)": closed,
};

conforms("Hono on Node, as a route", ({ backend }) => serve(route(backend)), without);
conforms("Hono on Node, mounted, which strips the path", ({ backend }) => serve(mount(backend)), {
  ...without,
  "mounted under another path than that of baseUrl, it says so once": "the backend is not told where it is mounted",
});

it("Hono on Node, which replaces the global Response: what is no plain JSON arrives too", async () => {
  const backend = createTestBackend();
  const { id } = await backend.forms.create({ name: "Contact" });
  await backend.submit(id, { fields: { name: "Ann" } });
  const { url, close } = await serve(route(backend));
  const headers = { authorization: `Bearer ${backend.key}` };
  const document = await fetch(`${url}/forms/v1/openapi.json`, { headers });
  expect(((await document.json()) as { openapi: string }).openapi).toMatch(/^3\.1/);
  const csv = await fetch(`${url}/forms/v1/forms/${id}/submissions/export?format=csv`, { headers });
  expect([csv.status, await csv.text()]).toEqual([200, expect.stringContaining("Ann")]);
  await close();
  await backend.close();
});
