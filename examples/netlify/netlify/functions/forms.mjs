// @ts-check
// Everything below /forms: posts, pages, the inbox and the API.
import { backend } from "../../forms.mjs";

/**
 * @param {Request} request
 * @param {{ ip: string, waitUntil(work: Promise<unknown>): void }} context
 */
export default (request, context) =>
  backend.handle(request, {
    ip: context.ip, // told by Netlify, never by visitors
    waitUntil: (work) => context.waitUntil(work), // emails and webhooks end after the response
  });

export const config = { path: ["/forms", "/forms/*"] };
