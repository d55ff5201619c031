import type { Core } from "../../core/core.ts";
import { iso } from "../../lib/clock.ts";
import type { JobRecord } from "../../model/jobs.ts";
import { linkExpiry } from "../files/links.ts";
import { DELIVERY_WINDOW_MS } from "../webhooks/schedule.ts";

/**
 * The delivery, due now with a new window. It keeps its id, so a receiver can drop duplicates, and counts its attempts on. The
 * links in its body are valid for their full time again.
 */
export function reopened(core: Core, job: JobRecord): JobRecord {
  const { http_status: _, node_error_code: __, message: ___, last_chance: ____, ...rest } = job;
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
