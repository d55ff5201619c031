import type { Stored } from "../../drivers/storage/types.ts";
import type { JobRecord } from "../../model/jobs.ts";

/** After this many claims without a result, a job fails: if it ended its process, it must not end the next ones too. */
export const MAX_LOST = 3;

/** True for a job whose process ended in its last run. The same many claims without that run prove nothing of the job. */
export const isSpent = ({ lost, last_chance }: JobRecord): boolean => last_chance !== undefined && lost > last_chance;

/** Lets jobs run that have one claim left, one at a time in this process. */
export interface LastChances {
  /** Those of the claimed jobs that may run now; the others are given back, due `apartMs` after one another. */
  admit(rows: readonly Stored<JobRecord>[], apartMs: number): Promise<Stored<JobRecord>[]>;
  /** Takes note that a run is over. */
  ended(id: string): void;
  /** The job whose run the others wait for. */
  current(): string | null;
}

interface Leases {
  /** Notes in the store that a job's last run begins. */
  begin(row: Stored<JobRecord>): Promise<Stored<JobRecord>>;
  giveBack(row: Stored<JobRecord>, afterMs: number): Promise<void>;
}

/**
 * A process that dies has many jobs in it, and nothing tells which of them was the cause. All of them come to their last claim
 * together. Only the guilty one may fail, so they run one after the other, and each notes in the store that it begins: a process
 * that is killed before that has proved nothing.
 */
export function createLastChances({ begin, giveBack }: Leases): LastChances {
  let current: string | null = null;
  return {
    async admit(rows, apartMs) {
      const suspects = rows.filter(({ value }) => value.lost >= MAX_LOST - 1 && !isSpent(value));
      if (suspects.length === 0) return [...rows];
      const first = current === null ? suspects.shift() : undefined;
      if (first) current = first.id;
      // One that the store does not take back comes again when its lease ends, and has not begun.
      const back = Promise.allSettled(suspects.map((row, at) => giveBack(row, (at + 1) * apartMs)));
      const begun = first && (await begin(first).catch(() => undefined));
      if (first && !begun) current = null;
      await back;
      const left = new Set(suspects.map(({ id }) => id));
      return rows.flatMap((row) => (row === first ? (begun ?? []) : left.has(row.id) ? [] : row));
    },
    ended(id) {
      if (id === current) current = null;
    },
    current: () => current,
  };
}
