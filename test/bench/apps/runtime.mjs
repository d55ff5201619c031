// Ours on the runtime that starts this file, with its own server and its own SQLite. A line on stdout says where it listens.
import { createServer } from "node:http";
import process from "node:process";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/node";
import { quiet } from "./quiet.mjs";

const backend = createFormBackend({
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the benchmark, 32 chars",
  logger: quiet,
  storage: sqliteStorage({ path: process.env.DATABASE }),
  rateLimit: false,
  work: false,
});
const form = await backend.forms.create({
  name: "Bench",
  self_email_notification: { recipients: ["owner@example.com"] },
});
await backend.webhooks.create(form.id, { url: "https://example.com/hook" });

/** The number of stored posts: each that was answered with 200 must be there. */
async function handle(request, ip) {
  if (!request.url.endsWith("/stored")) return backend.handle(request, { ip });
  return Response.json(await backend.submissions.count(form.id));
}

const hostname = "127.0.0.1";
let port;
if (globalThis.Bun) {
  const server = Bun.serve({
    port: 0,
    hostname,
    fetch: (request, server) => handle(request, server.requestIP(request)?.address),
  });
  port = server.port;
} else if (globalThis.Deno) {
  const server = Deno.serve({ port: 0, hostname, onListen() {} }, (request, info) =>
    handle(request, info.remoteAddr.hostname),
  );
  port = server.addr.port;
} else {
  const forms = formBackend(backend);
  const server = createServer(async (req, res) => {
    if (req.url !== "/stored") return forms(req, res);
    res.end(await (await handle(new Request("http://127.0.0.1/stored"))).text());
  });
  await new Promise((resolve) => server.listen(0, hostname, resolve));
  port = server.address().port;
}
console.log(`LISTENS http://${hostname}:${port} /forms/f/${form.id}`);
