import type { Stored } from "../../drivers/storage/types.ts";
import type { JobRecord } from "../../model/jobs.ts";

/** After this many claims without a result, a job fails: if it ended its process, it must not end the next ones too. */
export const MAX_LOST = 3;

/** Lets jobs run that have one claim left, one at a time in this process. */
export interface LastChances {
  /** Those of the claimed jobs that may run now; the others are given back, due `apartMs` after one another. */
  admit(rows: readonly Stored<JobRecord>[], apartMs: number): Promise<Stored<JobRecord>[]>;
  /** Takes note that a run is over. */
  ended(id: string): void;
  /** The job whose run the others wait for. */
  current(): string | null;
}

/**
 * A process that dies has many jobs in it, and nothing tells which of them was the cause. All of them come to their last claim
 * together. Only the guilty one may be counted again, so no two of them are claimed while one runs.
 */
export function createLastChances(giveBack: (row: Stored<JobRecord>, afterMs: number) => Promise<void>): LastChances {
  let current: string | null = null;
  return {
    async admit(rows, apartMs) {
      const suspects = rows.filter(({ value }) => value.lost === MAX_LOST - 1);
      if (current === null && suspects[0]) current = suspects.shift()?.id ?? null;
      const given = new Set<string>();
      await Promise.all(
        suspects.map(async (row, at) => {
          // If the store does not take it back it runs; otherwise its lease would expire and be counted.
          await giveBack(row, (at + 1) * apartMs).then(
            () => given.add(row.id),
            () => {},
          );
        }),
      );
      return rows.filter(({ id }) => !given.has(id));
    },
    ended(id) {
      if (id === current) current = null;
    },
    current: () => current,
  };
}
