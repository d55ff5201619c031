import { copyRow, createRows } from "../../src/drivers/storage/_rows/rows.ts";
import { countRows, pageRows } from "../../src/drivers/storage/_rows/scan.ts";
import { type StorageDriver, StoreDownError, type Stored, type Write } from "../../src/drivers/storage/types.ts";
import type { Faults } from "./faults.ts";
import type { Process, World } from "./world.ts";

/** One database for all processes: it keeps what the port of stores promises, and nothing beyond that. */
export interface SimulatedStore {
  /** The driver of one process. */
  driver(owner: Process): StorageDriver;
  /** Every row of a collection as it is now, past the port. */
  rows(collection: string): Stored[];
  /** While true, it can't be reached. */
  down: boolean;
  /** Times at which an answer was lost or refused, by the name of the process. */
  readonly troubles: { readonly at: number; readonly process: string }[];
  /** Calls once after each commit that was applied. */
  onCommit: ((writes: readonly Write[]) => void) | undefined;
}

export function createStore(world: World, faults: Faults): SimulatedStore {
  const random = world.random.fork("store");
  const rows = createRows();
  const ids = new Map<string, Set<string>>();
  const store: SimulatedStore = {
    driver,
    rows: (collection) =>
      [...(ids.get(collection) ?? [])].flatMap((id) => {
        const row = rows.get(collection, id);
        return row ? [copyRow(row)] : [];
      }),
    down: false,
    troubles: [],
    onCommit: undefined,
  };
  return store;

  /** One call: it travels, is done at one moment, and its answer travels back. Each part may fail, and the caller may be gone. */
  function call<T>(owner: Process, isWrite: boolean, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (nothingWritten: boolean, ms: number): void => {
        store.troubles.push({ at: world.now(), process: owner.name });
        const message = nothingWritten ? "the store can't be reached" : "the store's answer was lost";
        world.after(ms, owner, () => reject(new StoreDownError(message, { nothingWritten })));
      };
      const trip = (): number => (random.chance(faults.slow) ? random.between(50, 3_000) : random.between(0, 4));
      const isRefused = faults.on && random.chance(faults.refused);
      const isLost = faults.on && random.chance(faults.lost);
      world.after(trip(), null, () => {
        if (store.down || isRefused) return fail(true, trip());
        let result: T;
        try {
          result = work();
        } catch (error) {
          world.after(trip(), owner, () => reject(error));
          return;
        }
        if (isLost) fail(!isWrite, random.between(100, 4_000));
        else world.after(trip(), owner, () => resolve(result));
      });
    });
  }

  function apply(writes: readonly Write[]): void {
    const changes = rows.plan(writes);
    rows.apply(changes);
    for (const { collection, id, row } of changes) {
      const known = ids.get(collection) ?? new Set();
      ids.set(collection, known);
      if (row) known.add(id);
      else known.delete(id);
    }
    store.onCommit?.(writes);
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
        const taken = JSON.parse(JSON.stringify(writes)) as Write[];
        return call(owner, true, () => apply(taken));
      },
      claim: (query) =>
        call(owner, true, () => {
          const now = query.now ?? world.now();
          const changes = rows.planClaim(query, now);
          rows.apply(changes);
          return { now, jobs: changes.map(({ row }) => copyRow(row!)) };
        }),
      nextDueAt: (lane) =>
        call(owner, false, () => {
          const first = rows.list("jobs", "due", [lane])[0];
          return first ? Date.parse(String(first.value["due_at"])) : null;
        }),
      async close() {},
    };
  }
}
