// @ts-check
// The backend. It is made once for each instance, outside the functions, so that an instance keeps its connections.
import { mkdirSync } from "node:fs";
import { createFormBackend } from "form-backend";
import { s3Blob } from "form-backend/drivers/blob/s3";
import { resendMailer } from "form-backend/drivers/mailer/resend";
import { postgresStorage } from "form-backend/drivers/storage/postgres";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { inbox } from "form-backend/inbox";

const {
  DATABASE_URL,
  FORM_BACKEND_SECRET,
  FORMS_URL,
  OWNER,
  RESEND_API_KEY,
  S3_BUCKET,
  VERCEL_PROJECT_PRODUCTION_URL,
  DATA_DIR = "data",
} = process.env;
// Vercel tells the domain of the project.
const site = VERCEL_PROJECT_PRODUCTION_URL ? `https://${VERCEL_PROJECT_PRODUCTION_URL}` : "http://localhost:3000";

export const backend = createFormBackend({
  baseUrl: FORMS_URL ?? `${site}/forms`,
  secret: FORM_BACKEND_SECRET, // 32 random characters or more; a must in production
  storage: DATABASE_URL ? postgresStorage({ connectionString: DATABASE_URL }) : onThisMachine(),
  ...(S3_BUCKET && { blob: s3Blob(bucket(S3_BUCKET)) }),
  ...(RESEND_API_KEY && { mailer: resendMailer({ apiKey: RESEND_API_KEY }) }),
  inbox: inbox({ apiKeys: true }),
  work: "on-request", // no timers: the functions do the work
});

/** The form, made by the first build and found by all others. */
export const contact = () =>
  backend.forms.ensure("contact", {
    name: "Contact",
    self_email_notification: { recipients: OWNER ? [OWNER] : [] },
  });

/** Without a database: a file, which only a machine of your own keeps. */
function onThisMachine() {
  if (process.env.VERCEL) throw new Error("Set DATABASE_URL: Vercel has no disk that lasts");
  mkdirSync(DATA_DIR, { recursive: true });
  return sqliteStorage({ path: `${DATA_DIR}/forms.db` });
}

/** Any store with the API of S3, for uploads. @param {string} name */
function bucket(name) {
  const { S3_ENDPOINT = "", S3_REGION = "auto", S3_KEY = "", S3_SECRET = "" } = process.env;
  return { bucket: name, endpoint: S3_ENDPOINT, region: S3_REGION, accessKeyId: S3_KEY, secretAccessKey: S3_SECRET };
}
