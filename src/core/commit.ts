import { StaleWriteError, type StorageDriver, StoreDownError, type Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";

const MAX_ITEMS = 64;
const FEW_ITEMS = 32;
const MAX_BYTES = 1024 * 1024;
/** More rows hold up the next transaction; while several teams wait, fewer do, since each pays for the others' rows. */
const MAX_WRITES = 512;
const MAX_SHARED_WRITES = 96;
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

interface Item {
  readonly writes: readonly Write[];
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Group commit: while the store is busy with as many transactions as it takes at once, new items wait and share the next
 * transaction.
 */
export interface Committer {
  /**
   * Resolves when the item is durable, whole. Teams take turns, however many items of one of them wait. Throws
   * `StaleWriteError`, or `unavailable` when too much waits already.
   */
  commit(writes: readonly Write[], bytes: number, team?: string): Promise<void>;
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>;
}

/**
 * Alone, an item pays no delay: it goes on the next turn of the event loop. Under load one fsync or round trip serves dozens.
 * No timer decides; the only wait is the transaction that is in flight.
 */
export function createCommitter(storage: StorageDriver): Committer {
  /** Items by their team, in the order of the teams' turns. */
  const lines = new Map<string, Item[]>();
  let waiting = 0;
  let waitingBytes = 0;
  const running = new Set<Promise<void>>();
  let busy = 0;
  let starting = false;

  return {
    commit(writes, bytes, team = "") {
      if (waiting >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) {
        return Promise.reject(new ApiError("unavailable", { headers: { "retry-after": "5" } }));
      }
      return new Promise((resolve, reject) => {
        const item = { writes, bytes, resolve, reject };
        const line = lines.get(team);
        if (line) line.push(item);
        else lines.set(team, [item]);
        waiting++;
        waitingBytes += bytes;
        start();
      });
    },
    drained: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };

  /** One more writer, unless one is about to look for work or all are busy. */
  function start(): void {
    if (starting || busy >= (storage.writers ?? 1)) return;
    starting = true;
    busy++;
    const writer = run().finally(() => running.delete(writer));
    running.add(writer);
  }

  async function run(): Promise<void> {
    // The requests that arrived in the same turn of the event loop share the first transaction.
    await new Promise((resolve) => setImmediate(resolve));
    starting = false;
    while (waiting > 0) {
      const batch = take();
      if (waiting > 0) start();
      await flush(batch);
    }
    busy--;
  }

  function take(): Item[] {
    // At most half of a large group: while the store works on it, the event loop reads and responds to the other half.
    const most = Math.min(MAX_ITEMS, Math.max(FEW_ITEMS, waiting >> 1));
    const mostWrites = lines.size > 1 ? MAX_SHARED_WRITES : MAX_WRITES;
    const batch: Item[] = [];
    let bytes = 0;
    let writes = 0;
    for (const [team, line] of lines) {
      const item = line[0] as Item;
      bytes += item.bytes;
      writes += item.writes.length;
      if (batch.length === most || (batch.length > 0 && (bytes > MAX_BYTES || writes > mostWrites))) break;
      batch.push(item);
      waiting--;
      waitingBytes -= item.bytes;
      line.shift();
      // To the back: a Map goes through what is added on the way, too.
      lines.delete(team);
      if (line.length > 0) lines.set(team, line);
    }
    return batch;
  }

  async function flush(batch: readonly Item[]): Promise<void> {
    try {
      await storage.commit(merged(batch));
      for (const item of batch) item.resolve();
    } catch (error) {
      if (batch.length > 1 && !isDown(error)) await flushSingly(batch);
      else for (const item of batch) item.reject(error);
    }
  }

  /**
   * One bad row must not fail its neighbours. Two failures in a row that are not conflicts come from the store, and no further
   * attempt is made.
   */
  async function flushSingly(batch: readonly Item[]): Promise<void> {
    let outages = 0;
    let last: unknown;
    for (const item of batch) {
      if (outages >= 2) {
        item.reject(last);
        continue;
      }
      try {
        await storage.commit(merged([item]));
        outages = 0;
        item.resolve();
      } catch (error) {
        if (!(error instanceof StaleWriteError)) outages++;
        last = error;
        item.reject(error);
      }
    }
  }
}

/** Each item alone would wait for the same time-out, and an interrupted commit may have succeeded. */
const isDown = (error: unknown): boolean => error instanceof ApiError && error.cause instanceof StoreDownError;

/** The writes of all items, with one `add` per counter instead of one per item. */
function merged(batch: readonly Item[]): Write[] {
  const writes: Write[] = [];
  const adds = new Map<string, { op: "add"; id: string; by: number; at: string }>();
  for (const { writes: own } of batch) {
    for (const write of own) {
      if (write.op !== "add") {
        writes.push(write);
        continue;
      }
      const sum = adds.get(write.id);
      if (!sum) {
        adds.set(write.id, { ...write });
        continue;
      }
      sum.by += write.by;
      if (write.at > sum.at) sum.at = write.at;
    }
  }
  // In one order everywhere, so that two processes which add to the same counters can't wait for each other.
  for (const id of [...adds.keys()].sort()) writes.push(adds.get(id) as Write);
  return writes;
}
