import { type Change, copyRow, createRows, type Rows } from "./_rows/rows.ts";
import { countRows, pageRows } from "./_rows/scan.ts";
import {
  inTurns,
  JOURNAL,
  journalKey,
  packChanges,
  packRow,
  ROWS,
  rowKey,
  unpackChanges,
  unpackRow,
} from "./_rows/unstorage-keys.ts";
import type { StorageDriver, Stored, Write } from "./types.ts";

/** The members used of an unstorage instance; `createStorage()` and `prefixStorage()` of unstorage 1 return one. */
export interface UnstorageLike {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  getKeys(base?: string): Promise<string[]>;
}

/** The one commit that is on its way: `changes` once it is settled that they count, null while they must vanish. */
interface Pending {
  readonly key: string;
  readonly changes: readonly Change[] | null;
}

/**
 * Stores everything under `form-backend:` of an unstorage instance, for small installs: all rows are also in memory, and only
 * ONE process may use the keys at a time. As durable as the instance's driver: the `fs` driver survives a crash of the process,
 * but not every loss of power. Never disposes of the instance.
 *
 * @example
 * unstorageStorage(createStorage({ driver: fsDriver({ base: "./data" }) }));
 */
export function unstorageStorage(storage: UnstorageLike): StorageDriver {
  if (typeof storage?.getItem !== "function") {
    throw new TypeError("[form-backend] unstorageStorage: pass an instance made by createStorage() of unstorage.");
  }
  let loaded: Rows | undefined;
  let opening: Promise<void> | undefined;
  let pending: Pending | undefined;
  let sequence = 0;
  let tail: Promise<unknown> = Promise.resolve();

  /** Writes run one after the other: a plan is valid only until the next one is applied. */
  function inOrder<T>(run: () => Promise<T>): Promise<T> {
    const result = tail.then(run);
    tail = result.catch(() => {});
    return result;
  }

  async function writeRows(changes: readonly Change[]): Promise<void> {
    await inTurns(changes, ({ collection, id, row }) => {
      const key = rowKey(collection, id);
      return row ? storage.setItem(key, packRow(row)) : storage.removeItem(key);
    });
  }

  /**
   * Finishes the current commit. No write may start before: a leftover journal of an earlier commit, replayed at the next
   * start, would undo the later one.
   */
  async function settle(): Promise<void> {
    if (!pending) return;
    if (pending.changes) await writeRows(pending.changes);
    await storage.removeItem(pending.key);
    pending = undefined;
  }

  function rows(): Rows {
    if (!loaded) throw new Error("[form-backend] the unstorage store is not open: await open() first");
    return loaded;
  }

  async function write(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const key = journalKey(++sequence);
    pending = { key, changes: null };
    try {
      await storage.setItem(key, packChanges(changes));
    } catch (error) {
      await settle().catch(() => {});
      throw error;
    }
    // The journal is written: from here on the commit counts, whatever happens to the rest.
    pending = { key, changes };
    rows().apply(changes);
    await settle().catch(() => {});
  }

  async function load(): Promise<void> {
    for (const key of (await storage.getKeys(JOURNAL)).sort()) {
      const changes = unpackChanges(await storage.getItem(key));
      if (changes) await writeRows(changes);
      await storage.removeItem(key);
    }
    const found: Change[] = [];
    await inTurns(await storage.getKeys(ROWS), async (key) => {
      const change = unpackRow(key, await storage.getItem(key));
      if (change) found.push(change);
    });
    loaded = createRows(found);
    pending = undefined;
  }

  function open(): Promise<void> {
    opening ??= inOrder(load).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  return {
    name: "unstorage",
    open,
    async get(collection, ids) {
      const found = new Map<string, Stored>();
      for (const id of ids) {
        const row = rows().get(collection, id);
        if (row) found.set(id, copyRow(row));
      }
      return found;
    },
    page: async (collection, query) => pageRows(rows(), collection, query),
    count: async (collection, query) => countRows(rows(), collection, query),
    async commit(writes) {
      // The caller may alter its values while the commit waits for its turn.
      const taken = JSON.parse(JSON.stringify(writes)) as Write[];
      await inOrder(async () => {
        await settle();
        await write(rows().plan(taken));
      });
    },
    async claim(query) {
      return inOrder(async () => {
        await settle();
        const now = query.now ?? Date.now();
        const changes = rows().planClaim(query, now);
        await write(changes);
        return { now, jobs: changes.map((change) => copyRow(change.row!)) };
      });
    },
    async nextDueAt(lane) {
      const first = rows().list("jobs", "due", [lane])[0];
      return first ? Date.parse(String(first.value.due_at)) : null;
    },
    async close() {
      await inOrder(settle).catch(() => {});
    },
  };
}
