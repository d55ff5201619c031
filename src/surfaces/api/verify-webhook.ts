/** What a receiver of webhooks calls. */
export { type VerifyOptions, verifyWebhook, type WebhookEvent } from "../../features/webhooks/verify.ts";
