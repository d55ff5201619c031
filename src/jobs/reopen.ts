import type { Core } from "../core.ts";
import { linkExpiry } from "../files/links.ts";
import { iso } from "../lib/clock.ts";
import { DELIVERY_WINDOW_MS } from "../webhooks/schedule.ts";
import type { JobRecord } from "./schema.ts";

/**
 * The delivery as due now, for a window of its own: it keeps its id, so that a receiver can drop what it has, its attempts go on
 * counting, and the links in its body are good for their full time again.
 */
export function reopened(core: Core, job: JobRecord): JobRecord {
  const { http_status: _, node_error_code: __, message: ___, ...rest } = job;
  const now = core.storeClock.now();
  return {
    ...rest,
    status: "pending",
    code: "PENDING",
    lost: 0,
    leased: false,
    due_at: iso(now),
    deadline_at: iso(now + DELIVERY_WINDOW_MS),
    window_from: job.attempt,
    links_expire_at: iso(linkExpiry(core)),
  };
}
