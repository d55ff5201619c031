import { memoryBlob } from "../../../src/drivers/blob/memory.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../src/drivers/storage/types.ts";
import { lanes } from "../../../src/features/deliveries/kinds.ts";
import type { FormBackendOptions } from "../../../src/index.ts";
import { createTestBackend, type TestBackend } from "../../../src/surfaces/testing/backend.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";

/** Backends over one store, of which each can be killed: nothing that it does afterwards reaches the store. */
export function mortals(
  options: Partial<Omit<FormBackendOptions, "clock">>,
  start = Date.parse("2026-01-01T00:00:00Z"),
) {
  const clock = testClock(start);
  const store = memoryStorage();
  let current = boot();

  function boot() {
    let die = (): void => {};
    const life = { dead: false, died: new Promise<void>((resolve) => (die = resolve)) };
    const storage = new Proxy(store, {
      get(target, name: keyof StorageDriver) {
        const member = target[name];
        if (typeof member !== "function") return member;
        if (name === "close") return async () => {};
        return (...args: never[]) => {
          if (life.dead) return Promise.reject(new Error("this process was killed"));
          return (member as (...args: never[]) => unknown).apply(target, args);
        };
      },
    });
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const backend = createTestBackend({
      ...options,
      storage,
      clock,
      rateLimit: false,
      blob: memoryBlob(),
      logger: quiet,
    });
    return { backend, life, die };
  }

  return {
    clock,
    backend: (): TestBackend => current.backend,
    /** Ends the backend as kill -9 does, and starts another one. */
    kill() {
      const { life, die, backend } = current;
      life.dead = true;
      current = boot();
      die();
      void backend.close().catch(() => {});
    },
    /** Ends the backend in order and without grace, and starts another one. */
    async end() {
      const { backend } = current;
      current = boot();
      await backend.close({ graceMs: 0 });
    },
    /** Runs what is due, over deaths, until `until` or until nothing is due any more. */
    async run(until: number) {
      for (;;) {
        const { backend, life } = current;
        await Promise.race([backend.tick().catch(() => {}), life.died]);
        const due = await Promise.all(Object.keys(lanes).map((lane) => store.nextDueAt(lane)));
        const next = Math.min(...due.filter((at) => at !== null));
        if (next > until) break;
        clock.set(Math.max(next, clock.now()));
      }
      if (Number.isFinite(until)) clock.set(Math.max(until, clock.now()));
    },
  };
}
