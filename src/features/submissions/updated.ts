import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Person } from "../../model/work.ts";
import { planUpdate } from "../jobs/plan-update.ts";
import { wakeJobs } from "../jobs/wake.ts";
import type { Act, ChangedMember } from "./change.ts";

/** A change that is about to be committed. */
export interface Update {
  readonly id: string;
  readonly record: SubmissionRecord;
  /** `fields`: its sender changed what was sent. */
  readonly members: readonly (ChangedMember | "fields")[];
  readonly acts: readonly Act[];
  /** Who changed it. */
  readonly by: Person;
}

/** What a change brings about: writes for its commit, and what to do once they are durable. */
export interface Consequences {
  readonly writes: readonly Write[];
  done(): void;
}

/** The line of what was done, and the deliveries to the webhooks that subscribe to changes. */
export async function consequencesOf(core: Core, updates: readonly Update[]): Promise<Consequences> {
  const now = core.clock.now();
  const writes: Write[] = [];
  const lanes = new Set<string>();
  for (const { id, record, members, acts, by } of updates) {
    for (const { what, text } of acts) {
      const activity = { submission_id: id, created_at: iso(now), author: by, what, text };
      writes.push(put("activities", prefixedId("act"), activity, null));
    }
    const form = members.length > 0 ? await core.rows.cached("forms", record.form_id) : null;
    for (const { id: jobId, job } of form ? planUpdate(core, form, id, record, members) : []) {
      writes.push(put("jobs", jobId, job, null));
      lanes.add(job.lane);
    }
  }
  return {
    writes,
    done() {
      wakeJobs(core, lanes);
      for (const { id, record, members } of updates.filter((update) => update.members.length > 0))
        core.events.emit("submission.updated", { id, form_id: record.form_id, changed: [...members] });
    },
  };
}
