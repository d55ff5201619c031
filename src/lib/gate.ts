/** A limited number of slots for work, given in turn to each of those who wait. */
export interface Gate {
  /**
   * Waits until a slot is free and `key` uses less than its share. Returns a function that frees the slot; you may call it
   * twice. Null if too many calls of the key wait already. `signal` aborts the wait with its reason.
   */
  enter(
    key: string,
    limits?: { share?: number; waiting?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<(() => void) | null>;
}

interface Waiter {
  readonly share: number;
  start(): void;
}

/** A gate with `places` places, first come first served within a key, and one key after the other. */
export function createGate(places: number): Gate {
  const running = new Map<string, number>();
  /** Keys in the order of their turns. */
  const queues = new Map<string, Waiter[]>();
  let free = places;

  return {
    async enter(key, { share = places, waiting = Number.POSITIVE_INFINITY, signal } = {}) {
      const queue = queues.get(key);
      if (!queue && free > 0 && (running.get(key) ?? 0) < share) return take(key);
      if (queue && queue.length >= waiting) return null;
      signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          share,
          start() {
            signal?.removeEventListener("abort", leave);
            resolve(take(key));
          },
        };
        const leave = (): void => {
          const line = queues.get(key) ?? [];
          line.splice(line.indexOf(waiter), 1);
          if (line.length === 0) queues.delete(key);
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", leave, { once: true });
        queues.set(key, [...(queues.get(key) ?? []), waiter]);
      });
    },
  };

  function take(key: string): () => void {
    free--;
    running.set(key, (running.get(key) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      free++;
      const left = (running.get(key) ?? 1) - 1;
      if (left === 0) running.delete(key);
      else running.set(key, left);
      startNext();
    };
  }

  function startNext(): void {
    for (const [key, queue] of queues) {
      const [next] = queue;
      if (!next || (running.get(key) ?? 0) >= next.share) continue;
      // Goes to the back of the queue, for its next turn.
      queues.delete(key);
      if (queue.length > 1) queues.set(key, queue.slice(1));
      next.start();
      return;
    }
  }
}
