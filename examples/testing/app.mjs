// @ts-check
// An Express app with a support form, made so that a test can put its own backend in.
import express from "express";
import { formBackend } from "form-backend/express";

/** @param {import("form-backend").FormBackend} backend */
export async function createApp(backend) {
  const form = await backend.forms.create({
    name: "Support",
    self_email_notification: { recipients: ["support@example.com"], subject: "[{{topic}}] from {{email}}" },
    validation: { rules: [{ field: "email", checks: [{ type: "required" }, { type: "email" }] }] },
  });
  await backend.webhooks.create(form.id, { url: "https://tickets.example.com/hook" });

  const app = express();
  app.use("/forms", formBackend(backend));
  app.get("/", (_req, res) => void res.send(`<form method="post" action="${form.endpoint}">…</form>`));
  return { app, form };
}
