import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { type JobRecord, jobKinds } from "../../model/jobs.ts";
import { DELIVERY_WINDOW_MS } from "./schedule.ts";

/** The members that every new job needs, and those that differ from the usual. */
export type NewJob = Pick<JobRecord, "kind" | "target" | "form_id" | "team_id" | "event"> & Partial<JobRecord>;

/** The write of a new job that is not planned with a submission, due at `at` (by the store's clock). */
export function jobWrite(core: Core, id: string, at: number, given: NewJob): Write {
  const now = iso(core.clock.now());
  const job: JobRecord = {
    lane: jobKinds[given.kind].lane,
    submission_id: "",
    status: "pending",
    code: "PENDING",
    attempt: 0,
    lost: 0,
    leased: false,
    due_at: iso(at),
    deadline_at: iso(at + DELIVERY_WINDOW_MS),
    occurred_at: now,
    created_at: now,
    spam: false,
    links_expire_at: now,
    ...given,
  };
  return put("jobs", id, job, null);
}
