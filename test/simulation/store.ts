import { type Change, copyRow, createRows } from "../../src/drivers/storage/_rows/rows.ts";
import { countRows, pageRows } from "../../src/drivers/storage/_rows/scan.ts";
import {
  type ClaimQuery,
  StaleWriteError,
  type StorageDriver,
  StoreDownError,
  type Stored,
  type Write,
} from "../../src/drivers/storage/types.ts";
import { copyPlain, owning } from "./copy.ts";
import type { Faults } from "./faults.ts";
import { createVersions } from "./versions.ts";
import type { Process, World } from "./world.ts";

/** One database for all processes: it keeps what the port of stores promises, and nothing beyond that. */
export interface SimulatedStore {
  /** The driver of one process. */
  driver(owner: Process): StorageDriver;
  /** Every row of a collection as it is now, past the port. */
  rows(collection: string): Stored[];
  /** While true, it can't be reached. */
  down: boolean;
  /** What each commit takes beyond its ways. */
  commitMs: number;
  /** Milliseconds by which its clock is ahead of the world's. */
  drift: number;
  /** Epoch ms, by its clock. */
  now(): number;
  /** When the next job is due, past the port; null without one. */
  nextDue(): number | null;
  /** How many calls failed, and of how many of them the answer was lost. */
  readonly failed: { calls: number; lost: number };
  /** A copy of all rows at this moment. Calling it puts them back, past the port. */
  copy(): Copy;
  /** Called when a copy is made; what it returns, when that is put back. */
  onCopy: (() => () => void) | undefined;
  /** Called with the rows that a commit or a claim changes. */
  onChange: ((changes: readonly Changed[]) => void) | undefined;
}

/** A row before and after a commit; undefined and null where there is none. */
export interface Changed {
  readonly collection: string;
  readonly id: string;
  readonly before: Stored | undefined;
  readonly after: Stored | null;
}

/** Rows as they were at one moment. */
interface Copy {
  (): void;
  rows(collection: string): readonly Stored[];
}

/** Longer than most calls take. */
const IDLE_MS = 20_000;

/** The fate of a call. */
type Fate = "answered" | "refused" | "lost" | "vanished" | "late";

export function createStore(world: World, faults: Faults): SimulatedStore {
  const random = world.random.fork("store");
  const rows = createRows();
  const versions = createVersions();
  const ids = new Map<string, Set<string>>();
  const store: SimulatedStore = {
    driver,
    rows: (collection) =>
      [...(ids.get(collection) ?? [])].flatMap((id) => {
        const row = rows.get(collection, id);
        return row ? [copyRow(row)] : [];
      }),
    down: false,
    commitMs: 0,
    drift: 0,
    now: () => world.now() + store.drift,
    nextDue() {
      const times = [...(ids.get("jobs") ?? [])].flatMap((id) => {
        const at = rows.get("jobs", id)?.value["due_at"];
        return typeof at === "string" ? [Date.parse(at)] : [];
      });
      return times.length === 0 ? null : Math.min(...times);
    },
    failed: { calls: 0, lost: 0 },
    onChange: undefined,
    onCopy: undefined,
    copy,
  };
  return store;

  function copy(): Copy {
    // Rows are replaced and never altered, so these stay as they are.
    const kept = [...ids].map(
      ([collection, own]) => [collection, [...own].map((id) => rows.get(collection, id)!)] as const,
    );
    const back = store.onCopy?.();
    const putBack = (): void => {
      const gone = [...ids].flatMap(([collection, own]) => [...own].map((id) => ({ collection, id, row: null })));
      const there = kept.flatMap(([collection, own]) => own.map((row) => ({ collection, id: row.id, row })));
      rows.apply(gone);
      rows.apply(there);
      ids.clear();
      for (const [collection, own] of kept) ids.set(collection, new Set(own.map(({ id }) => id)));
      back?.();
    };
    return Object.assign(putBack, {
      rows: (collection: string) => kept.find(([name]) => name === collection)?.[1] ?? [],
    });
  }

  function drawFate(isWrite: boolean): Fate {
    if (!faults.on) return "answered";
    if (random.chance(faults.refused)) return "refused";
    if (random.chance(faults.lost)) return "lost";
    if (isWrite && random.chance(faults.vanished)) return "vanished";
    return isWrite && random.chance(faults.late) ? "late" : "answered";
  }

  /** One call: it travels, is done at one moment, and its answer travels back. Each part may fail, and the caller may be gone. */
  function call<T>(owner: Process, isWrite: boolean, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (nothingWritten: boolean, ms: number): void => {
        store.failed.calls++;
        const message = nothingWritten ? "the store can't be reached" : "the store's answer was lost";
        world.after(ms, owner, () => reject(new StoreDownError(message, { nothingWritten })));
      };
      const lose = (nothingWritten: boolean, ms: number): void => {
        store.failed.lost++;
        fail(nothingWritten, ms);
      };
      const trip = (): number =>
        store.commitMs === 0 && random.chance(faults.slow) ? random.between(50, 3_000) : random.between(0, 4);
      const fate = drawFate(isWrite);
      if (!isWrite && fate === "answered") {
        // A read sees the moment of the question or of the answer: one event does for both.
        const early = random.chance(0.5) && !store.down ? work() : undefined;
        world.after(trip() + trip(), owner, () => {
          if (early === undefined && store.down) return fail(true, trip());
          try {
            resolve(early ?? work());
          } catch (error) {
            reject(error);
          }
        });
        return;
      }
      world.after(trip(), null, () => {
        if (store.down || fate === "refused") return fail(true, trip());
        if (fate === "vanished") return lose(false, random.between(100, 4_000));
        if (fate === "late") {
          // On its way in a connection that its caller has given up.
          const ms = random.between(10, 2_000);
          lose(false, ms);
          world.after(ms + random.between(1, 8_000), null, () => {
            try {
              work();
              world.note(`a commit of ${owner.name} arrives late`);
            } catch (error) {
              if (!(error instanceof StaleWriteError)) throw error;
            }
          });
          return;
        }
        let result: T;
        try {
          result = work();
        } catch (error) {
          world.after(trip(), owner, () => reject(error));
          return;
        }
        if (fate === "lost") lose(!isWrite, random.between(100, 4_000));
        else world.after((isWrite ? store.commitMs : 0) + trip(), owner, () => resolve(result));
      });
    });
  }

  function apply(changes: readonly Change[]): void {
    const before = changes.map(({ collection, id }) => rows.get(collection, id));
    rows.apply(changes);
    for (const { collection, id, row } of changes) {
      const known = ids.get(collection) ?? new Set();
      ids.set(collection, known);
      if (row) known.add(id);
      else known.delete(id);
      world.mix(id);
    }
    store.onChange?.(
      changes.map(({ collection, id, row }, at) => ({ collection, id, before: before[at], after: row })),
    );
  }

  /** The writes as the version of the process makes them. */
  function asOf({ version }: Process, writes: readonly Write[]): readonly Write[] {
    if (version === "this") return writes;
    return writes.map((write) => {
      const before = write.op === "put" ? rows.get(write.collection, write.id)?.value : undefined;
      return versions.written(version, write, before);
    });
  }

  function claim(query: ClaimQuery) {
    const now = query.now ?? store.now();
    const changes = rows.planClaim(query, now);
    apply(changes);
    return { now, jobs: changes.map(({ row }) => copyRow(row!)) };
  }

  function driver(owner: Process): StorageDriver {
    return {
      name: "simulated",
      writers: faults.writers,
      open: () => call(owner, false, () => {}),
      get: (collection, wanted) =>
        call(owner, false, () => {
          const found = new Map<string, Stored>();
          for (const id of wanted) {
            const row = rows.get(collection, id);
            if (row) found.set(id, copyRow(row));
          }
          return found;
        }),
      page: (collection, query) => {
        const { inTurn = (statement) => statement(), ...rest } = query;
        return inTurn(() => call(owner, false, () => pageRows(rows, collection, rest))).then((page) => page);
      },
      count: (collection, query) => {
        const { inTurn = (statement) => statement(), ...rest } = query;
        return inTurn(() => call(owner, false, () => countRows(rows, collection, rest))).then((count) => count);
      },
      commit(writes) {
        // The caller may alter its values while the commit is on its way.
        const taken = writes.map((write) => copyPlain(write));
        return call(owner, true, () => apply(owning(() => rows.plan(asOf(owner, taken)))));
      },
      claim: (query) => {
        const first = rows.list("jobs", "due", [query.lane])[0];
        const isIdle = !first || Date.parse(String(first.value["due_at"])) > store.now() + IDLE_MS;
        // One that finds nothing changes nothing, as a read.
        return call(owner, !isIdle, () => claim(query));
      },
      nextDueAt: (lane) =>
        call(owner, false, () => {
          const first = rows.list("jobs", "due", [lane])[0];
          return first ? Date.parse(String(first.value["due_at"])) : null;
        }),
      async close() {},
    };
  }
}
