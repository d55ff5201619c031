import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import type { CollectionName } from "../../model/collections.ts";
import type { JobRecord } from "../../model/jobs.ts";

/**
 * Rows read for a claim are valid this long, unless this process changes rows of their collection. After that, a submission is
 * read for its own job alone, and settings for all jobs of the claim again.
 */
const FRESH_MS = 250;

/** Reads one row, or null. Throws like `core.rows.get`. */
export type Read = <C extends CollectionName>(collection: C, id: string) => Promise<Row<C> | null>;

/** A job, and the other jobs of its claim. */
export interface ClaimedJob extends Stored<JobRecord> {
  /** When its lease is over at the latest, by the process' own time (`performance.now()`), which nobody sets back. */
  readonly leasedUntil: number;
  /** `core.rows.batched`: when the first job of a claim needs rows, reads those of all its jobs at once. */
  readonly read: Read;
  /** Makes a value once for all jobs of the claim that ask for it by the same key, about the same submission. */
  readonly once: <T>(key: string, make: () => T) => T;
}

const columns = {
  forms: "form_id",
  teams: "team_id",
  email_servers: "target",
  submissions: "submission_id",
  transient_submissions: "submission_id",
} as const satisfies Partial<Record<CollectionName, keyof JobRecord>>;
type Shared = keyof typeof columns;
const isShared = (collection: CollectionName): collection is Shared => Object.hasOwn(columns, collection);

interface Kept {
  readonly rows: Promise<ReadonlyMap<string, Row<CollectionName>>>;
  readonly changes: number;
}

/** The jobs of one claim, which read together and have one lease. */
export function readingTogether(core: Core, jobs: readonly Stored<JobRecord>[], leasedUntil: number): ClaimedJob[] {
  // Null once it is too old, so a long run does not keep the memory.
  const kept = new Map<Shared, Kept | null>();
  const made = new Map<string, unknown>();
  const ids = jobs.map(({ value }) => value.submission_id);
  const several = new Set(ids.filter((id, at) => ids.indexOf(id) !== at));

  // Not async: a delivery reads four rows, and each would cost it one promise more.
  const read: Read = (collection, id) => {
    const rows = isShared(collection) ? fresh(collection) : undefined;
    // A row that can't be read is named by this, and one that came meanwhile is found.
    const alone = () => core.rows.batched(collection, id);
    return rows ? rows.then((found) => (found.get(id) as Row<typeof collection> | undefined) ?? alone()) : alone();
  };

  function fresh(collection: Shared): Kept["rows"] | undefined {
    const known = kept.get(collection);
    const isFresh = known?.changes === core.rows.changes(collection);
    const again = known === undefined || (!isFresh && !collection.endsWith("submissions"));
    return (again ? readAll(collection) : isFresh ? known : null)?.rows;
  }

  function readAll(collection: Shared): Kept {
    const isWanted = ({ transient }: JobRecord): boolean =>
      !collection.endsWith("submissions") || (collection === "submissions") !== (transient === true);
    const wanted = jobs
      .flatMap(({ value }) => (isWanted(value) ? value[columns[collection]] : []))
      .filter((id) => id !== "");
    const entry: Kept = {
      rows: wanted.length > 0 ? core.rows.many(collection, [...new Set(wanted)]) : Promise.resolve(new Map()),
      changes: core.rows.changes(collection),
    };
    kept.set(collection, entry);
    core.clock.setTimer(() => {
      if (kept.get(collection) === entry) kept.set(collection, null);
    }, FRESH_MS);
    return entry;
  }

  return jobs.map((job) => ({
    ...job,
    leasedUntil,
    read,
    once<T>(key: string, make: () => T): T {
      if (!several.has(job.value.submission_id)) return make();
      if (!made.has(key)) made.set(key, make());
      return made.get(key) as T;
    },
  }));
}
