import type { Zone } from "./zone.ts";

/** An MCP server at work in one backend. */
export interface MountedMcp {
  readonly zone: Zone;
  /** Runs once after the drivers are open. */
  onReady(): Promise<void>;
  /** Ends what is running. */
  onClose(): Promise<void>;
}

/** Under this, a backend has what the helpers of `form-backend/mcp` need. A spread copies it. */
export const MOUNTED = Symbol.for("form-backend.mcp");

export interface WithMcp {
  readonly [MOUNTED]?: {
    /** The metadata of the MCP server's authorization, of RFC 9728. */
    metadata(): Response;
  };
}
