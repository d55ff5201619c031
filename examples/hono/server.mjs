// @ts-check
// Bookings for a meetup in Hono on Node. Whatever speaks web Requests mounts the backend the same way.
import { mkdirSync, readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { Hono } from "hono";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
const data = process.env.DATA_DIR ?? "data";
mkdirSync(data, { recursive: true });

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret: process.env.FORM_BACKEND_SECRET, // 32 random characters or more, kept over restarts; a must in production
  storage: sqliteStorage({ path: `${data}/forms.db` }),
});
backend.on("submission.created", ({ fields }) => console.log("stored", fields));

// The form is made on the first start and found on the next ones.
const [known] = (await backend.forms.list()).data;
const form =
  known ??
  (await backend.forms.create({
    name: "Meetup",
    after_submit: { page: { headline: "Thank you!", message: "See you on Thursday." } },
  }));
const page = readFileSync(new URL("form.html", import.meta.url), "utf8").replace("{{endpoint}}", form.endpoint);

const app = new Hono();
// The address of the visitor is the host's to know: without it, limits by address are off.
app.all("/forms/*", (c) => backend.handle(c.req.raw, { ip: getConnInfo(c).remote.address }));
app.get("/", (c) => c.html(page));

const server = serve({ fetch: app.fetch, port }, () => console.log(`Listening on ${site}`));

async function stop() {
  server.close();
  await backend.close(); // what runs ends, what waits is left for the next start
  if ("closeAllConnections" in server) server.closeAllConnections();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
