import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { formBackend } from "../../../../adapters/node.ts";
import { createFormBackend, type Form, type FormBackend } from "../../../../src/index.ts";

/** The drafts of every form, as the endpoint keeps them. */
export interface Drafts {
  /** What pages asked for, oldest first: method, draft and media type. */
  readonly asked: (readonly [method: string, id: string, type: string | undefined])[];
  readonly bodies: Map<string, string>;
  /** Every request is answered by this status, where it is not null. */
  fault: number | null;
  /** True where the backend itself keeps them. */
  real: boolean;
}

export interface AppSite {
  readonly drafts: Drafts;
  readonly origin: string;
  readonly backend: FormBackend;
  readonly form: Form;
  /** Names and values of every stored submission, oldest first. */
  stored(): Promise<Record<string, string>[]>;
  close(): Promise<void>;
}

/** A page `/` whose app is what `render` makes of the form's address, with `script` to run it; the backend is below `/forms`. */
export async function startAppSite(script: string, render: (url: string) => Promise<string>): Promise<AppSite> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const backend = createFormBackend({ baseUrl: `${origin}/forms`, rateLimit: false });
  const form = await backend.forms.create({
    name: "Contact",
    settings: { drafts: { enabled: true }, statistics: { enabled: true } },
    validation: {
      rules: [
        { field: "name", checks: [{ type: "required" }] },
        { field: "email", checks: [{ type: "required" }, { type: "email" }] },
        { field: "topic", checks: [{ type: "required", message: "Please choose a topic." }] },
      ],
    },
  });
  const html = await render(form.endpoint);
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Contact</title><link rel="icon" href="data:,"></head>
<body><main><h1>Contact</h1><div id="app">${html}</div></main>
<script>window.heard = []; window.endpoint = ${JSON.stringify(form.endpoint)}</script><script type="module" src="/app.js"></script></body></html>`;
  const handle = formBackend(backend);
  const drafts: Drafts = { asked: [], bodies: new Map(), fault: null, real: false };
  server.on("request", (request, response) => {
    const [, draft] = /\/drafts\/(.+)$/.exec(request.url ?? "") ?? [];
    if (draft && !drafts.real) return void serveDraft(drafts, draft, request, response);
    if (request.url?.startsWith("/forms")) return void handle(request, response);
    const isScript = request.url === "/app.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isScript ? script : page);
  });
  return {
    origin,
    backend,
    form,
    drafts,
    async stored() {
      const { data } = await backend.submissions.list(form.id, { status: "all" });
      return data.reverse().map(({ fields }) => Object.fromEntries(fields.map(({ key, value }) => [key, value])));
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await backend.close();
    },
  };
}

async function serveDraft(
  { asked, bodies, fault }: Drafts,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "" } = request;
  const body = await text(request);
  asked.push([method, id, request.headers["content-type"]]);
  if (method === "PUT") bodies.set(id, body);
  const known = bodies.get(id);
  if (method === "DELETE") bodies.delete(id);
  if (fault !== null) response.writeHead(fault).end();
  else if (method !== "GET") response.writeHead(204).end();
  else response.writeHead(known ? 200 : 404, { "content-type": "application/json" }).end(known ?? "{}");
}
