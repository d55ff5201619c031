import { ApiError } from "../../errors.ts";
import type { Caller } from "../../model/keys.ts";
import type { Core } from "../core.ts";
import { perBackend } from "../per-backend.ts";
import { createSlots } from "./slots.ts";

/** Requests at once that look into values, and other long reads: counts, exports, lists of fields, a person's data, the older lists. */
const MAX_RUNNING = { filtered: 2, long: 8 } as const;

/** The duration of a request's reads; null = as short as one page. */
export type Scan = keyof typeof MAX_RUNNING | null;

const running = perBackend(createSlots);

/**
 * Reserves one of a credential's slots for requests of this kind in this process. Returns a function that releases it, which
 * you may call twice. The host in process never waits. Throws `scan_concurrency`.
 */
export function takeScan(core: Core, caller: Caller, scan: Scan): () => void {
  if (scan === null || caller.team_ids === null) return () => {};
  const release = running(core).take(`${scan}:${caller.auth}:${caller.id}`, MAX_RUNNING[scan]);
  if (!release) throw new ApiError("scan_concurrency", refusal(scan));
  return release;
}

const refusal = (scan: keyof typeof MAX_RUNNING) => ({
  headers: { "retry-after": "1" },
  ...(scan === "long" && {
    message: `More than ${MAX_RUNNING.long} counts, exports and other long reads are running with this credential.`,
  }),
});
