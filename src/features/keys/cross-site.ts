import type { Options } from "../../core/options/types.ts";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * True if another website may have caused the request, which a browser sends with the visitor's cookies. Requests that change
 * nothing are never refused. Browsers write `Sec-Fetch-Site` and `Origin`, and no script can change them. A request with
 * neither is not from a browser known to show the host's own page.
 */
export function isCrossSite(
  { method, headers }: Request,
  { baseUrl, cors }: Pick<Options, "baseUrl" | "cors">,
): boolean {
  if (SAFE.has(method)) return false;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn = origin === new URL(baseUrl).origin;
  if (isOwn && (site === null || site === "same-origin")) return false;
  if (origin === null && site === "same-origin") return false;
  return origin === null || !cors.management.includes(origin);
}
