import { describe } from "../../lib/message.ts";
import type { Core, Mcp, Options } from "../api/kernel.ts";
import { MOUNTED, type MountedMcp, type WithMcp } from "../api/mcp.ts";
import type { FormBackend } from "../form-backend.ts";
import { type McpOptions, settingsOf } from "./options.ts";
import { metadataResponse, PATH } from "./resource.ts";
import { loadSdk } from "./sdk.ts";
import { zoneOf } from "./zone.ts";

export type { McpOptions } from "./options.ts";

/**
 * Makes an MCP server at `{baseUrl}/mcp`, so that agents can work with forms under the scopes of an API key or access token.
 * Needs the package `@modelcontextprotocol/server`. Throws a TypeError that names an unknown or wrong option.
 *
 * @example
 * const backend = createFormBackend({
 *   baseUrl: "https://app.example.com/forms",
 *   mcp: mcp({ readOnly: true }),
 * });
 */
export function mcp(options: McpOptions = {}): Mcp {
  const settings = settingsOf(options);
  return {
    path: PATH,
    metadata: (options: Options) => metadataResponse(options),
    mount(core: Core): MountedMcp {
      const { zone, close } = zoneOf(core, settings);
      return {
        zone,
        // A missing package is reported at the start, not to the first agent; forms work without it.
        onReady: async () =>
          void (await loadSdk().catch((error: unknown) => core.options.logger.error(describe(error)))),
        onClose: close,
      };
    },
  };
}

/**
 * Returns the metadata of the MCP server's authorization for the root of your host. Clients look for it at
 * `/.well-known/oauth-protected-resource{path of baseUrl}/mcp`, which lies outside of the backend's mount. Throws a TypeError
 * for a backend without the option `mcp`.
 *
 * @example
 * app.get("/.well-known/oauth-protected-resource/forms/mcp", () => protectedResourceMetadata(backend));
 */
export function protectedResourceMetadata(backend: FormBackend): Response {
  const mounted = (backend as FormBackend & WithMcp)[MOUNTED];
  if (mounted) return mounted.metadata();
  throw new TypeError("[form-backend] protectedResourceMetadata: the backend has no option `mcp`");
}
