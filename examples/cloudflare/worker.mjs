// @ts-check
// A static site with a contact form, on Cloudflare: the files in site/ are the site, and this Worker answers below /forms alone. One
// Durable Object is the backend.
import { backendOf, cloudflareMailer, formBackendObject, formBackendWorker, r2Blob } from "form-backend/cloudflare";
import { inbox } from "form-backend/inbox";

/** The backend: its store is the object's SQLite, and the object's alarm sends emails and webhooks. */
export class Forms extends formBackendObject((env) => ({
  baseUrl: `${env.SITE}/forms`,
  secret: env.FORM_BACKEND_SECRET, // npx wrangler secret put FORM_BACKEND_SECRET
  blob: r2Blob(env.FILES),
  ...(env.EMAIL && { mailer: cloudflareMailer(env.EMAIL), from: env.FROM }),
  inbox: inbox({ apiKeys: true }),
})) {}

const forms = formBackendWorker({ binding: "FORMS" });

/** A form with a key has an address of its own choice, which a page can name before the form is there: /forms/p/default/f/contact. */
const contactForm = (env) =>
  backendOf(env.FORMS).forms.ensure("contact", {
    name: "Contact",
    self_email_notification: { recipients: env.OWNER ? [env.OWNER] : [] },
  });
let isMade = false;

export default {
  ...forms,
  async fetch(request, env, ctx) {
    // Made by the first request, and found by the first of each later copy of this Worker. If that fails, the answer says why.
    if (!isMade) {
      isMade = await contactForm(env).then(
        () => true,
        () => false,
      );
    }
    return forms.fetch(request, env, ctx);
  },
};
