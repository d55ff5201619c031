/** The check of a signature, for receivers of webhooks. Surfaces import it from here, and not from the feature. */
export { type VerifyOptions, verifyWebhook, type WebhookEvent } from "../../features/webhooks/verify.ts";
