import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { formBackend } from "../../../../adapters/node.ts";
import {
  createTestBackend,
  type TestBackend,
  type TestBackendOptions,
} from "../../../../src/surfaces/testing/backend.ts";

export interface Site {
  readonly origin: string;
  readonly backend: TestBackend;
  close(): Promise<void>;
}

/** A backend on a real port, next to a page with a form and a page that says thanks. */
export async function startSite(options: TestBackendOptions = {}): Promise<Site> {
  const pages = new Map<string, string>();
  let serve: ReturnType<typeof formBackend> | undefined;
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? "");
    if (page !== undefined || !request.url?.startsWith("/forms/"))
      return void response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" }).end(page ?? "");
    serve?.(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const backend = createTestBackend({ baseUrl: `${origin}/forms`, rateLimit: false, ...options });
  serve = formBackend(backend);
  pages.set("/thanks", "<!doctype html><html lang=en><title>Thanks</title><h1>Thanks, from another page</h1></html>");
  pages.set("/logo.svg", "");
  return {
    origin,
    backend,
    async close() {
      server.close();
      server.closeAllConnections();
      await backend.close();
    },
  };
}
