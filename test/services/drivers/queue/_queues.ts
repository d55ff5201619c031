import { expect, vi } from "vitest";
import type { Lane, QueueDriver } from "../../../../src/drivers/queue/types.ts";

/** Wakes until the listener has heard it: single wakes may be lost. */
export const arrives = (waker: QueueDriver, heard: readonly Lane[], lane: Lane): Promise<void> =>
  vi.waitFor(
    () => {
      waker.wake(lane);
      expect(heard).toContain(lane);
    },
    { timeout: 15_000, interval: 100 },
  );

/** One queue, woken in one process and heard in another. */
export function betweenProcesses(open: () => QueueDriver): QueueDriver {
  const [waker, hearer] = [open(), open()];
  return {
    name: "between",
    wake: waker.wake,
    listen: hearer.listen,
    close: async () => void (await Promise.all([waker.close(), hearer.close()])),
  };
}
