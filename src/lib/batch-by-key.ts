/**
 * Runs work on each key one batch at a time: items of a key that arrive while its batch runs share the next one. `run` must not
 * reject; it settles each item itself.
 */
export function batchByKey<T>(
  run: (items: readonly Batched<T>[]) => Promise<void>,
): (key: string, item: T) => Promise<void> {
  const waiting = new Map<string, Batched<T>[]>();

  return (key, item) =>
    new Promise((resolve, reject) => {
      const batched = { item, resolve, reject };
      const queue = waiting.get(key);
      if (queue) queue.push(batched);
      else {
        waiting.set(key, [batched]);
        void work(key);
      }
    });

  async function work(key: string): Promise<void> {
    for (;;) {
      // Items of the same turn of the event loop share a batch.
      await new Promise((resolve) => setImmediate(resolve));
      const items = waiting.get(key) ?? [];
      if (items.length === 0) break;
      waiting.set(key, []);
      await run(items);
    }
    waiting.delete(key);
  }
}

/** An item and its caller's promise. */
export interface Batched<T> {
  readonly item: T;
  resolve(): void;
  reject(error: unknown): void;
}

/** A `run` whose items succeed or fail together, as those that share one commit do. */
export function allOrNone<T>(
  run: (items: readonly T[]) => Promise<void>,
): (items: readonly Batched<T>[]) => Promise<void> {
  return async (batch) => {
    try {
      await run(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
}
