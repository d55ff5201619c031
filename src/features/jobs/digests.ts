import type { Core } from "../../core/core.ts";
import { ignoreStale, put } from "../../core/rows.ts";
import { iso } from "../../lib/clock.ts";
import { waitingUnder } from "./waiting.ts";

/** The target of a form's digests until they are due. */
export const digestsOf = (formId: string): string => `digests:${formId}`;

/** Sends what was collected for a form's digests now, because it has none any more. */
export async function sendDigestsNow(core: Core, formId: string): Promise<void> {
  const due_at = iso(core.storeClock.now());
  let found = false;
  for await (const { id, value, version } of waitingUnder(core, digestsOf(formId))) {
    if (value.due_at !== null && value.due_at <= due_at) continue;
    found = true;
    // A stale one runs already.
    await core.commitNow([put("jobs", id, { ...value, due_at }, version)]).catch(ignoreStale);
  }
  if (found) core.queue.wake("email");
}
