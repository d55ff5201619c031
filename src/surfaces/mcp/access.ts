import { isIP } from "node:net";
import { ApiError } from "../../errors.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import type { Exchange } from "../api/kernel.ts";
import type { McpSettings } from "./options.ts";

/**
 * Throws where a browser asks for a page that has no business here (DNS rebinding makes any name lead to this machine). An
 * address can't be rebound, so proxies and checks may ask by it.
 */
export function assertOwnHost({ core, request, url }: Exchange): void {
  const { baseUrl, trustProxy } = core.options;
  const forwarded = trustProxy === false ? null : request.headers.get("x-forwarded-host");
  const name = hostName(forwarded?.split(",")[0]?.trim() ?? request.headers.get("host") ?? url.host);
  if (name === new URL(baseUrl).hostname || name === "localhost" || isIP(name.replace(/^\[|\]$/g, "")) > 0) return;
  throw new ApiError("cross_site_request", {
    message: "The request names another host than `baseUrl`; have the proxy pass on the header `Host`.",
  });
}

const hostName = (host: string): string => (canParseUrl(`http://${host}`) ? new URL(`http://${host}`).hostname : "");

/** The origin of a page that may read the answer; null without one. Throws for the page of a stranger. */
export function originOf({ core, request }: Exchange, { allowedOrigins }: McpSettings): string | null {
  const origin = request.headers.get("origin");
  if (origin === null) return null;
  if (origin === new URL(core.options.baseUrl).origin || allowedOrigins.includes(origin)) return origin;
  throw new ApiError("cross_site_request", {
    message:
      "Pages of this origin may not call the MCP server; the host can list it in `allowedOrigins` of mcp({ … }).",
  });
}
