// @ts-check
// A contact form on Cloudflare Workers: one Durable Object is the backend, and the Worker in front of it serves the page.
import { backendOf, cloudflareMailer, formBackendObject, formBackendWorker, r2Blob } from "form-backend/cloudflare";
import { inbox } from "form-backend/inbox";
import { page } from "./page.mjs";

/** The backend: its store is the object's SQLite, and the object's alarm sends emails and webhooks. */
export class Forms extends formBackendObject((env) => ({
  baseUrl: `${env.SITE}/forms`,
  secret: env.FORM_BACKEND_SECRET, // npx wrangler secret put FORM_BACKEND_SECRET
  blob: r2Blob(env.FILES),
  ...(env.EMAIL && { mailer: cloudflareMailer(env.EMAIL), from: env.FROM }),
  inbox: inbox({ apiKeys: true }),
})) {}

export default formBackendWorker({
  binding: "FORMS",
  async next(request, env) {
    if (new URL(request.url).pathname !== "/") return new Response("Not found\n", { status: 404 });
    // Calls in process, from the Worker: the form is made by the first visit and found by all others.
    const form = await backendOf(env.FORMS).forms.ensure("contact", {
      name: "Contact",
      self_email_notification: { recipients: env.OWNER ? [env.OWNER] : [] },
    });
    return new Response(page(form.endpoint), { headers: { "content-type": "text/html; charset=utf-8" } });
  },
});
