// The backend behind /forms. Its store is the storage that Nitro has anyway, and so are its files.
import { createFormBackend } from "form-backend";
import { unstorageBlob } from "form-backend/drivers/blob/unstorage";
import { unstorageStorage } from "form-backend/drivers/storage/unstorage";
import { useStorage } from "nitro/runtime";

const site = process.env.SITE_URL ?? `http://localhost:${process.env.PORT ?? 3000}`;

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  // 32 random characters or more, kept over restarts. This one is only for trying out.
  secret: process.env.FORM_BACKEND_SECRET ?? "not a secret, everybody can read it here",
  storage: unstorageStorage(useStorage("forms")),
  blob: unstorageBlob(useStorage("forms:files")),
});
backend.on("submission.created", ({ fields }) => console.log("stored", fields));

export default backend;

/** The contact form, which is made on the first start and found on the next ones. */
export async function contactForm() {
  const [known] = (await backend.forms.list()).data;
  return (
    known ??
    (await backend.forms.create({ name: "Contact", self_email_notification: { recipients: ["you@example.com"] } }))
  );
}
