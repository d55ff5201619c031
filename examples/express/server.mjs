// @ts-check
// A contact form in Express: the visitor's message is stored, and mailed to you by printing it.
import { mkdirSync, readFileSync } from "node:fs";
import express from "express";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/express";

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
  (await backend.forms.create({ name: "Contact", self_email_notification: { recipients: ["you@example.com"] } }));
const page = readFileSync(new URL("form.html", import.meta.url), "utf8").replace("{{endpoint}}", form.endpoint);

const app = express();
app.use("/forms", formBackend(backend)); // before body parsers, and before whatever answers 404
app.use(express.json());
app.get("/", (_req, res) => void res.send(page));

const server = app.listen(port, () => console.log(`Listening on ${site}`));

async function stop() {
  server.close();
  await backend.close(); // what runs ends, what waits is left for the next start
  server.closeAllConnections();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
