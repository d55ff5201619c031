import { describe, expect, it } from "vitest";
import type { FormBackend } from "../../../src/index.ts";
import { createTestBackend } from "../../../src/surfaces/testing/index.ts";

/**
 * Frameworks that route by files call exported functions with a web request. The frameworks themselves are not here: these are
 * the handlers of docs/hosts/fetch.md, called with what each framework's documentation says that it passes.
 */
const handlers: Record<string, (backend: FormBackend, request: Request) => Promise<Response>> = {
  "Next.js, app/forms/[...path]/route.ts": (backend, request) => {
    const handle = (incoming: Request): Promise<Response> => backend.fetch(incoming);
    const route = {
      GET: handle,
      HEAD: handle,
      POST: handle,
      PATCH: handle,
      PUT: handle,
      DELETE: handle,
      OPTIONS: handle,
    };
    const context = { params: Promise.resolve({ path: new URL(request.url).pathname.split("/").slice(2) }) };
    const call = route[request.method as "GET"] as (request: Request, context: object) => Promise<Response>;
    return call(request, context);
  },
  "SvelteKit, src/routes/forms/[...path]/+server.ts": (backend, request) => {
    const fallback = (event: { request: Request; getClientAddress(): string }): Promise<Response> =>
      backend.handle(event.request, { ip: event.getClientAddress() });
    return fallback({ request, getClientAddress: () => "203.0.113.9" });
  },
  "Astro, src/pages/forms/[...path].ts": (backend, request) => {
    const ALL = ({ request, clientAddress }: { request: Request; clientAddress: string }): Promise<Response> =>
      backend.handle(request, { ip: clientAddress });
    return ALL({ request, clientAddress: "203.0.113.9" });
  },
};

describe("handlers of frameworks that route by files, called as documented", () => {
  for (const [name, call] of Object.entries(handlers)) {
    it(name, async () => {
      const backend = createTestBackend();
      const { id } = await backend.forms.create({ name: "Contact" });
      const body = new FormData();
      body.set("name", "Zoë");
      const post = new Request(`${backend.baseUrl}/f/${id}`, { method: "POST", body });
      expect((await call(backend, post)).status).toBe(303);
      const { data } = await backend.submissions.list(id);
      expect(data[0]?.fields).toEqual([{ key: "name", value: "Zoë" }]);
      expect(data[0]?.ip).toBe(name.startsWith("Next") ? null : "203.0.113.9");

      const headers = { authorization: `Bearer ${backend.key}` };
      const head = await call(backend, new Request(`${backend.baseUrl}/v1/forms`, { method: "HEAD", headers }));
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect((await call(backend, new Request(`${backend.baseUrl}/nothing`))).status).toBe(404);
    });
  }
});
