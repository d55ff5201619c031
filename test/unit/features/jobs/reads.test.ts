import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import type { Stored } from "../../../../src/drivers/storage/types.ts";
import { type ClaimedJob, readingTogether } from "../../../../src/features/jobs/reads.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";

const jobOf = (id: string, more: Partial<JobRecord> = {}): Stored<JobRecord> => ({
  id,
  version: 1,
  value: { form_id: "f1", team_id: "t1", target: "w1", submission_id: `s-${id}`, ...more } as JobRecord,
});

/** Jobs of one claim, and what they read: `collection id,id`, alone where nothing else is read with it. */
function claimOf(...jobs: readonly Stored<JobRecord>[]) {
  const clock = testClock(0);
  const reads: string[] = [];
  const missing = new Set<string>();
  let changes = 0;
  const row = (id: string) => ({ id, version: reads.length, value: {} });
  const rows = {
    changes: () => changes,
    async many(collection: string, ids: readonly string[]) {
      reads.push(`${collection} ${ids.join(",")}`);
      return new Map(ids.filter((id) => !missing.has(id)).map((id) => [id, row(id)]));
    },
    async batched(collection: string, id: string) {
      reads.push(`alone: ${collection} ${id}`);
      return row(id);
    },
  };
  const claimed = readingTogether({ clock, rows } as Partial<Record<keyof Core, unknown>> as unknown as Core, jobs, 5);
  return {
    ...{ clock, reads, missing },
    claimed: claimed as [ClaimedJob, ...ClaimedJob[]],
    change: () => void changes++,
    read: async (job: ClaimedJob | undefined, collection: Parameters<ClaimedJob["read"]>[0], id: string) => {
      const found = await job?.read(collection, id);
      return found && `${found.id} ${found.version}`;
    },
  };
}

describe("the jobs of one claim", () => {
  it("are what the store gave, with their lease", () => {
    const { claimed } = claimOf(jobOf("a"), jobOf("b"));
    expect(claimed).toMatchObject([
      { ...jobOf("a"), leasedUntil: 5 },
      { ...jobOf("b"), leasedUntil: 5 },
    ]);
  });

  it("read what all of them need at once, each row one time", async () => {
    const more = { target: "w2", team_id: "t2", form_id: "f2" };
    const { claimed, read, reads } = claimOf(
      jobOf("a"),
      jobOf("b"),
      jobOf("c", { ...more, transient: true }),
      jobOf("d", more),
    );
    const [a, b, c, d] = claimed;
    expect(await read(a, "forms", "f1")).toBe("f1 1");
    expect(await read(b, "forms", "f1")).toBe("f1 1");
    expect(await read(d, "forms", "f2")).toBe("f2 1");
    await read(a, "teams", "t1");
    await read(a, "email_servers", "w2");
    await read(a, "submissions", "s-a");
    await read(d, "submissions", "s-d");
    await read(c, "transient_submissions", "s-c");
    expect(reads).toEqual([
      "forms f1,f2",
      "teams t1,t2",
      "email_servers w1,w2",
      "submissions s-a,s-b,s-d",
      "transient_submissions s-c",
    ]);
  });

  it("read other rows, and those that were not among them, alone", async () => {
    const { claimed, read, reads, missing } = claimOf(jobOf("a"), jobOf("b", { submission_id: "" }));
    missing.add("s-a");
    expect(await read(claimed[0], "marks", "m1")).toBe("m1 1");
    expect(await read(claimed[0], "submissions", "s-a")).toBe("s-a 3");
    expect(await read(claimed[0], "forms", "f9")).toBe("f9 5");
    expect(reads).toEqual([
      "alone: marks m1",
      "submissions s-a",
      "alone: submissions s-a",
      "forms f1",
      "alone: forms f9",
    ]);
  });

  it("read nothing together where nothing is wanted", async () => {
    const { claimed, read, reads } = claimOf(jobOf("a", { submission_id: "" }));
    await read(claimed[0], "submissions", "s1");
    await read(claimed[0], "transient_submissions", "s1");
    expect(reads).toEqual(["alone: submissions s1", "alone: transient_submissions s1"]);
  });

  it("read again after 250 ms: settings together, a submission for its own job alone", async () => {
    const { claimed, read, reads, clock } = claimOf(jobOf("a"), jobOf("b"));
    const [a, b] = claimed;
    await read(a, "forms", "f1");
    await read(a, "submissions", "s-a");
    clock.set(249);
    await read(b, "forms", "f1");
    await read(b, "submissions", "s-b");
    expect(reads).toHaveLength(2);
    clock.set(250);
    await read(b, "forms", "f1");
    await read(b, "submissions", "s-b");
    expect(reads.slice(2)).toEqual(["forms f1", "alone: submissions s-b"]);
    // The second read is fresh for 250 ms from its own start.
    clock.set(499);
    await read(a, "forms", "f1");
    expect(reads).toHaveLength(4);
    clock.set(500);
    await read(a, "forms", "f1");
    expect(reads).toHaveLength(5);
  });

  it("read again once this process has changed such a row", async () => {
    const { claimed, read, reads, change, clock } = claimOf(jobOf("a"), jobOf("b"));
    const [a, b] = claimed;
    await read(a, "forms", "f1");
    await read(a, "submissions", "s-a");
    change();
    clock.set(100);
    await read(b, "forms", "f1");
    await read(b, "submissions", "s-b");
    expect(reads.slice(2)).toEqual(["forms f1", "alone: submissions s-b"]);
    // The timer of the first read has fired, and the second read is still fresh.
    clock.set(300);
    await read(a, "forms", "f1");
    expect(reads).toHaveLength(4);
  });

  it("make a value once for all of them that are about one submission", () => {
    const same = { submission_id: "s1" };
    const { claimed } = claimOf(jobOf("a", same), jobOf("b", same), jobOf("c"));
    let made = 0;
    const make = () => ++made;
    expect(claimed.slice(0, 2).map(({ once }) => once("body", make))).toEqual([1, 1]);
    expect(claimed[1]?.once("other", make)).toBe(2);
    expect([claimed[2]?.once("own", make), claimed[2]?.once("own", make)]).toEqual([3, 4]);
    expect(claimed[0].once("body", make)).toBe(1);
  });
});
