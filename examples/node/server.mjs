// @ts-check
// A feedback form on node:http alone.
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/node";

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
    name: "Feedback",
    validation: { rules: [{ field: "rating", checks: [{ type: "required", message: "Please choose one." }] }] },
  }));
const page = readFileSync(new URL("form.html", import.meta.url), "utf8").replace("{{endpoint}}", form.endpoint);

const forms = formBackend(backend);
const server = createServer((req, res) => {
  if (req.url?.startsWith("/forms/")) forms(req, res);
  else if (req.url === "/") res.setHeader("content-type", "text/html").end(page);
  else res.writeHead(404).end("Not found");
});
server.listen(port, () => console.log(`Listening on ${site}`));

async function stop() {
  server.close();
  await backend.close(); // what runs ends, what waits is left for the next start
  server.closeAllConnections();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
