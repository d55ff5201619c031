import { ApiError } from "../../errors.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";

/** The page that a post came from, as its browser says; null where it says nothing usable. */
export function pageOf(headers: Headers): string | null {
  const referer = headers.get("referer");
  return referer && /^https?:\/\//i.test(referer) && canParseUrl(referer) ? referer : null;
}

/** The origin that a post claims, from `Origin`, otherwise from `Referer`. */
export function originOf(headers: Headers): string | null {
  const origin = headers.get("origin");
  if (origin && origin !== "null") return origin;
  const page = pageOf(headers);
  return page ? new URL(page).origin : null;
}

/** The origin for the log: also `null`, which pages opened as files and sandboxed frames send. */
export const namedOrigin = (headers: Headers): string | null =>
  originOf(headers) ?? (headers.get("origin") === "null" ? "null" : null);

/**
 * A form post is a simple request that CORS does not stop, so the list is enforced here. The endpoint's own error page is
 * always allowed, because it posts the corrected form. Throws `origin_not_allowed`.
 */
export function assertOrigin(allowed: readonly string[], headers: Headers, endpoint: string): void {
  if (allowed.length === 0) return;
  const origin = originOf(headers);
  const isOwn = origin === new URL(endpoint).origin && pageOf(headers)?.startsWith(endpoint);
  if (!origin || !(allowed.includes(origin) || isOwn)) throw new ApiError("origin_not_allowed");
}

/** CORS headers of the public endpoint: any origin where the form lists none, never with credentials. */
export function corsHeaders(allowed: readonly string[], headers: Headers): Record<string, string> {
  const origin = headers.get("origin");
  const exposed = { "access-control-expose-headers": "Retry-After, X-Request-Id" };
  if (allowed.length === 0) return { "access-control-allow-origin": "*", ...exposed };
  return {
    vary: "Origin",
    ...(origin && allowed.includes(origin) && { "access-control-allow-origin": origin, ...exposed }),
  };
}

/**
 * Checks `_next`: a URL relative to the page (or to the backend), of the page's own origin, or of an allowed origin. Anything
 * else is ignored, or every endpoint would be an open redirect.
 */
export function nextUrl(
  next: string | undefined,
  page: string | null,
  allowed: readonly string[],
  baseUrl: string,
): string | null {
  if (!next || next.length > 2048) return null;
  const base = page ?? baseUrl;
  if (!canParseUrl(next, base)) return null;
  const url = new URL(next, base);
  if (!/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  return url.origin === new URL(base).origin || allowed.includes(url.origin) ? url.href : null;
}
