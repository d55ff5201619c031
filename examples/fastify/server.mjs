// @ts-check
// Job applications in Fastify, with a file: it is kept on disk, and the mail to you has a link to it.
import { mkdirSync, readFileSync } from "node:fs";
import Fastify from "fastify";
import { createFormBackend } from "form-backend";
import { fsBlob } from "form-backend/drivers/blob/fs";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/fastify";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
const data = process.env.DATA_DIR ?? "data";
mkdirSync(data, { recursive: true });

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret: process.env.FORM_BACKEND_SECRET, // 32 random characters or more, kept over restarts; a must in production
  storage: sqliteStorage({ path: `${data}/forms.db` }),
  blob: fsBlob({ dir: `${data}/uploads` }),
  files: { allowedTypes: ["application/pdf", "text/plain"] },
});
backend.on("submission.created", ({ fields, attachments }) => console.log("stored", fields, attachments));

// The form is made on the first start and found on the next ones.
const [known] = (await backend.forms.list()).data;
const form =
  known ?? (await backend.forms.create({ name: "Jobs", self_email_notification: { recipients: ["you@example.com"] } }));
const page = readFileSync(new URL("form.html", import.meta.url), "utf8").replace("{{endpoint}}", form.endpoint);

const app = Fastify();
app.register(formBackend(backend), { prefix: "/forms" }); // a scope of its own: parsers of other routes don't touch it
app.get("/", (_request, reply) => reply.type("text/html").send(page));
app.addHook("onClose", () => backend.close()); // what runs ends, what waits is left for the next start

await app.listen({ port, host: "localhost" });
console.log(`Listening on ${site}`);

process.once("SIGINT", () => app.close());
process.once("SIGTERM", () => app.close());
