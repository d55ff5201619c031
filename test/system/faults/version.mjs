// One process of the system under test, of this version or of the one before, whose package it finds from where it stands: real
// SMTP, real webhooks, PostgreSQL. It ends as a process manager wants it to. Settings come from the environment.
import { createServer } from "node:http";
import { createFormBackend } from "form-backend";
import { smtpMailer } from "form-backend/drivers/mailer/smtp";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { formBackend } from "form-backend/node";

const { DATABASE, PORT, SMTP_PORT } = process.env;

const backend = createFormBackend({
  // The same for all: links in emails lead to whichever process a balancer chooses.
  baseUrl: "http://127.0.0.1/forms",
  secret: "a secret for the fault tests, 32 long",
  storage: postgresStorage({ connectionString: DATABASE }),
  mailer: smtpMailer({ host: "127.0.0.1", port: Number(SMTP_PORT), secure: false, pool: true, maxConnections: 8 }),
  webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  rateLimit: false,
  logger: { debug() {}, info() {}, warn() {}, error: (message) => process.send({ logged: message }) },
});
const server = createServer(formBackend(backend));

process.on("message", async ({ id, call, args }) => {
  const [group, method] = call.split(".");
  try {
    process.send({ id, result: await backend[group][method](...args) });
  } catch (error) {
    process.send({ id, failed: error.message });
  }
});
process.on("SIGTERM", async () => {
  await backend.close({ graceMs: 10_000 });
  server.close();
  server.closeAllConnections();
  process.exit(0);
});
process.on("disconnect", () => process.exit(1));

await backend.ready();
server.listen(Number(PORT), "127.0.0.1", () => process.send({ ready: true }));
