import { createServer } from "node:http";
import { formBackend } from "../../../../adapters/node.ts";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createFormBackend } from "../../../../src/index.ts";

/** An app with one form that asks its senders to confirm; tells its parent the form's endpoint. */
const port = Number(process.env["PORT"]);
const backend = createFormBackend({
  baseUrl: `http://127.0.0.1:${port}/forms`,
  secret: "a secret for the tests of consent, 32 long",
  storage: sqliteStorage({ path: process.env["DATABASE"] ?? "" }),
  mailer: smtpMailer(process.env["SMTP"] ?? ""),
  rateLimit: false,
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
});
const { endpoint } = await backend.forms.ensure("news", {
  name: "News",
  self_email_notification: { recipients: ["owner@example.com"] },
  settings: { double_opt_in: { enabled: true } },
});
await backend.ready();
createServer(formBackend(backend)).listen(port, "127.0.0.1", () => process.send?.(endpoint));
