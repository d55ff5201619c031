// @ts-check
// Everything below /forms, as vercel.json says: posts, pages, the inbox and the API.
import { waitUntil } from "@vercel/functions";
import { backend } from "../forms.mjs";

/** @param {Request} request */
const handle = (request) =>
  backend.handle(asSent(request), {
    ip: request.headers.get("x-real-ip"), // set by Vercel, never by visitors
    waitUntil, // emails and webhooks end after the response
  });

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};

/** The request under the address that was asked for: the rewrite in vercel.json moves its path into the query. */
function asSent(/** @type {Request} */ request) {
  const url = new URL(request.url);
  const path = url.searchParams.get("__path");
  if (path === null) return request;
  url.searchParams.delete("__path");
  url.pathname = `/forms/${path}`;
  return new Request(url, request);
}
