import type { Lane, QueueDriver } from "./types.ts";

/**
 * Wakes the workers of this process.
 *
 * @example createFormBackend({ baseUrl, queue: localQueue() })
 */
export function localQueue(): QueueDriver {
  const listeners = new Set<{ onWake: (lane: Lane) => void }>();
  const pending = new Set<Lane>();
  let closed = false;

  const deliver = (): void => {
    const lanes = [...pending];
    pending.clear();
    for (const listener of [...listeners]) {
      for (const lane of lanes) {
        // The async function also catches a rejected promise; a listener's failure must not reach the caller or other
        // listeners.
        if (listeners.has(listener)) void (async () => listener.onWake(lane))().catch(() => {});
      }
    }
  };

  return {
    name: "local",
    wake(lane) {
      if (closed) return;
      // Many wakes of one turn become one: a worker claims until nothing is due.
      if (pending.size === 0) setImmediate(deliver);
      pending.add(lane);
    },
    async listen(onWake) {
      const listener = { onWake };
      if (!closed) listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
    async close() {
      closed = true;
      listeners.clear();
    },
  };
}
