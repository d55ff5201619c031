// @ts-check
// A contact form in a container, with PostgreSQL in another.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createFormBackend } from "form-backend";
import { fsBlob } from "form-backend/drivers/blob/fs";
import { smtpMailer } from "form-backend/drivers/mailer/smtp";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { inbox } from "form-backend/inbox";
import { formBackend } from "form-backend/node";

const port = Number(process.env.PORT ?? 3000);
const { DATABASE_URL, DATA_DIR = "data", FROM = "forms@localhost", OWNER, SMTP_URL } = process.env;
const site = process.env.SITE_URL ?? `http://localhost:${port}`;
mkdirSync(DATA_DIR, { recursive: true });

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret: process.env.FORM_BACKEND_SECRET || keptSecret(),
  storage: postgresStorage({ connectionString: DATABASE_URL ?? "postgres://forms:forms@localhost/forms" }),
  blob: fsBlob({ dir: `${DATA_DIR}/files` }),
  ...(SMTP_URL && { mailer: smtpMailer(SMTP_URL), from: FROM }),
  inbox: inbox({ apiKeys: true }),
});
backend.on("submission.created", ({ fields }) => console.log("stored", fields));
await backend.ready();

// The form is made on the first start and found on the next ones.
const { endpoint } = await backend.forms.ensure("contact", {
  name: "Contact",
  self_email_notification: { recipients: OWNER ? [OWNER] : [] },
});
const page = readFileSync(new URL("page.html", import.meta.url), "utf8").replace("{{endpoint}}", endpoint);

const forms = formBackend(backend);
const server = createServer((req, res) => {
  if (req.url?.startsWith("/forms/")) return void forms(req, res);
  if (req.url !== "/") return void res.writeHead(404).end("Not found\n");
  res.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
});
server.listen(port, () => console.log(`Listening on ${site}`));

async function stop() {
  server.close();
  await backend.close({ graceMs: 10_000 }); // what runs ends, what waits is left for the next start
  server.closeAllConnections();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);

/** Without a secret of yours: one that the volume keeps, because a new one could not open what is stored. */
function keptSecret() {
  const file = `${DATA_DIR}/secret`;
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}
