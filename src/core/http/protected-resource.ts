import { canParseUrl } from "../../lib/can-parse-url.ts";
import { scopes } from "../../model/keys.ts";
import type { Options } from "../options/types.ts";

export const resourceMetadataPath = "/.well-known/oauth-protected-resource";

/** The metadata of RFC 9728, null where OAuth is not configured. */
export function resourceMetadata({ oauth, baseUrl, brand }: Options) {
  if (!oauth) return null;
  // Clients ask for a token with `resource` as its audience (RFC 8707), so it must be one that is accepted.
  const resource = [oauth.audience].flat().find((audience) => canParseUrl(audience)) ?? baseUrl;
  return {
    resource,
    resource_name: brand.name,
    authorization_servers: [oauth.issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
  };
}

/** The header of a 401 that tells how to authenticate. */
export function challenge({ oauth, baseUrl }: Options): string {
  return oauth ? `Bearer resource_metadata="${baseUrl}${resourceMetadataPath}"` : "Bearer";
}
