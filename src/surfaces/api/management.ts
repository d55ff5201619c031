import type { Core } from "../../core/core.ts";
import type { Zone } from "./zone.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const EXPOSED = "ETag, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id";

interface Management {
  /** The way to authenticate, for a 401; null for none. */
  readonly challenge: string | null;
  /** True if the host's own session is a credential, which pages of a listed origin then may send too. */
  readonly session: boolean;
}

/**
 * Headers of every response of a management API: on a 401 the way to authenticate, and CORS for the origins that the host
 * lists. Without such origins there is no preflight either, so no script of another origin can call it.
 */
export function managementAnswers(
  { options }: Core,
  { challenge, session }: Management,
): Pick<Zone, "finish" | "preflight"> {
  const origins = new Set(options.cors.management);
  return {
    finish(response, { request }) {
      const { headers } = response;
      if (challenge !== null && response.status === 401) headers.set("www-authenticate", challenge);
      if (origins.size === 0) return;
      headers.append("vary", "Origin");
      const origin = request.headers.get("origin");
      if (!origin || !origins.has(origin)) return;
      headers.set("access-control-allow-origin", origin);
      headers.set("access-control-expose-headers", EXPOSED);
      if (session) headers.set("access-control-allow-credentials", "true");
    },
    ...(origins.size > 0 && {
      preflight: () =>
        new Response(null, {
          status: 204,
          headers: {
            allow: METHODS,
            "access-control-allow-methods": METHODS,
            "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, If-Match, api_key",
            "access-control-max-age": "600",
          },
        }),
    }),
  };
}
