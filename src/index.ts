import { createBackend, type FormBackend } from "./backend.ts";
import type { FormBackendOptions } from "./options.ts";

/**
 * Creates a form backend. It is synchronous: drivers open on the first request, or with `await backend.ready()`.
 * Throws a TypeError that names the option when one is unknown or wrong.
 *
 * @example
 * const backend = createFormBackend({
 *   baseUrl: "https://app.example.com/forms",
 *   secret: process.env.FORM_BACKEND_SECRET,
 *   storage: sqliteStorage({ path: "forms.db" }),
 *   mailer: smtpMailer("smtps://user:pass@smtp.example.com"),
 * });
 * app.use("/forms", formBackend(backend));
 */
export function createFormBackend(options: FormBackendOptions): FormBackend {
  return createBackend(options);
}

export type { FormBackend } from "./backend.ts";
export type { BlobDriver, BlobMeta } from "./drivers/blob/types.ts";
export { type Mail, MailError, type MailerDriver } from "./drivers/mailer/types.ts";
export type { Lane, QueueDriver } from "./drivers/queue/types.ts";
export { memoryStorage } from "./drivers/storage/memory.ts";
export { StaleWriteError, type StorageDriver } from "./drivers/storage/types.ts";
export type { EmailServer, EmailServerCreate, EmailServerDeleted, EmailServerPatch } from "./email-servers/schema.ts";
export { ApiError, type ErrorCode, type FieldError } from "./errors.ts";
export type { Events } from "./events.ts";
export type { FileScan, FilesOptions, ScannedFile } from "./files/options.ts";
export type { RecipientList } from "./forms/recipients.ts";
export type { Form, FormDeleted, FormList, HostFormCreate, HostFormPatch } from "./forms/schema.ts";
export type { HostInfo } from "./http/route.ts";
export type { FileInput } from "./images/bytes.ts";
export type { ImageFields, UploadedImage } from "./images/schema.ts";
export type { SubmissionListInput } from "./in-process.ts";
export type { SubmitFile, SubmitInput, SubmitOptions } from "./intake/submit.ts";
export type { JobsQuery, JobView } from "./jobs/list.ts";
export type { Delivery, DeliveryStatus, JobKind } from "./jobs/schema.ts";
export type { OAuthOptions, TokenGrant } from "./keys/oauth.ts";
export type { ApiKey, Caller, KeyCreate, Scope } from "./keys/schema.ts";
export type { Clock } from "./lib/clock.ts";
export type { RateClient } from "./lib/rate-stores.ts";
export type { Rate, RateCounter, RateLimitOptions, RateName, RateState, RateStore } from "./lib/rates.ts";
export type { StandardSchema } from "./lib/standard-schema.ts";
export type { FormBackendOptions, Logger } from "./options.ts";
export type { CheckedForm, CheckedSubmission, SpamCheck, SpamVerdict } from "./spam/check.ts";
export type { CaptchaOptions, CountryOption, RemoteProvider, SpamOptions } from "./spam/options.ts";
export type { SubmissionFiltersInput } from "./submissions/query.ts";
export type {
  FieldList,
  HostSubmission,
  Submission,
  SubmissionBulk,
  SubmissionBulkResult,
  SubmissionCount,
  SubmissionDeleted,
  SubmissionField,
  SubmissionList,
  SubmissionPatch,
  Verdict,
} from "./submissions/schema.ts";
export type { Plan } from "./teams/plans.ts";
export type { Team, TeamCreate, TeamPatch } from "./teams/schema.ts";
export type {
  DeliveryList,
  Recovered,
  Webhook,
  WebhookCreate,
  WebhookDeleted,
  WebhookPatch,
  WebhookTest,
} from "./webhooks/schema.ts";
export { type VerifyOptions, verifyWebhook, type WebhookEvent } from "./webhooks/verify.ts";
