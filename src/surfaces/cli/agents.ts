import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { FormBackend } from "../form-backend.ts";
import { mcp, protectedResourceMetadata } from "../mcp/index.ts";

/** The option `mcp`, if its package is installed. It is optional, so `serve` and `dev` do without where it is not. */
export function agentOptions(): { mcp?: ReturnType<typeof mcp> } {
  try {
    createRequire(import.meta.url).resolve("@modelcontextprotocol/server");
    return { mcp: mcp() };
  } catch {
    return {};
  }
}

/** The address for agents, or what to install. */
export const agentLine = (options: { mcp?: unknown }, baseUrl: string): string =>
  options.mcp ? `${baseUrl}/mcp` : "off; to turn it on: npm install @modelcontextprotocol/server";

/** Answers the request if it is for the MCP server's metadata at the root of the host; false if it is not (RFC 9728, 3.1). */
export function answeredMetadata(backend: FormBackend, req: IncomingMessage, res: ServerResponse): boolean {
  const { pathname } = new URL(`${backend.baseUrl}/mcp`);
  if (req.url !== `/.well-known/oauth-protected-resource${pathname}` || req.method !== "GET") return false;
  const { status, headers, body } = protectedResourceMetadata(backend);
  res.writeHead(status, Object.fromEntries(headers));
  void new Response(body).text().then((text) => res.end(text));
  return true;
}
