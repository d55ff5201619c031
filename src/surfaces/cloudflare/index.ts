export { type R2BucketLike, r2Blob } from "../../drivers/blob/r2.ts";
export { cloudflareMailer, type SendEmailLike } from "../../drivers/mailer/cloudflare.ts";
export { type DurableObjectStorageLike, durableObjectStorage } from "../../drivers/storage/durable-object.ts";
export { backendOf, type RemoteBackend } from "./backend-of.ts";
export type { DurableObjectStateLike, ObjectNamespaceLike } from "./bindings.ts";
export { type FormBackendObject, type FormBackendObjectClass, formBackendObject } from "./object.ts";
export {
  type EmailMessageLike,
  type FormBackendWorker,
  type FormBackendWorkerOptions,
  formBackendWorker,
} from "./worker.ts";
