import type { Core } from "../../core/core.ts";

/** Has lanes look for jobs that were committed. */
export function wakeJobs(core: Core, lanes: Iterable<string>): void {
  for (const lane of lanes) core.queue.wake(lane);
}
