import type { Core } from "../../../../src/core/core.ts";
import { put } from "../../../../src/core/rows.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import { job, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { inside } from "../../../_support/inside.ts";

const usual = {
  kind: "webhook",
  team_id: "t1",
  occurred_at: time(0),
  deadline_at: time(9_000),
  links_expire_at: time(9_000),
};

/** A core whose deliveries are put into its store one by one. */
export async function coreWithJobs(options: Parameters<typeof inside>[0] = {}) {
  const { core: fixed, clock } = await inside(options);
  /** Members can be replaced, so that a store can be down and a commit can lose a race. */
  const core: { -readonly [K in keyof Core]: Core[K] } = fixed;
  const get = async (id: string): Promise<JobRecord | undefined> => (await core.rows.get("jobs", id))?.value;
  return {
    ...{ core, clock, get },
    /** A delivery that is due in second `n` of 2026, or never. */
    add: (id: string, n: number | null, more: object = {}) => core.commitNow([job(id, n, { ...usual, ...more })]),
    async change(id: string, more: object): Promise<void> {
      const value = await get(id);
      await core.commitNow([put("jobs", id, { ...(value as JobRecord), ...more })]);
    },
  };
}
