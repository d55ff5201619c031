import { z } from "zod";

/** An MCP server as `mcp()` of `form-backend/mcp` makes it. The backend knows no more of it, so that hosts without one load nothing. */
export interface Mcp {
  /** Its path below `baseUrl`: `/mcp`. */
  readonly path: string;
  /** The metadata of its authorization, of RFC 9728. */
  readonly metadata: (options: never) => Response;
  /** Puts it to work; called by the backend. */
  readonly mount: (core: never) => unknown;
}

/** The option `mcp`. */
export const McpSchema = z.custom<Mcp>(
  (value) => typeof value === "object" && value !== null && typeof Reflect.get(value, "mount") === "function",
  'must be what mcp({ … }) returns: import { mcp } from "form-backend/mcp"',
);
