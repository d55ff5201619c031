/**
 * How webhooks leave this process: over sockets of our own. Bundlers for Cloudflare Workers, which have `fetch` alone, choose
 * `transport.workerd.ts` by the export condition `workerd`.
 */
export { createWebhookClient as createTransport } from "./request.ts";
