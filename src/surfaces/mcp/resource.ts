import { jsonResponse } from "../../lib/response.ts";
import { scopes } from "../../model/keys.ts";
import { type Options, resourceMetadataPath } from "../api/kernel.ts";

export const PATH = "/mcp";

/** The address of the server, which is also the audience of tokens for it. */
export const addressOf = ({ baseUrl }: Pick<Options, "baseUrl">): string => baseUrl + PATH;

/** The address of its metadata, below `baseUrl`. */
export const metadataPath = resourceMetadataPath + PATH;

/** The metadata of RFC 9728. Clients compare `resource` with the URL that they were given, to the letter. */
export function metadataResponse({ baseUrl, brand, oauth }: Pick<Options, "baseUrl" | "brand" | "oauth">): Response {
  const metadata = {
    resource: addressOf({ baseUrl }),
    resource_name: brand.name,
    ...(oauth && { authorization_servers: [oauth.issuer] }),
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
  };
  const headers = { "access-control-allow-origin": "*", "cache-control": "public, max-age=3600" };
  return jsonResponse(metadata, 200, headers);
}

/** `WWW-Authenticate`: where to learn about tokens, and the scopes to ask for. */
export function challengeOf({ baseUrl }: Pick<Options, "baseUrl">, needed: readonly string[], error?: string): string {
  const parts = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `resource_metadata="${baseUrl}${metadataPath}"`,
    `scope="${needed.join(" ")}"`,
  ];
  return `Bearer ${parts.join(", ")}`;
}
