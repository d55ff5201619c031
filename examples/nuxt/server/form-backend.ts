// The backend behind /forms. The module serves it, starts its workers with the server and ends them with it.
import { mkdirSync } from "node:fs";
import { createFormBackend } from "form-backend";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";

const site = process.env.SITE_URL ?? `http://localhost:${process.env.PORT ?? 3000}`;
const data = process.env.DATA_DIR ?? "data";
mkdirSync(data, { recursive: true });

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  // 32 random characters or more, kept over restarts. This one is only for trying out.
  secret: process.env.FORM_BACKEND_SECRET ?? "not a secret, everybody can read it here",
  storage: sqliteStorage({ path: `${data}/forms.db` }),
});
backend.on("submission.created", ({ fields }) => console.log("stored", fields));

export default backend;

let contact: Promise<string> | undefined;

/** The id of the contact form, which is made on the first start and found on the next ones. */
export function contactForm(): Promise<string> {
  contact ??= (async () => {
    const [known] = (await backend.forms.list()).data;
    const form =
      known ??
      (await backend.forms.create({
        name: "Contact",
        self_email_notification: { recipients: ["you@example.com"] },
        validation: { rules: [{ field: "email", checks: [{ type: "required" }, { type: "email" }] }] },
      }));
    return form.id;
  })();
  return contact;
}
