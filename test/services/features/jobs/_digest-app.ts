import { createServer } from "node:http";
import { formBackend } from "../../../../adapters/node.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createFormBackend } from "../../../../src/index.ts";

/** An app with one form whose notifications are collected; tells its parent the form's endpoint. */
const port = Number(process.env["PORT"]);
const backend = createFormBackend({
  baseUrl: `http://127.0.0.1:${port}/forms`,
  secret: "a secret for the tests of digests, 32 long",
  storage: sqliteStorage({ path: process.env["DATABASE"] ?? "" }),
  mailer: memoryMailer(),
  rateLimit: false,
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
});
const { endpoint } = await backend.forms.ensure("contact", {
  name: "Contact",
  spam: { protection: false },
  self_email_notification: { recipients: ["owner@example.com"] },
  settings: { digest: { interval: "daily", at: process.env["AT"] ?? "", time_zone: "UTC" } },
});
await backend.ready();
createServer(formBackend(backend)).listen(port, "127.0.0.1", () => process.send?.(endpoint));
