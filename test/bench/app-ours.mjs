// Ours: the form backend in Express on SQLite. Every post writes a submission, two jobs and three counters.
import express from "express";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/express";

const { DATABASE, PORT } = process.env;
const backend = createFormBackend({
  baseUrl: `http://127.0.0.1:${PORT}/forms`,
  secret: "a secret for the benchmark, 32 chars",
  storage: sqliteStorage({ path: DATABASE }),
  rateLimit: false,
  work: false,
});
const form = await backend.forms.create({
  name: "Bench",
  self_email_notification: { recipients: ["owner@example.com"] },
});
await backend.webhooks.create(form.id, { url: "https://example.com/hook" });
express()
  .use("/forms", formBackend(backend))
  .listen(Number(PORT), "127.0.0.1", () => process.send({ url: form.endpoint }));
