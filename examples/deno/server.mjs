// A contact form on Deno's own server, with its built-in SQLite.
import { mkdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { inbox } from "form-backend/inbox";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
const data = process.env.DATA_DIR ?? "data";
mkdirSync(data, { recursive: true });

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret: process.env.FORM_BACKEND_SECRET, // 32 random characters or more, kept over restarts; a must in production
  storage: sqliteStorage({ path: `${data}/forms.db` }),
  inbox: inbox(), // its link is in the log
});
backend.on("submission.created", ({ fields }) => console.log("stored", fields));
await backend.ready();

// The form is made on the first start and found on the next ones.
const { endpoint } = await backend.forms.ensure("contact", { name: "Contact" });
const page = readFileSync(new URL("page.html", import.meta.url), "utf8").replace("{{endpoint}}", endpoint);

const server = Deno.serve({ port, onListen: () => console.log(`Listening on ${site}`) }, (request, info) => {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/forms/")) return backend.handle(request, { ip: info.remoteAddr.hostname });
  if (pathname !== "/") return new Response("Not found\n", { status: 404 });
  return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
});

async function stop() {
  await server.shutdown();
  await backend.close(); // what runs ends, what waits is left for the next start
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
