/**
 * Runs work on each key one batch at a time: what arrives for a key while its batch runs goes together in the next.
 * `run` must not reject; it settles each of its items itself.
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
      // What arrives in the same turn of the event loop goes together.
      await new Promise((resolve) => setImmediate(resolve));
      const turns = waiting.get(key) ?? [];
      if (turns.length === 0) break;
      waiting.set(key, []);
      await run(turns);
    }
    waiting.delete(key);
  }
}

/** An item and whoever waits for it. */
export interface Turn<T> {
  readonly item: T;
  resolve(): void;
  reject(error: unknown): void;
}
