/**
 * Runs work on each key one batch at a time: items of a key that arrive while its batch runs share the next one. `run` must not
 * reject; it settles each item itself.
 */
export function createTurns<T>(
  run: (items: readonly Turn<T>[]) => Promise<void>,
): (key: string, item: T) => Promise<void> {
  const waiting = new Map<string, Turn<T>[]>();

  return (key, item) =>
    new Promise((resolve, reject) => {
      const turn = { item, resolve, reject };
      const queue = waiting.get(key);
      if (queue) queue.push(turn);
      else {
        waiting.set(key, [turn]);
        void work(key);
      }
    });

  async function work(key: string): Promise<void> {
    for (;;) {
      // Items of the same turn of the event loop share a batch.
      await new Promise((resolve) => setImmediate(resolve));
      const turns = waiting.get(key) ?? [];
      if (turns.length === 0) break;
      waiting.set(key, []);
      await run(turns);
    }
    waiting.delete(key);
  }
}

/** An item and its caller's promise. */
export interface Turn<T> {
  readonly item: T;
  resolve(): void;
  reject(error: unknown): void;
}
