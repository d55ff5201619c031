// Ours, through Express or through our Node listener. Every post writes a submission, two jobs and three counters.
import { createServer } from "node:http";
import express from "express";
import { createFormBackend } from "form-backend";
import { formBackend as inExpress } from "form-backend/express";
import { formBackend as inNode } from "form-backend/node";
import { ourStorage } from "./our-storage.mjs";
import { quiet } from "./quiet.mjs";
import { listen, report } from "./report.mjs";

const server = createServer();
const origin = await listen(server);
const backend = createFormBackend({
  baseUrl: `${origin}/forms`,
  secret: "a secret for the benchmark, 32 chars",
  logger: quiet,
  storage: await ourStorage(process.env),
  rateLimit: false,
  work: false,
});
const form = await backend.forms.create({
  name: "Bench",
  self_email_notification: { recipients: ["owner@example.com"] },
});
await backend.webhooks.create(form.id, { url: "https://example.com/hook" });
server.on("request", process.env.HOST === "express" ? express().use("/forms", inExpress(backend)) : inNode(backend));
report(
  { url: `${origin}/forms/f/${form.id}` },
  {
    // Spam causes no deliveries, so a run with spam in it would have done less than it says.
    stored: async () => (await backend.submissions.count(form.id)).count,
  },
);
