import type { Zone } from "./zone.ts";

/** An MCP server at work in one backend. */
export interface MountedMcp {
  readonly zone: Zone;
  /** The metadata of its authorization, of RFC 9728. */
  metadata(): Response;
  /** Runs once after the drivers are open. */
  onReady(): Promise<void>;
  /** Ends what is running. */
  onClose(): Promise<void>;
}

/** Under this, a backend has its MCP server, for the helpers of `form-backend/mcp`. A spread copies it. */
export const MOUNTED = Symbol.for("form-backend.mcp");
