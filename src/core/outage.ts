import { StaleWriteError, type StorageDriver, type Transaction } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { traceOf } from "../lib/message.ts";
import type { Logger } from "./options/types.ts";

const LOG_EVERY_MS = 1_000;

/**
 * Wraps a store so that callers get one error for all its faults: `unavailable`, with `Retry-After`. The cause is logged at
 * most once a second. Conflicts pass, because callers handle them. A TypeError passes too, because it is a mistake in a program
 * and not an outage.
 */
export function withOutages(storage: StorageDriver, logger: Logger): StorageDriver {
  let quietUntil = 0;
  const asOutage = (cause: unknown): never => {
    if (cause instanceof StaleWriteError || cause instanceof TypeError || cause instanceof ApiError) throw cause;
    const now = performance.now();
    if (now >= quietUntil) {
      quietUntil = now + LOG_EVERY_MS;
      logger.error(`storage ${storage.name}: ${traceOf(cause)}`);
    }
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  };
  const guarded =
    <A extends unknown[], R>(verb: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await verb.apply(storage, args);
      } catch (error) {
        return asOutage(error);
      }
    };
  const { within, scrub, haveBefore } = storage;
  return {
    name: storage.name,
    writers: storage.writers,
    get readers() {
      return storage.readers;
    },
    within:
      within &&
      ((tx: Transaction) => {
        const joined = within.call(storage, tx);
        return { ...joined, commit: guarded(joined.commit) };
      }),
    scrub: scrub && guarded(scrub),
    open: () => storage.open(),
    get: guarded(storage.get),
    page: guarded(storage.page),
    count: guarded(storage.count),
    haveBefore: haveBefore && guarded(haveBefore),
    commit: guarded(storage.commit),
    claim: guarded(storage.claim),
    nextDueAt: guarded(storage.nextDueAt),
    close: () => storage.close(),
  };
}
