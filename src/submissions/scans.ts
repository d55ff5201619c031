import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { Caller } from "../keys/schema.ts";

const MAX_RUNNING = 2;

/**
 * Takes one of the two places that a credential has for filtered requests in this process; answers the function that gives it
 * back, which may be called twice. The host in process waits for nobody. Throws `scan_concurrency`.
 */
export function takeScan(core: Core, caller: Caller, filtered: boolean): () => void {
  if (!filtered || caller.team_ids === null) return () => {};
  const { runningScans } = core;
  const key = `${caller.auth}:${caller.id}`;
  const running = runningScans.get(key) ?? 0;
  if (running >= MAX_RUNNING) throw new ApiError("scan_concurrency", { headers: { "retry-after": "1" } });
  runningScans.set(key, running + 1);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    const left = (runningScans.get(key) ?? 1) - 1;
    if (left === 0) runningScans.delete(key);
    else runningScans.set(key, left);
  };
}
